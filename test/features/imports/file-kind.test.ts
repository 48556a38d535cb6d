import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type FileOptions, importFile } from '../../../app/features/imports/import-file.ts'
import { fileKind } from '../../../checks/fuzz/file-kind.ts'
import { run } from '../../command-line.ts'
import { certificate, getStream, openDatabase, product } from '../../import/database.ts'

const database = await openDatabase(t)
const { query } = database
const take = (lines: Parameters<typeof getStream>[0], options?: FileOptions) =>
  importFile(database.operator, getStream(lines), options)
const folder = join(import.meta.dirname, 'cases')
const env = { DATABASE_URL: database.url, DATA_DIR: t.testdir() }
const runImport = (path: string, args: string[] = []) => run(['import', path, ...args], { env })
t.beforeEach(() => query('truncate products, certificates, projects, lab; delete from customers'))

const messages: Readonly<Record<string, RegExp>> = {
  'array-one-line.json': /JSON array.*jq -c '\.\[\]'/,
  'array.json': /JSON array.*jq -c '\.\[\]'/,
  'cp850.csv': /not certain.*--encoding cp850 reads "Prüfgerät".*--encoding cp437.*iconv -f CP850 -t UTF-8/,
  'concatenated.json': /several JSON objects on one line.*jq -c \./,
  'cr-only.ndjson': /end with CR only.*tr /,
  'export.ndjson': /export of a customer.*customers import/,
  'gz.ndjson.gz': /gzip.*gunzip -c/,
  'latin1.ndjson': /Latin-1 or Windows-1252.*iconv -f WINDOWS-1252 -t UTF-8/,
  'pretty.json': /over several lines.*jq -c \./,
  'trailing-comma.ndjson': /comma after each object.*sed /,
  'utf16be-bom.ndjson': /UTF-16.*iconv -f UTF-16 -t UTF-8/,
  'utf16le-bom.ndjson': /UTF-16.*iconv -f UTF-16 -t UTF-8/,
  'wrapped.json': /records in "data".*jq -c '\.\["data"\]\[\]'/,
  'xlsx.ndjson': /Excel workbook \(XLSX\) or another zip archive.*"CSV UTF-8"/,
}

t.test('each other kind of file gets one message, from a file and from standard input', async (t) => {
  const good = ['bom-each.ndjson', 'comma.csv', 'excel-semicolon.csv']
  t.same(readdirSync(folder).sort(), [...Object.keys(messages), ...good].sort())
  for (const [name, message] of Object.entries(messages)) {
    const { code, stdout, stderr } = await runImport(join(folder, name))
    t.match({ code, stdout }, { code: 1, stdout: '' }, name)
    t.match(stderr, message, name)
    t.equal(stderr.trimEnd().split('\n').length, 1, name)
    await t.rejects(take([readFileSync(join(folder, name))]), message, `${name} from a stream`)
  }
  const told = await runImport(join(folder, 'array.json'), ['--json'])
  t.match(JSON.parse(told.stdout), { ok: false, error: messages['array.json'] })
  t.same(await query('select * from customers'), [])
})

t.test('a table with a column of resources is imported, from a file and from standard input', async (t) => {
  for (const name of ['comma.csv', 'excel-semicolon.csv']) {
    t.match(await runImport(join(folder, name)), { code: 0, stdout: /0 bad/ }, name)
    t.match(await take([readFileSync(join(folder, name))]), { created: 0, bad: 0 }, `${name} from a stream`)
  }
  await t.rejects(take(['customer\tid', 'acme\ta']), /table \(CSV\) without a column "resource"/)
})

t.test('a file without a byte order mark is recognised', async (t) => {
  const line = JSON.stringify(product('a', { name: 'Träger' }))
  const utf16 = Buffer.from(`${line}\n`, 'utf16le')
  await t.rejects(take([utf16]), /iconv -f UTF-16LE/)
  await t.rejects(take([Buffer.from(utf16).swap16()]), /iconv -f UTF-16BE/)
  await t.rejects(take([Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1])]), /workbook \(XLS\)/)
  await t.rejects(take([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])]), /not text/)
  await t.rejects(take(['', ' ', '{', '"resource": "products"', '}']), /over several lines/)
})

