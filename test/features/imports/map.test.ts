import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { findCountryCode } from '../../../app/features/imports/country-names.ts'
import { importFile } from '../../../app/features/imports/import-file.ts'
import { formatMap } from '../../../app/features/imports/suggest/format.ts'
import { suggestMap } from '../../../app/features/imports/suggest/index.ts'
import type { TableOptions } from '../../../app/features/imports/table/index.ts'
import { parseMapping, parseMappings } from '../../../app/features/imports/table/mapping.ts'
import { countryCodes } from '../../../app/import/country-codes.ts'
import { run } from '../../command-line.ts'
import { openDatabase } from '../../import/database.ts'
import { germanTable } from './german-table.ts'

const database = await openDatabase(t)
const { query, read } = database
const env = { DATABASE_URL: database.url, DATA_DIR: t.testdir() }
t.beforeEach(() => query('truncate certificates, products, projects, lab, approvals; delete from customers'))

const toSource = (text: string | Uint8Array) => ReadableStream.from([Buffer.from(text as string)])
const take = (
  text: string,
  resource: TableOptions['resource'],
  mappings: string[] = [],
  more: TableOptions = {},
) =>
  importFile(database.operator, toSource(text), {
    customer: 'acme',
    table: { resource, mappings: mappings.map(parseMapping), ...more },
  })
const toPlain = (text: string) => {
  const { values, ...mapping } = parseMapping(text)
  return { ...mapping, values: Object.fromEntries(values) }
}

t.test('a mapping names fields, replacements and a separator', async (t) => {
  t.same(toPlain('status = approval_status {erteilt: approved, ausgesetzt: suspended}'), {
    column: 'status',
    fields: ['approval_status'],
    values: { erteilt: 'approved', ausgesetzt: 'suspended' },
  })
  t.same(toPlain('Normen = standards split ","'), {
    column: 'Normen',
    fields: ['standards'],
    values: {},
    separators: [','],
  })
  t.same(toPlain('Normen = standards split ";" " + " {x: y}'), {
    column: 'Normen',
    fields: ['standards'],
    values: { x: 'y' },
    separators: [';', ' + '],
  })
  t.same(toPlain('"#" = id, number'), { column: '#', fields: ['id', 'number'], values: {} })
  t.same(toPlain('Notes='), { column: 'Notes', fields: [], values: {} })
  t.same(toPlain('Name (de) = en=name').column, 'Name (de) = en')
  t.same(toPlain('a = b {"x, {y}": "null", in Prüfung : null, w=1: "=", open:} split "\\n"'), {
    column: 'a',
    fields: ['b'],
    values: { 'x, {y}': 'null', 'in prüfung': null, 'w=1': '=' },
    separators: ['\n'],
  })
  for (const [wrong, reason] of Object.entries({
    id: /expected <column> = <field>/,
    'a = b c': /expected <column> = <field>/,
    'a = b {x}': /expected <value>: <replacement>/,
    'a = b {x: 1, X : 2}': /"X" has two replacements/,
    'a = b {x: y z: w}': /expected , or } after the replacement of "x"/,
    'a = b {x: "y}': /a quote is not closed/,
    'a = b {x: 1': /expected , or }/,
    'a = b {': /a \{ is not closed/,
    'a = b split ,': /expected separators in quotes/,
    'a = b split ";", " + "': /such as split "," or split ";" " \+ "/,
    'a = b {"\\x": 1}': /unknown escape/,
  }))
    t.throws(() => parseMapping(wrong), { message: reason }, wrong)
})

t.test('a map file has comments, blocks and line numbers in its faults', async (t) => {
  const text =
    '\ufeff# Map\r\n\r\nStatus = approval_status {\r\n  erteilt: approved # 130×\r\n  # later }\r\n  offen:\r\n}\r\nB =\r\n'
  t.same(
    parseMappings(text).map(({ column, values }) => [column, [...values]]),
    [
      ['Status', [['erteilt', 'approved']]],
      ['B', []],
    ],
  )
  t.throws(() => parseMappings('a=b\n\na = b {\n x: y\n'), { message: /^line 3: / })
})

