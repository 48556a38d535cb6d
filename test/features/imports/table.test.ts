import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { cutMark } from '../../../app/export/xlsx/text.ts'
import { createDecoder, getEncodingLabel } from '../../../app/features/imports/code-pages.ts'
import { type FileOptions, importFile } from '../../../app/features/imports/import-file.ts'
import type { TableOptions } from '../../../app/features/imports/table/index.ts'
import { parseMapping } from '../../../app/features/imports/table/mapping.ts'
import { findDialect, parseRows, type TableRow } from '../../../app/features/imports/table/rows.ts'
import { listStoredFields } from '../../../app/import/record.ts'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import type { ResourceName } from '../../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../../app/records/resources/index.ts'
import { run } from '../../command-line.ts'
import { wildText } from '../../export/rows.ts'
import { asCustomer, createTestApp } from '../../helper.ts'
import {
  certificate,
  getStream,
  type Line,
  openDatabase,
  ownedResources,
  product,
} from '../../import/database.ts'

const database = await openDatabase(t)
const { query, read, fingerprint } = database
const env = { DATABASE_URL: database.url, DATA_DIR: t.testdir() }
const truncate = 'truncate certificates, products, projects, lab, approvals'
t.beforeEach(() => query(`${truncate}; delete from customers`))

const take = (lines: Parameters<typeof getStream>[0], options?: FileOptions) =>
  importFile(database.operator, getStream(lines), options)
const takeTable = (
  text: string | Uint8Array,
  table: TableOptions = { resource: 'products' },
  options: FileOptions = {},
) => {
  const source = ReadableStream.from([Buffer.from(text as string)])
  return importFile(database.operator, source, { customer: 'acme', table, ...options })
}
const names = async () => [...(await read('products')).values()].map(({ id, name }) => `${id} ${name}`).sort()
const single = async (resource = 'products') => [...(await read(resource)).values()][0]

/** Makes records with wild texts in every field that accepts any text. */
const makeRecords = (name: ResourceName): Line[] => {
  const { importing } = resources[name]
  const texts = fc.sample(wildText, { numRuns: 400, seed: 7 }).map((text) => text.slice(0, 200))
  let next = 0
  const takeText = () => texts[next++ % texts.length]
  return Array.from({ length: 20 }, (_, index) => {
    const line: Line = { resource: name, customer: 'acme', id: `wild-${index}` }
    for (const { name: field, kind, array, values, schema } of listStoredFields(resources[name])) {
      if (field === 'id' || kind !== 'text') continue
      const value = array ? Array.from({ length: index % 4 }, takeText) : takeText()
      if (values && importing.required.includes(field)) line[field] = values[0]
      else if (!values && schema.safeParse(value).success) line[field] = value
    }
    return name === 'approvals' ? { ...line, product_id: 'P-1', country_code: 'DE' } : line
  })
}

t.test('a CSV export imports unchanged, for every resource', async (t) => {
  const app = await createTestApp(database)
  t.teardown(() => app.close())
  const { get } = await asCustomer(database, app, 'acme')
  const { get: getCopy } = await asCustomer(database, app, 'copy')
  await loadReferenceData(database.operator)
  await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
  for (const name of ownedResources) {
    await query(`insert into ${name} select (json_populate_record(r, '{"customer_id": "acme"}')).*
      from ${name} r where customer_id = 'demo'`)
    t.match(await take(makeRecords(name)), { created: 20, bad: 0 }, name)
  }
  for (const name of resourceNames) {
    const { fields, sorts } = resources[name]
    const own = [...fields.keys()].filter((field) => !/_at$|approval_info/.test(field)).join(',')
    const url = `/v1/${name}?format=csv&sort=${sorts[0]}`
    const { body } = await get(url)
    const options = { table: { resource: name }, replace: true, force: true }
    const before = await fingerprint()
    const again = await takeTable(body, options.table, options)
    t.match(again, { created: 0, updated: 0, deleted: 0, bad: 0, unchanged: again.read }, name)
    t.ok(again.read > 20, name)
    t.strictSame(await fingerprint(), before, `${name} has the same row versions`)
    if (resources[name].reference) continue
    t.match(await takeTable(body, options.table, { customer: 'copy' }), { created: again.read, bad: 0 })
    t.equal((await getCopy(`${url}&fields=${own}`)).body, (await get(`${url}&fields=${own}`)).body, name)
  }
})