t.test('a wrapped document is recognised, over several lines and as a page of the API', async (t) => {
  const record = product('a')
  const page = { meta: { count: 1 }, data: [{ id: 'a', name: 'A' }] }
  for (const indent of [0, 2]) {
    const command = /jq -c '\.\["items"\]\[\]' file/
    await t.rejects(take([JSON.stringify({ total: 1, items: [record] }, null, indent)]), command)
    const adding = /with the name of their resource: jq -c '\.\["data"\]\[\] \+ \{resource: "products"\}'/
    await t.rejects(take([JSON.stringify(page, null, indent)]), adding)
  }
  const long = JSON.stringify({ data: Array.from({ length: 2000 }, (_, index) => product(String(index))) })
  await t.rejects(take([long]), /records in "data"/, 'also if it is longer than its checked start')
  const periods = [{ from: '2024-01-01', until: null, basis: 'initial' }]
  const line = { validity_periods: periods, ...certificate('a') }
  t.match(await take([line]), { created: 1, bad: 0 }, 'a record whose first field is a list of objects')
})

t.test('JSON lines in a code page of MS-DOS are not taken for Windows-1252', async (t) => {
  const line = Buffer.from(JSON.stringify(product('a', { name: 'Pr\u0081fger\u0084t' })), 'latin1')
  await t.rejects(take([line]), /code page of MS-DOS.*iconv -f CP850 -t UTF-8/)
})

t.test('a named pipe gets the same message', { skip: process.platform === 'win32' }, async (t) => {
  const pipe = join(t.testdir(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const writer = execFile('sh', ['-c', 'cat "$0" > "$1"', join(folder, 'gz.ndjson.gz'), pipe])
  t.match(await runImport(pipe), { code: 1, stderr: /gunzip/ })
  writer.kill()
})

t.test('the command in a message makes a file that can be imported', async (t) => {
  const hasJq = (() => {
    try {
      execFileSync('jq', ['--version'])
      return true
    } catch {
      return false
    }
  })()
  for (const name of Object.keys(messages)) {
    const { stderr } = await runImport(join(folder, name))
    const command = /: ((?:gunzip|iconv|tr|sed|jq) .*) \| npx --no certdata import -/.exec(stderr)?.[1]
    if (command === undefined || (command.startsWith('jq') && !hasJq)) continue
    const output = execFileSync('sh', ['-c', command.replace(/\bfile\b/, '"$0"'), join(folder, name)])
    const report = await take([output])
    t.ok(report.read > 0 && report.bad === 0, command)
  }
})

t.test('the kinds of the fuzzer’s examples are found', (t) => {
  for (const seed of fileKind.seeds) t.doesNotThrow(() => fileKind.check(Buffer.from(seed)))
  t.end()
})

t.test('JSON lines are never taken for another kind', async (t) => {
  const bom = readFileSync(join(folder, 'bom-each.ndjson'))
  t.match(await take([bom]), { bad: 0, created: 2 }, 'a byte order mark on each line')
  const good = JSON.stringify(product('a'))
  for (const first of ['["products"]', '{"resource": "products", ', '{"a": 1}}', 'x, y', '7', good]) {
    t.match(await take([first, good]), { read: 2 }, first)
  }
  t.match(await take([`${good}\r`]), { bad: 0 })
  const mixed = [
    JSON.stringify(product('a', { name: 'Träger' })),
    Buffer.from(good.replace('Product', 'Pr\xf6dukt'), 'latin1'),
  ]
  t.match(await take(mixed), { bad: 1, read: 2 })
})

t.test('a repeated fault is reported three times, then counted', async (t) => {
  const lines = Array.from({ length: 5000 }, (_, index) => ({ ...product(String(index)), colour: 'red' }))
  const input = [...lines, { ...product('x'), name: 7 }].map((line) => JSON.stringify(line)).join('\n')
  const { code, stderr } = await run(['import', '-'], { env, input })
  t.equal(code, 1)
  t.same(stderr.trimEnd().split('\n'), [
    ...[1, 2, 3].map((line) => `line ${line}: unknown field "colour"`),
    '… and 4,997 more lines with the same fault',
    'line 5001: name must be text; found a number',
  ])
})

t.test('an empty file is refused with --replace, and harmless without', async (t) => {
  await take([product('a')])
  for (const input of ['', '\n \n']) {
    t.match(await run(['import', '-', '--replace', '--force'], { env, input }), {
      code: 1,
      stderr: /file is empty/,
    })
    t.match(await run(['import', '-'], { env, input }), { code: 0, stdout: /^0 lines/ })
  }
  t.equal((await query('select * from products')).length, 1)
})

t.test('a file without customers gets one message, unless it needs none', async (t) => {
  const nameless = [1, 2, 3].map((id) => ({ ...product(String(id)), customer: undefined }))
  await t.rejects(take(nameless), /No line names a customer/)
  await t.rejects(take(nameless), /--customer <slug>/)
  t.match(await take(nameless, { customer: 'acme' }), { bad: 0 })
  t.match(await take([...nameless, product('a')]), { bad: 3, created: 1 })
  t.match(await take([{ resource: 'countries', id: 'XY' }]), { bad: 1 }, 'countries belong to no customer')
})