t.test('cells and texts of lists are replaced, split and emptied', async (t) => {
  const table = 'Nr;Name;Funk;Marke\n1;A;WLAN + bt;keine\n2;B;;Acme\n3;C;GPS;KEINE \n'
  const report = await take(table, 'products', [
    'Nr = id, model',
    'Name=name',
    'Funk = technologies {wlan: wifi, BT: bluetooth, GPS: null} split "+"',
    'Marke = brand {keine: null, "Acme": "Acme; Inc."}',
  ])
  t.match(report, { created: 3, bad: 0 })
  const rows = await read('products')
  t.match(rows.get('acme 1'), { model: '1', technologies: ['wifi', 'bluetooth'], brand: null })
  t.match(rows.get('acme 2'), { technologies: [], brand: 'Acme; Inc.' })
  t.match(rows.get('acme 3'), { technologies: [], brand: null })
})

t.test('a list has several separators, and the import warns of others', async (t) => {
  const header = 'id;number;approval_status;standards\n'
  const cells = ['EN 1 + RSS-247', '"EN 2;EN 3"', 'IEC 62368-1/A11', 'EN 4 / EN 5', 'EN 6 + EN 7,5']
  const table = `${header}${cells.map((cell, index) => `z${index};N;approved;${cell}\n`).join('')}`
  const plain = await take(table, 'certificates')
  t.match(plain, { created: 5, bad: 0, warnings: 3 })
  t.match(plain.warningLines, [
    {
      line: 2,
      reason:
        'standards: " + " is within a text, at which the list is not split; found "EN 1 + RSS-247"; if it separates, map the column with split ";" " + "',
    },
    { line: 5, reason: /" \/ " is within a text.*found "EN 4 \/ EN 5"/ },
    { line: 6 },
  ])
  t.match(plain.warningGroups.size, 2, 'counted by separator')
  const split = await take(table, 'certificates', [
    'standards = standards {"EN 4 / EN 5": "EN 4 / EN 5"} split ";" " + "',
  ])
  t.match(split, { updated: 2, bad: 0, warnings: 0 })
  const rows = await read('certificates')
  t.same(rows.get('acme z0')?.standards, ['EN 1', 'RSS-247'])
  t.same(rows.get('acme z1')?.standards, ['EN 2', 'EN 3'])
  t.same(rows.get('acme z2')?.standards, ['IEC 62368-1/A11'])
  t.same(rows.get('acme z3')?.standards, ['EN 4 / EN 5'], 'a replacement says that it is one text')
})

t.test('a wrong field has the nearest one, the field of a usual word, or all fields', async (t) => {
  const table = 'id,number,approval_status,x\na,N,approved,y\n'
  const reject = (field: string, reason: RegExp) =>
    t.rejects(take(table, 'certificates', [`x = ${field}`]), reason)
  await reject('normen', /no field is named "normen"; did you mean "standards"\?$/)
  await reject('farbe', /no field is named "farbe"; the fields are .*number, .*standards, [^;]*$/)
})

t.test('a suggested map lists the fields, and reads plurals and short words', async (t) => {
  const suggest = async (header: string, cells: string) =>
    formatMap(await suggestMap(toSource(`${header}\n${cells}\n`), { resource: 'certificates' }), '')
  const map = await suggest('Nr;Prüfgrundlagen;Status;Daten', 'Z-1;EN 1;abgelaufen;x')
  t.match(map, '\n# Fields of certificates:\n#   ')
  const listed = map
    .split('\n')
    .filter((line) => line.startsWith('#   '))
    .flatMap((line) => line.slice(4).split(' '))
  for (const field of ['id', 'number', 'standards', 'valid_until', 'customer'])
    t.ok(listed.includes(field), field)
  t.notOk(listed.includes('days_remaining'), 'computed fields have no column')
  t.match(map, '\nNr = id, number\n')
  t.match(map, '\nPrüfgrundlagen = standards\n')
  t.match(map, '\nDaten =\n')
  t.match(map, '\n# Expired is computed from valid_until: write approved for a word such as abgelaufen')
  t.equal(parseMappings(map).length, 4)
  const both = await suggest('Nr;Zertifikatsnummer', '1;Z-1')
  t.match(both, '\nZertifikatsnummer = id, number\n')
  t.match(both, '\nNr =\n', 'a better column has the number')
})