t.test('columns of other records are ignored, so an export with them imports unchanged', async (t) => {
  const app = await createTestApp(database)
  t.teardown(() => app.close())
  const { get } = await asCustomer(database, app, 'acme')
  const report = { resource: 'lab', customer: 'acme', id: 'r', report_number: 'R', status: 'issued' }
  await take([product('p', { brand: 'Own' }), { ...report, product_id: 'p' }])
  const own = [...resources.lab.fields.keys()].filter((name) => !/_at$/.test(name))
  const { body } = await get(`/v1/lab?format=csv&fields=${own},product.name,product.brand`)
  t.match(body, /Product p,Own/)
  t.match(await takeTable(body, { resource: 'lab' }), { bad: 0, updated: 0, created: 0, unchanged: 1 })
})

t.test('reads the cells of the shared vectors', async (t) => {
  type Vector = { name: string; kind: string; value: unknown; cell: string }
  const file = join(import.meta.dirname, '../../../clients/vectors/csv.json')
  const vectors: Vector[] = JSON.parse(readFileSync(file, 'utf8'))
  const take = async (column: string, { cell, name, value }: Vector) => {
    await takeTable(`id,name,${column}\r\nv,x,${cell}\r\n`)
    t.same((await single())?.[column], value, name)
  }
  for (const vector of vectors.filter(({ kind }) => kind === 'text')) await take('brand', vector)
  for (const vector of vectors.filter(({ kind }) => kind === 'list')) await take('part_numbers', vector)
})

t.test('the separators, line ends and encodings of spreadsheets are recognised', async (t) => {
  const rows = [
    ['id', 'name', 'tags'],
    ['a', 'Tröger "x"; y', 'm;n'],
    ['b', 'Straße,\tß', ''],
  ]
  const write = (delimiter: string, end = '\r\n') => {
    const quote = (cell: string) => (/[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
    return `${rows.map((cells) => cells.map(quote).join(delimiter)).join(end)}${end}`
  }
  const utf16 = Buffer.from(`\ufeff${write('\t')}`, 'utf16le')
  const tables: Record<string, string | Buffer> = {
    comma: write(','),
    semicolon: write(';'),
    tab: write('\t', '\n'),
    'lines that end with CR': write(';', '\r'),
    'no line end at the end': write(',').trimEnd(),
    'sep=': `sep=|\r\n${write('|')}`,
    'quoted sep=': `"sep=;"\n${write(';', '\n')}`,
    'UTF-8 with mark': `\ufeff${write(';')}`,
    'UTF-16LE': utf16,
    'UTF-16BE': Buffer.from(utf16).swap16(),
    'UTF-16LE without mark': utf16.subarray(2),
    'UTF-16BE without mark': Buffer.from(utf16.subarray(2)).swap16(),
    'Windows-1252': Buffer.from(write(';'), 'latin1'),
    'nameless columns and rows without values at the end': `${write(';').replaceAll('\r\n', ';;\r\n')};;;;\r\n\r\n`,
  }
  for (const [name, table] of Object.entries(tables)) {
    await query(truncate)
    t.match(await takeTable(table), { created: 2, bad: 0, warnings: 0 }, name)
    t.same(await names(), ['a Tröger "x"; y', 'b Straße,\tß'], name)
    t.same((await read('products')).get('acme a')?.tags, ['m', 'n'], name)
  }
})

t.test('an uncertain encoding must be named', async (t) => {
  const french = Buffer.from('id,name\na,Citroën à la carte\n', 'latin1')
  await t.rejects(takeTable(french), /not certain.*--encoding windows-1252 reads "Citroën"/)
  const cyrillic = Buffer.from([...Buffer.from('id,name\na,'), 0xe4, 0xee, 0xec, 0x0a])
  await t.rejects(takeTable(cyrillic), /not certain/)
  await takeTable(french, { resource: 'products', encoding: 'windows-1252' })
  t.same(await names(), ['a Citroën à la carte'])
  const utf8 = Buffer.from('id,name\na,Citroën\n')
  await t.rejects(
    takeTable(utf8, { resource: 'products', encoding: 'windows-1252' }),
    /is UTF-8, not windows/,
  )
  const euro = Buffer.from([...Buffer.from('id,name\na,'), 0x80, 0x0a])
  await takeTable(euro, { resource: 'products', encoding: 'windows-1252' })
  t.same(await names(), ['a €'])
  const alike = Buffer.from('id,name\na,Ã© Grün\n', 'latin1')
  await takeTable(alike, { resource: 'products', encoding: 'windows-1252' })
  t.same(await names(), ['a Ã© Grün'], 'although one pair of bytes is a letter in UTF-8')
  const late = Buffer.concat([
    Buffer.from(`id,name\n${`a,${'x'.repeat(1000)}\n`.repeat(70)}b,Gr`),
    Buffer.from([0xfc]),
    Buffer.from('n\nc,\ufffd\n'),
  ])
  await query(truncate)
  const report = await takeTable(late)
  t.match(report, { created: 2, badLines: [{ line: 72, reason: /^name: not UTF-8.*windows-1252/ }] })
  const odd = Buffer.from('\ufeffid,name\na,b\n', 'utf16le')
  await t.rejects(takeTable(Buffer.concat([odd, Buffer.from([0x00])])), /not utf-16le throughout/)
})

t.test('a guessed encoding needs plausible text', async (t) => {
  const toBytes = (label: string, text: string) => {
    const letters = createDecoder(label, { fatal: false })(
      Uint8Array.from({ length: 256 }, (_, byte) => byte),
    )
    return Buffer.from([...text].map((letter) => letters.indexOf(letter)))
  }
  const words = [
    'Prüfgerät',
    'für Köln',
    'Straße',
    'Gr\u00f6\u00dfe',
    'Übung über',
    'señor',
    'café',
    'Äpfel',
    'así',
    'más',
  ]
  for (const label of ['cp850', 'cp437']) {
    for (const word of words) {
      const table = toBytes(label, `id,name\na,${word}\n`)
      await t.rejects(takeTable(table), /not certain.*--encoding cp850.*iconv -f CP850/, `${label} ${word}`)
      await query(truncate)
      await takeTable(table, { resource: 'products', encoding: label })
      t.same(await names(), [`a ${word}`], label)
    }
  }
  for (const word of ['„Prüfgerät“', 'Straße', 'Gerät™', 'Übung – über', '10 €', 'année d’été', 'Fábrica']) {
    await query(truncate)
    await takeTable(toBytes('windows-1252', `id,name\na,${word}\n`))
    t.same(await names(), [`a ${word}`])
  }
  const late = [
    Buffer.from(`id,name\na,Gr\xfcn\n${`a,${'x'.repeat(1000)}\n`.repeat(70)}b,Gr\x81n\n`, 'latin1'),
  ]
  const source = ReadableStream.from(late)
  const options = { customer: 'acme', table: { resource: 'products' } } as const
  await t.rejects(importFile(database.operator, source, options), /not windows-1252 throughout/)
})

t.test('the usual encodings can be named', async (t) => {
  const bytes = { 850: 0x81, IBM437: 0x81, cp852: 0x81, cp858: 0x81, macroman: 0x9f, 'iso-8859-1': 0xfc }
  const more = { 'iso-8859-15': 0xfc, 'latin-9': 0xfc, 'windows-1250': 0xfc, cp1252: 0xfc, ansi: 0xfc }
  for (const [name, byte] of Object.entries({ ...bytes, ...more })) {
    await query(truncate)
    const table = Buffer.from(`id,name\na,Gr${String.fromCharCode(byte)}n\n`, 'latin1')
    await takeTable(table, { resource: 'products', encoding: getEncodingLabel(name) })
    t.same(await names(), ['a Grün'], name)
  }
  t.equal(createDecoder('cp858', { fatal: true })(Uint8Array.of(0xd5)), '€')
  t.equal(getEncodingLabel('UTF-16'), 'utf-16le')
  t.equal(getEncodingLabel('windows-1251'), 'windows-1251')
  t.throws(() => getEncodingLabel('cp999'), /expected a name such as/)
})

t.test('parses local dates in the given form', async (t) => {
  const table = (date: string) => `id;number;approval_status;valid_until\na;N;approved;${date}\n`
  const takeDate = async (dates: string | undefined, date: string) => {
    const report = await takeTable(table(date), { resource: 'certificates', ...(dates ? { dates } : {}) })
    return report.badLines[0]?.reason ?? (await single('certificates'))?.valid_until
  }
  t.equal(await takeDate('DD.MM.YYYY', '31.01.2027'), '2027-01-31')
  t.equal(await takeDate('DD.MM.YYYY', '1.2.2027'), '2027-02-01')
  t.equal(await takeDate('D.M.YYYY', '2027-03-04'), '2027-03-04')
  t.equal(await takeDate('MM/DD/YYYY', '02/03/2027'), '2027-02-03')
  t.equal(await takeDate('DD. MM. YYYY', '5. 6. 2027'), '2027-06-05')
  t.equal(await takeDate('YYYY/MM/DD', '2027/7/8'), '2027-07-08')
  t.match(
    await takeDate('DD.MM.YYYY', '1/2/2027'),
    'valid_until: expected a date as DD.MM.YYYY (--dates) or YYYY-MM-DD; found "1/2/2027"',
  )
  t.match(
    await takeDate('DD.MM.YYYY', '31.02.2027'),
    /^valid_until: no such day in the form DD.MM.YYYY; found "31.02.2027"$/,
  )
  t.match(
    await takeDate('DD/MM/YYYY', '01/31/2027'),
    /^valid_until: no such day in the form DD\/MM\/YYYY; found/,
  )
  t.match(
    await takeDate(undefined, '31.01.2027'),
    /YYYY-MM-DD; found "31.01.2027"; for another form add --dates/,
  )
})

t.test('dates of SAP, Oracle and Access are read, and any other one is shown', async (t) => {
  const takeDate = async (date: string, dates?: string) => {
    const table = `id;number;approval_status;valid_until\na;N;approved;${date}\n`
    const report = await takeTable(table, { resource: 'certificates', dates })
    return report.badLines[0]?.reason ?? (await single('certificates'))?.valid_until
  }
  for (const date of [
    '20260131',
    '2026-01-31 00:00:00',
    '2026-01-31T00:00:00.000',
    '31-JAN-2026',
    ' 2026-01-31 ',
  ])
    t.equal(await takeDate(date), '2026-01-31', date)
  t.equal(await takeDate('20260131', 'DD.MM.YYYY'), '2026-01-31')
  t.equal(await takeDate('31-DEZ-2026'), '2026-12-31')
  t.match(await takeDate('31-JAN-26'), /found "31-JAN-26"; for another form add.*--dates DD-MON-YY$/)
  t.equal(await takeDate('31-JAN-26', 'DD-MON-YY'), '2026-01-31')
  t.equal(await takeDate('1-MAI-99', 'DD-MON-YY'), '1999-05-01')
  for (const date of ['2026-01-31 13:45:00', '00000000', '20261301', '31-FOO-2026', '2026131', '46053'])
    t.match(await takeDate(date), new RegExp(`found "${date}"`), date)
  t.match(await takeDate('31\u00a0Jan'), /found "31\\u00a0Jan"/, 'escaped')
})

t.test('rows that are no records are bad', async (t) => {
  const header = 'id,name,brand,part_numbers'
  const report = await takeTable(
    [
      header, // 1
      'a,A,Total,', // 2
      header, // 3
      'b,#N/A,,', // 4
      'c,C,#WERT!,', // 5
      'd,D,,4711;#BEZUG!', // 6
      'e,#1,,', // 7
      'Total,2 products,,', // 8
      'Gesamtergebnis,2,,', // 9
      ',Summe:,12,', // 10
      'Total,Total Station,,', // 11
      'f,F,########,', // 12
    ].join('\n'),
  )
  t.same(
    report.badLines.map(({ line, reason }) => `${line} ${reason}`),
    [
      '3 the header once more, which is no record',
      '4 name: an error of the spreadsheet; found "#N/A"; correct the cell',
      '5 brand: an error of the spreadsheet; found "#WERT!"; correct the cell',
      '6 part_numbers: an error of the spreadsheet; found "4711;#BEZUG!"; correct the cell',
      '8 a total, which is no record; found "Total"',
      '9 a total, which is no record; found "Gesamtergebnis"',
      '10 a total, which is no record; found "Summe:"',
      '12 brand: an error of the spreadsheet; found "########"; correct the cell',
    ],
  )
  t.same(await names(), ['Total Total Station', 'a A', 'e #1'])
  const [group] =
    report.badGroups.get('brand: an error of the spreadsheet; found; correct the cell')?.first ?? []
  t.equal(group?.line, 5, 'one fault, whatever was found')
})

t.test('characters that are not seen are warned of, or trimmed with a count', async (t) => {
  const table =
    'id,name,part_numbers,brand\na,A,4711; 4712,x\nb,\u00a0\u00a0B,4713 ,x\u200b\nc,EN\u00a0300,1\u200b2,Pr\u0081fen\n'
  const kept = await takeTable(table)
  t.same(
    kept.warningLines.map(
      ({ line, reason }) => `${line} ${reason.replace(/, which[^;]*|, as of.*encoding/, '')}`,
    ),
    [
      '2 part_numbers: blanks at an end; found " 4712"; --trim removes them',
      '3 name: blanks at an end; found "\\u00a0\\u00a0B"; --trim removes them',
      '3 part_numbers: blanks at an end; found "4713 "; --trim removes them',
      '3 brand: blanks at an end; found "x\\u200b"; --trim removes them',
      '4 name: a no-break space or a character without width; found "EN\\u00a0300"',
      '4 part_numbers: a no-break space or a character without width; found "1\\u200b2"',
      '4 brand: a control or replacement character; found "Pr\\u0081fen"',
    ],
  )
  t.equal(kept.trimmed, 0)
  t.same((await read('products')).get('acme a')?.part_numbers, ['4711', ' 4712'], 'kept')
  t.match(await takeTable(table, undefined, { trim: true }), { updated: 2, trimmed: 4, warnings: 3 })
  t.same((await read('products')).get('acme a')?.part_numbers, ['4711', '4712'])
  t.match((await read('products')).get('acme b'), { name: 'B', part_numbers: ['4713'], brand: 'x' })
  const line = product('d ', { tags: ['x\u2060'], product_status: ' active' })
  t.match(await take([line]), { bad: 1, badLines: [{ reason: /found "d ".*found " active"/ }] })
  t.match(await take([line], { trim: true }), { created: 1, trimmed: 4, warnings: 0 })
  const env = { DATABASE_URL: database.url, DATA_DIR: t.testdir() }
  const input = 'id,name\ne , E\n'
  const words = ['import', '-', '--resource', 'products', '--customer', 'acme', '--trim']
  t.match(await run(words, { env, input }), { code: 0, stdout: /1 created.*; blanks removed from 2 texts/ })
})

t.test('whole numbers may have decimals that are zero', async (t) => {
  const takeRevision = async (revision: string) => {
    const report = await takeTable(`id;report_number;status;revision\na;R;draft;${revision}\n`, {
      resource: 'lab',
    })
    return report.badLines[0]?.reason ?? (await single('lab'))?.revision
  }
  t.equal(await takeRevision('2.0'), 2)
  t.equal(await takeRevision('3,00'), 3)
  t.equal(await takeRevision('1.5'), 'revision: expected a whole number; found "1.5"')
})

t.test('an XLSX export that was saved as CSV imports', async (t) => {
  const table = (periods: string) =>
    `id,number,approval_status,validity_periods,standards,expiring\na,N,approved,${periods},EN 1;EN 2,FALSE\n`
  const options = { resource: 'certificates' } as const
  t.match(await takeTable(table('2024-01-01 to 2099-12-31 (initial)'), options), { bad: 0, warnings: 0 })
  t.match(await single('certificates'), { valid_from: '2024-01-01', valid_until: '2099-12-31' })
  const two = '2024-01-01 to 2024-12-31 (initial); 2025-01-01 to unlimited (renewal)'
  t.match(await takeTable(table(two), options), { bad: 0, warnings: 0 })
  t.match(await single('certificates'), {
    validity_periods: [{ until: '2024-12-31' }, { from: '2025-01-01', until: null, basis: 'renewal' }],
  })
  t.match(await takeTable(table('2024-01-01 to 2024-12-31'), options), { badLines: [{ reason: /not JSON/ }] })
  t.match(await takeTable(table('2024-01-01 to 2024-12-31 (x)'), options), {
    badLines: [{ reason: /basis must be one of "initial".*; found "x"/ }],
  })
  const cut = await takeTable(`id,name\na,"${'x'.repeat(100)}${cutMark}"\n`)
  t.match(cut.badLines, [{ reason: /has cut this text; import the CSV export/ }])
})

t.test('warns of numbers that Excel has changed', async (t) => {
  const report = await takeTable(
    'id,name,part_numbers,model\na,x,"1,23E+12",1.5\nb,x,4711;99,\nc,x,0815;99999,\nd,x,12,7\ne,x,4.00639E+12,08\n',
  )
  t.same(
    report.warningLines.map(({ line, reason }) => `${line} ${reason}`),
    [
      '2 part_numbers: 1,23E+12 is a number that Excel has shortened',
      '4 part_numbers: Excel may have removed zeros from 99 (line 3): line 4 has 0815; this is reported once',
      '6 part_numbers: 4.00639E+12 is a number that Excel has shortened',
      '6 model: Excel may have removed zeros from 7 (line 5): line 6 has 08; this is reported once',
    ],
  )
  t.equal(report.created, 5)
})

t.test('maps columns to the given fields', async (t) => {
  const table = 'Nr.;Article no.;Name (de) = en;Notes\n1;A-1;Gerät;internal\n'
  const mappings = ['Nr.=id', 'Article no.=part_numbers', 'Name (de) = en=name', 'Notes='].map(parseMapping)
  t.match(await takeTable(table, { resource: 'products', mappings }), { created: 1, bad: 0 })
  t.match(await single(), { id: '1', name: 'Gerät', part_numbers: ['A-1'] })
})

t.test('all faults of a header are reported before any write', async (t) => {
  const reject = async (header: string, faults: RegExp, mappings: string[] = []) => {
    const table = { resource: 'products', mappings: mappings.map(parseMapping) } as const
    await t.rejects(takeTable(`${header}\na,b,c\n`, table), faults, header)
    t.same(await names(), [])
  }
  await reject(
    'id,name,colour',
    /header of the table: no field is named "colour"; the fields are resource, .*brand, .*$/,
  )
  await reject('id,name,Part Number', /no field is named "Part Number"; did you mean "part_numbers"\?/)
  await reject('id,nmae,brand', /no field is named "nmae"; did you mean "name"\?; name has no column/)
  await reject('id,name,name', /name has 2 columns: "name", "name"/)
  await reject('id,,name', /no field is named ""/)
  await reject('id,name,x', /name has 2 columns: "name", "x"/, ['x=name'])
  await reject('id,name,x', /no field is named "nam"; did you mean "name"/, ['x=nam'])
  await reject('id,name,Artikel', /the map names "Artikle", which is no column; did you mean "Artikel"/, [
    'Artikle=model',
  ])
  await reject('id,name,x', /the map names "x" twice/, ['x=model', 'x=brand'])
  await reject('id,name,"x', /header of the table: a quote is not closed/)
  await reject('{"id": 1}', /JSON and is no table/)
  await t.rejects(takeTable('id,name\na,b\n', {}), /without a column "resource".*--resource/)
  await t.rejects(take(['id,name\na,b'], { table: { resource: 'products' } }), /--customer <slug>/)
})

t.test('a column of resources and customers needs no options', async (t) => {
  const rows = [
    'resource;customer;customer_name;id;name;number;approval_status;validity',
    'products;acme;Acme GmbH;a;one;;;',
    'certificates;other;;b;;N-1;approved;void',
    'products;acme;;c;two;N-2;;',
    'widgets;acme;;d;x;;;',
  ]
  const report = await take(rows)
  t.match(report, {
    created: 2,
    badLines: [
      { line: 4, reason: 'unknown field "number"' },
      { line: 5, reason: /^resource: expected one of/ },
    ],
  })
  const only = await take(rows, { table: { resource: 'products' }, customer: 'acme' }).catch((error) => error)
  t.match(only.message, /no field is named "number"/)
  const other = await take(['resource,id,name', 'lab,a,x', ',b,y'], {
    table: { resource: 'products' },
    customer: 'acme',
  })
  t.match(other, {
    created: 1,
    badLines: [{ line: 2, reason: 'resource: this import is for products only' }],
  })
})

t.test('reports bad rows with their first line and imports all others', async (t) => {
  const divided =
    '; a line break within a cell may have divided the row: write such a cell in quotes, or save the table as CSV again'
  const report = await takeTable(
    [
      'id,name,brand', // 1
      '"a","two\r\nlines",x', // 2, 3
      '', // 4
      'b,5" display,x', // 5
      'c,"""quoted""",x', // 6
      'd,short', // 7
      'e,long,x,y', // 8
      '"multi', // 9
      'line",f,x', // 10
      'g,"a"b,x', // 11
      'h,nul \0,x', // 12
      'i,ok,x,,', // 13
      ',no id,x', // 14
      'j,"open', // 15
      'k",x', // 16
      'l,"a"b', // 17
      'm",x', // 18
      'n,ok,x', // 19
      'o,"lost,x', // 20
      'p,"x"y,x', // 21
      'q,last,x', // 22
      'r,"never closed', // 23
    ].join('\r\n'),
  )
  t.same(
    report.badLines.map(({ line, reason }) => `${line} ${reason.replace(/(?<=expected at).*/, '')}`),
    [
      `7 expected 3 cells as in the header; found 2${divided}`,
      '8 expected 3 cells as in the header; found 4; a cell may contain the separator: write such a cell in quotes, or save the table as CSV again',
      '9 id: expected 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone; found "multi\\r\\nline"',
      '11 text after a closing quote in this line: double each quote within a cell',
      '12 name: expected at',
      '14 id: required',
      '17 text after a closing quote in this line: double each quote within a cell',
      `18 expected 3 cells as in the header; found 2${divided}`,
      '20 text after a closing quote in lines 20 to 21: double each quote within a cell',
      '23 a quote is not closed',
    ],
  )
  t.same(await names(), [
    'a two\r\nlines',
    'b 5" display',
    'c "quoted"',
    'i ok',
    'j open\r\nk',
    'n ok',
    'q last',
  ])
})

t.test('rows and line numbers do not depend on how a file is split into chunks', async (t) => {
  const piece = fc.constantFrom('"', '""', ',', ';', '\t', '\r', '\n', '\r\n', 'x', 'é', '😀', "'", '\\')
  const cell = fc.option(fc.array(piece, { maxLength: 4 }).map((parts) => parts.join('')))
  const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 })
  const cut = async function* (bytes: Buffer, size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const property = fc.asyncProperty(
    rows,
    fc.constantFrom('\r\n', '\n', '\r'),
    fc.constantFrom(',', ';', '\t'),
    fc.integer({ min: 1, max: 9 }),
    async (rows, rowEnd, delimiter, size) => {
      const table = [['a', 'b', 'c'], ...rows]
      const quote = (cell: string | null) => (cell === null ? '' : `"${cell.replaceAll('"', '""')}"`)
      const text = table.map((cells) => cells.map(quote).join(delimiter)).join(rowEnd)
      const lineEnd = rowEnd.at(-1) as string
      let line = 1
      const expected = table.map((cells) => {
        const start = line
        line += cells.join('').split(lineEnd).length
        return { line: start, cells }
      })
      const found: TableRow[] = []
      for await (const row of parseRows(cut(Buffer.from(text), size), findDialect(text))) found.push(row)
      const isBlank = ({ cells }: TableRow) => cells.every((each) => each === null)
      return isDeepStrictEqual(
        found,
        expected.filter((row) => !isBlank(row)),
      )
    },
  )
  await t.resolves(fc.assert(property, { numRuns: 300 }))
})

t.test('an unclosed quote does not use memory', async (t) => {
  const chunk = Buffer.alloc(2 ** 20, 'x')
  const endless = async function* () {
    yield Buffer.from('id,name\na,b\nc,"')
    for (let index = 0; index < 512; index++) yield chunk
  }
  const options = { customer: 'acme', table: { resource: 'products' } } as const
  await t.rejects(importFile(database.operator, endless(), options), /line 3: longer than 1048576/)
})

t.test('--replace deletes records of the table’s resource only', async (t) => {
  const lines = ['a', 'b', 'c'].map((id) => product(id))
  await take([...lines, certificate('x')])
  const report = await takeTable('id,name\na,x\nb,y\n', undefined, { replace: true })
  t.match(report, { updated: 2, deleted: 1, deletionRefused: null })
  t.equal((await read('certificates')).size, 1)
  const bad = await takeTable('id,name,parent_product_id\na,x,../\n', undefined, {
    replace: true,
    force: true,
  })
  t.match(bad, { bad: 1, deleted: 1 })
  t.same(await names(), ['a x'], 'a bad row keeps its record')
  await t.rejects(takeTable('id,name\n', undefined, { replace: true }), /file is empty/)
  t.match(await takeTable('id,name\n'), { read: 0 })
  t.match(await takeTable(''), { read: 0 })
})

t.test('the command reads a file by its name, or standard input by --resource', async (t) => {
  const folder = t.testdir({
    'products.csv': 'Nr.;name;Bemerkung\na;Träger;x\n',
    'fields.txt': 'Nr.=id\n\nBemerkung=\n',
    'workbook.xlsx': Buffer.from('PK\u0003\u0004'),
    'data.csv': `${JSON.stringify(product('a'))}\n`,
  })
  const file = join(folder, 'products.csv')
  const cli = (words: string[], input = '') => run(['import', ...words, '--customer', 'acme'], { env, input })
  t.match(await cli([file]), { code: 1, stderr: /--resource products/ })
  const mapped = ['--resource', 'products', '--map-file', join(folder, 'fields.txt')]
  t.match(await cli([file, ...mapped, '--dry-run']), { code: 0, stdout: /^1 line \(dry run.*1 created/ })
  t.same(await names(), [])
  t.match(await cli([file, ...mapped]), { code: 0, stdout: /1 created/ })
  const input = 'id,name,x\nb,y,\n'
  t.match(await cli(['-', '--resource', 'products', '--map', 'x='], input), { code: 0, stdout: /1 created/ })
  t.same(await names(), ['a Träger', 'b y'])
  t.match(await cli([join(folder, 'workbook.xlsx')]), { code: 1, stderr: /"CSV UTF-8"/ })
  t.match(await cli([join(folder, 'data.csv')]), { code: 1, stderr: /JSON and is no table/ })
  t.match(await cli([file, '--map-file', folder]), { code: 1, stderr: /cannot be used as --map-file/ })
  for (const wrong of [
    ['--resource', 'widgets'],
    ['--dates', 'DD.MM.YY'],
    ['--dates', 'DDMMYYYY'],
    ['--encoding', 'x'],
    ['--map', 'id'],
  ])
    t.match(await cli([file, ...wrong]), { code: 2 }, wrong.join(' '))
})