t.test('the separators of several cells are suggested', async (t) => {
  const suggest = async (cells: string[]) => {
    const rows = cells.map((cell, index) => `z${index};"${cell}"\n`)
    const map = formatMap(
      await suggestMap(toSource(`Zertifikatsnummer;Normen\n${rows.join('')}`), { resource: 'certificates' }),
      '',
    )
    t.equal(parseMappings(map).length, 2)
    return map.split('\n').find((line) => line.startsWith('Normen'))
  }
  t.equal(await suggest(['EN 1 + EN 2', 'EN 3 + EN 4', 'EN 5']), 'Normen = standards split " + "')
  t.equal(await suggest(['EN 1;EN 2', 'EN 3 + EN 4', 'EN 5 + EN 6']), 'Normen = standards split ";" " + "')
  for (const separator of [',', ' / ', '|', ' und ', ' and '])
    t.equal(
      await suggest([`EN 1${separator}EN 2`, `EN 3${separator}EN 4`]),
      `Normen = standards split "${separator}"`,
    )
  t.equal(await suggest(['EN 1;EN 2', 'EN 3;EN 4', 'EN 5 + EN 6']), 'Normen = standards')
  t.equal(await suggest(['IEC 62368-1/A11', 'IEC 62368-1/A12']), 'Normen = standards')
})

t.test('a map with values that the field does not have is refused before any write', async (t) => {
  const table = 'id,number,approval_status\na,N,erteilt\n'
  const reject = (mapping: string, reason: RegExp) =>
    t.rejects(take(table, 'certificates', [mapping]), reason)
  await reject(
    'approval_status = approval_status {erteilt: aproved}',
    /found "aproved"; did you mean "approved"\?/,
  )
  await reject('number = number split ","', /^The map of the table: the map splits number, which is no list/)
  await reject('number = id, nmber', /no field is named "nmber"; did you mean "number"/)
  t.equal((await read('certificates')).size, 0)
})

t.test('a replacement may have a date in the form of the table', async (t) => {
  const table = 'id;number;approval_status;Ende\na;N;approved;31.12.27\nb;N;approved;31.12.2028\n'
  const mapping = ['Ende = valid_until {31.12.27: 31.12.2027}']
  const report = await take(table, 'certificates', mapping, { dates: 'DD.MM.YYYY' })
  t.match(report, { created: 2, bad: 0 })
  t.match((await read('certificates')).get('acme a'), { valid_until: '2027-12-31' })
  await t.rejects(
    take(table, 'certificates', mapping),
    /^The map of the table: column "Ende", replacement of "31.12.27": valid_until: expected a date as YYYY-MM-DD; found "31.12.2027"/,
  )
  await t.rejects(
    take(table, 'certificates', ['Ende = valid_until {31.12.27: 31.11.2027}'], { dates: 'DD.MM.YYYY' }),
    /valid_until: no such day in the form DD.MM.YYYY; found "31.11.2027"$/,
  )
})

t.test('a day that does not exist is quoted as the cell has it', async (t) => {
  const days = {
    ' in the form DD.MM.YYYY': ['31.11.2027', '29.2.2027', '00.01.2027'],
    '': ['2027-02-30', '20270230', '31-NOV-2027'],
  }
  for (const [form, day] of Object.entries(days).flatMap(([form, days]) => days.map((day) => [form, day]))) {
    const table = `id;number;approval_status;valid_until\na;N;approved;${day}\n`
    const report = await take(table, 'certificates', [], { dates: 'DD.MM.YYYY' })
    t.match(report.badLines, [{ line: 2, reason: `valid_until: no such day${form}; found "${day}"` }])
  }
})

t.test('countries have names in English and German beside codes', async (t) => {
  for (const language of ['de', 'en']) {
    const names = new Intl.DisplayNames(language, { type: 'region' })
    for (const code of countryCodes) t.equal(findCountryCode(names.of(code) as string), code)
  }
  const others = {
    US: ['USA', 'U.S.A.', 'Vereinigte Staaten', 'United States of America', 'us'],
    KR: ['Südkorea', 'SUEDKOREA', 'Korea, Republic of'],
    GB: ['Großbritannien', 'Grossbritannien', 'Great Britain', 'uk', 'U.K.'],
    AE: ['VAE', 'UAE', 'Vereinigte Arabische Emirate'],
    CZ: ['Czech Republic', 'Tschechische Republik'],
    BA: ['Bosnia and Herzegovina', 'Bosnien & Herzegowina'],
    UK: ['UK'],
  }
  for (const [code, names] of Object.entries(others))
    for (const name of names) t.equal(findCountryCode(` ${name} `), code, name)
  for (const name of ['Kongo', 'Korea', 'Absurdistan', '', '-'])
    t.equal(findCountryCode(name), undefined, name)
  const table =
    'id;project_number;country_codes\na;N;Deutschland;Schweitz\nb;N;"Deutschland;KR;u.s."\nc;N;"Schweitz;Kongo"\n'
  const report = await take(table, 'projects')
  t.same((await read('projects')).get('acme b')?.country_codes, ['DE', 'KR', 'US'])
  t.match(report.badLines.at(-1), {
    line: 4,
    reason:
      /name in English or German; found "Schweitz"; did you mean "Schweiz" \(CH\)\?; .*found "Kongo"; did you mean CD or CG\?$/,
  })
})

t.test('a fault has the column of the table and the nearest known word', async (t) => {
  const table = [
    'Nr.;Zustand;Land;Gültig bis;Funk',
    '1;erteillt;Deutschlnad;31/12/2027;',
    '2;aproved;Kongo;31.12.2027;',
    '3;erteilt;DE;31.12.2027;x',
  ].join('\n')
  const mappings = [
    'Nr. = id, number',
    'Zustand = approval_status {erteilt: approved}',
    'Land = country_code',
    'Gültig bis = valid_until',
    'Funk = title {x: " y"}',
  ]
  const report = await take(table, 'certificates', mappings, { dates: 'DD.MM.YYYY' })
  const country = `country_code ("Land"): expected a country's code, or its name in English or German`
  const faults = report.badLines.map(({ reason }) => reason.replaceAll(/one of ("\w+"(, )?)+/g, 'one of …'))
  t.same(faults, [
    `${country}; found "Deutschlnad"; did you mean "Deutschland" (DE)?; valid_until ("Gültig bis"): expected a date as DD.MM.YYYY (--dates) or YYYY-MM-DD; found "31/12/2027"; approval_status ("Zustand") must be one of …; found "erteillt"; did you mean "erteilt"?`,
    `${country}; found "Kongo"; did you mean CD or CG?; approval_status ("Zustand") must be one of …; found "aproved"; did you mean "approved"?`,
  ])
  t.equal(report.badGroups.size, 3, 'a suggestion makes no other fault')
  t.match(report.warningLines, [{ line: 4, reason: /^title \("Funk"\): blanks at an end/ }])
})

t.test('a number that is no id leads to a formula', async (t) => {
  const table = 'Zertifikatsnummer;approval_status\nZH-2020/0001;approved\nZH-2020/0002;approved\n'
  const formula = '=SUBSTITUTE(A2,"/","-"), in German Excel =WECHSELN(A2;"/";"-")'
  const map = formatMap(await suggestMap(toSource(table), { resource: 'certificates' }), '')
  t.ok(map.includes(`${formula}\nZertifikatsnummer = number`))
  const report = await take(table, 'certificates', ['Zertifikatsnummer = id, number'])
  t.ok(report.badLines[0]?.reason.endsWith(`found "ZH-2020/0001"; add a column for the id with ${formula}`))
})

t.test('a fault of a map names the line, the column and the nearest value', async (t) => {
  const map =
    'id = id\nnumber = number\nS = approval_status {\n  # Words\n  erteilt: approved\n  offen: pendin\n  weg: zurueckgezogen\n}\n'
  const table = { resource: 'certificates', mappings: parseMappings(map) } as const
  const faulty = importFile(database.operator, toSource('id;number;S\na;N;weg\n'), {
    customer: 'acme',
    table,
  })
  const list = '"pending", .*"superseded"'
  await t.rejects(faulty, {
    message: new RegExp(
      `^The map of the table: line 6, column "S", replacement of "offen": approval_status must be one of ${list}; found "pendin"; did you mean "pending"\\?; line 7, column "S", replacement of "weg": approval_status must be one of ${list}; found "zurueckgezogen"$`,
    ),
  })
})

t.test('unbefristet is no date, but no end', async (t) => {
  const table = (column: string, text: string) =>
    `id,number,approval_status,${column}\na,N,approved,${text}\n`
  for (const text of ['unbefristet', 'Unlimited', ' UNBEGRENZT '])
    t.match(await take(table('valid_until', text), 'certificates', [], { dates: 'DD.MM.YYYY' }), { bad: 0 })
  t.match((await read('certificates')).get('acme a'), { valid_until: null })
  t.match(await take(table('issued_on', 'unbefristet'), 'certificates'), { bad: 1 })
})

t.test('a repeated fault shows the values found, with counts', async (t) => {
  const rows = Array.from(
    { length: 171 },
    (_, index) => `z${index};N;${index < 130 ? 'erteilt' : 'ausgesetzt'};31.01.2027`,
  )
  const input = ['id;number;approval_status;valid_until', ...rows].join('\n')
  const command = ['import', '-', '--resource', 'certificates', '--customer', 'acme']
  const { code, stderr } = await run(command, { env, input })
  t.equal(code, 1)
  t.match(stderr, 'line 2: approval_status must be one of "pending"')
  t.match(
    stderr,
    '… and 168 more lines with the same fault\n  found in these 171 lines: "erteilt" 130×, "ausgesetzt" 41×\n',
  )
  t.match(stderr, 'found in these 171 lines: "31.01.2027" 171×\n')
  const { stdout } = await run([...command, '--json'], { env, input })
  const [dates, statuses] = JSON.parse(stdout).bad_values
  t.match(dates, { lines: 171, values: [{ value: '31.01.2027', count: 171 }] })
  t.match(statuses, { lines: 171, others: 0 })
  t.same(statuses.values, [
    { value: 'erteilt', count: 130 },
    { value: 'ausgesetzt', count: 41 },
  ])
  const many = Array.from({ length: 150 }, (_, index) => `z${index};N;wort-${index}`)
  const other = await run(command, { env, input: ['id;number;approval_status', ...many].join('\n') })
  t.match(other.stderr, /"wort-9" 1×, others 140×\n/)
})

t.test('two rows with one id are a warning with both lines, and the last one counts', async (t) => {
  const input = 'id;name\na;one\nb;B\n"a";two\n'
  const command = ['import', '-', '--resource', 'products', '--customer', 'acme']
  const stderr = 'line 4: warning: id: line 2 has the same id, and this later line replaces it; found "a"\n'
  t.match(await run([...command, '--dry-run'], { env, input }), { code: 0, stdout: '2 created', stderr })
  t.match(await run(command, { env, input }), { code: 0, stdout: '2 created', stderr })
  t.match(await run(command, { env, input }), { code: 0, stdout: '3 unchanged', stderr })
  t.match((await read('products')).get('acme a'), { name: 'two' })
})

t.test('texts of a list have one fault, wherever they are', async (t) => {
  const report = await take('id,name,technologies\na,A,wifi;x\nb,B,x;y\n', 'products')
  const [group] = [...report.badGroups.values()]
  t.equal(report.badGroups.size, 1)
  t.same(
    [...(group?.found ?? [])],
    [
      ['"x"', 2],
      ['"y"', 1],
    ],
  )
  t.equal(group?.count, 2, 'lines, not texts')
})

t.test('a title above the header is recognised', async (t) => {
  const tables = {
    padded: { text: 'Produkte 2026;;\n;;\nid;name;brand\na;A;x\n', line: 3 },
    'not padded, with commas': { text: 'Produkte, Stand November, 2026\nid;name;brand\na;A;x\n', line: 2 },
    'in quotes, over two lines': { text: '"Produkte\n2026";;\nid;name;brand\na;A;x\n', line: 3 },
    'below sep=': { text: 'sep=;\nProdukte\n\nid;name;brand\na;A;x\n', line: 4 },
  }
  for (const [name, { text, line }] of Object.entries(tables)) {
    await query('truncate products')
    await t.rejects(
      take(text, 'products'),
      new RegExp(`seems to be in line ${line}. Add --header-line ${line}$`),
      name,
    )
    t.match(await take(text, 'products', [], { headerLine: line }), { created: 1, bad: 0 }, name)
  }
  const bad = take('id;nmae;brand\na;A;x\n', 'products')
  await t.rejects(bad, /no field is named "nmae"/, 'a wrong header is no title')
  await t.rejects(
    take(tables.padded.text, 'products', [], { headerLine: 2 }),
    /no row of the table begins in this line/,
  )
  const numbered = await take('Titel\nid,name\n,x\n', 'products', [], { headerLine: 2 })
  t.match(numbered.badLines, [{ line: 3, reason: 'id: required' }])
})

t.test('a map is suggested from names, values, dates and separators', async (t) => {
  const suggest = async (text: string, resource: 'products' | 'lab' | 'projects') =>
    suggestMap(toSource(text), { resource })
  const products = await suggest(
    'Article;#;Nmae;Bemerkung, intern;Funk\n1;A-1;x;"a ""b""";Wi-Fi, LTE\n2;A-2;y;;wifi\n3;A-3;z;;LTE,xyz\n',
    'products',
  )
  const map = formatMap(products, 'npx …')
  t.match(map, '\n"#" =\n')
  t.match(map, '\nNmae = name\n')
  t.match(map, /\n {2}LTE: +# 2×\n {2}Wi-Fi: wifi +# 1×\n {2}xyz: +# 1×\n\} split ","\n/)
  t.match(map, '# Required, but without a column: id.')
  t.same(
    parseMappings(map).map(({ column }) => column),
    ['Article', '#', 'Nmae', 'Bemerkung, intern', 'Funk'],
  )
  const running = formatMap(await suggest('id;name\n1;A\n2;B\n3;C\n', 'products'), '')
  t.match(running, '# id is a running number.')
  const dates = await suggest('Projektnummer;Bestellt am\nP/1;01/02/2026\n', 'projects')
  t.same(dates.dates, ['DD/MM/YYYY', 'MM/DD/YYYY'])
  t.match(formatMap(dates, ''), 'may be DD/MM/YYYY or MM/DD/YYYY: choose --dates')
  t.same(dates.missing, ['id'], 'the number is no id')
  await t.rejects(suggest('{"id": 1}', 'lab'), /JSON and is no table/)
})

t.test('a German house imports its table with a suggested map and a few edits', async (t) => {
  const encodings = {
    'windows-1252': Buffer.from(germanTable, 'latin1'),
    'utf-8': Buffer.from(`\ufeff${germanTable}`),
  }
  for (const [encoding, bytes] of Object.entries(encodings)) {
    const folder = t.testdir({ 'Zertifikate 2026.csv': bytes })
    const [table, map] = [join(folder, 'Zertifikate 2026.csv'), join(folder, 'zertifikate.map')]
    const cli = (...words: string[]) =>
      run(['import', table, '--resource', 'certificates', ...words], { env })

    t.match(await cli('--customer', 'acme'), {
      code: 1,
      stderr: /has a title: its header seems to be in line 3/,
    })
    const suggested = await cli('--customer', 'acme', '--suggest-map', map)
    t.match(suggested, { code: 0, stdout: /14 columns, 3 without a field; 5 unknown values; 300 rows/ })
    t.match(await cli('--suggest-map', map), { code: 1, stderr: /it exists, and may have your corrections/ })

    const next = suggested.stdout.trim().split('\n').at(-1) as string
    const words = [...next.matchAll(/"([^"]*)"|(\S+)/g)]
      .map(([, quoted, bare]) => quoted ?? (bare as string))
      .slice(3)
    const unedited = await run(words, { env })
    t.match(
      unedited,
      { code: 1, stderr: '"erteilt" 50×, "Erteilt" 50×', stdout: '0 created' },
      'the map as it is',
    )

    const meanings = {
      erteilt: 'approved',
      ausgesetzt: 'suspended',
      zurückgezogen: 'withdrawn',
      'in Prüfung': 'pending',
      erloschen: 'superseded',
    }
    let edited = await readFile(map, 'utf8')
    for (const [word, value] of Object.entries(meanings))
      edited = edited.replace(`  ${word}:`, `  ${word}: ${value}`)
    await writeFile(map, edited)
    t.match(await run(words, { env }), {
      code: 0,
      stdout: '300 lines (dry run, nothing written): 300 created',
      stderr: '',
    })
    const real = words.filter((word) => word !== '--dry-run')
    t.match(await run(real, { env }), { code: 0, stdout: '300 created', stderr: '' })
    t.match(await run(real, { env }), { stdout: '300 unchanged' }, 'again')

    const rows = await read('certificates')
    t.match(rows.get('acme Z-24000'), {
      number: 'Z-24000',
      title: 'Meßgerät "Größe 0"; Ausführung B',
      approval_status: 'approved',
      country_code: 'DE',
      authority: 'TÜV Süd',
      valid_from: '2024-01-01',
      valid_until: null,
      issued_on: '2023-01-01',
      holder: 'Müller & Söhne GmbH',
      standards: ['EN 55032', 'EN 61000-3-2'],
    })
    t.match(rows.get('acme Z-24009'), {
      approval_status: 'withdrawn',
      country_code: 'KR',
      valid_until: '2029-04-04',
    })
    t.equal(rows.size, 300, encoding)
    await query('truncate certificates')
  }
})
