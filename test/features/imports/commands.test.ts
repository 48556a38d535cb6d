import { sql } from 'kysely'
import t from 'tap'
import { type RunOptions, run } from '../../command-line.ts'
import { closeAfter, connectOwner, createTestDatabase, secretKey } from '../../helper.ts'
import { testPostgres } from '../../servers.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, DATA_DIR: t.testdir() }
const cli = (words: string, options: RunOptions = {}) => run(words.split(' '), { env, ...options })
const json = async (words: string, options: RunOptions = {}) =>
  JSON.parse((await cli(`${words} --json`, options)).stdout)
await json('customers add acme')

t.test('the example file has every resource of a customer and no bad line', async (t) => {
  const report = await json('import examples/records.ndjson --customer acme --dry-run')
  t.match(report, { read: 10, created: 10, bad: 0, warnings: 0, dry_run: true })
  t.match((await json('customers show acme')).records, { certificates: 0, products: 0 })
  t.match(await json('import examples/records.ndjson --customer acme'), { created: 10, bad: 0 })
  const { records } = await json('customers show acme')
  t.strictSame(records, { certificates: 2, products: 2, projects: 1, lab: 2, approvals: 3 })
  t.match(await json('import examples/records.ndjson --customer acme'), { created: 0, unchanged: 10 })
})

t.test('the trail marks imports that wrote nothing, and shows one action alone', async (t) => {
  await cli('import examples/records.ndjson --customer acme --dry-run')
  await cli('import examples/records.ndjson --customer acme')
  const [header = '', real = '', dry = ''] = (await cli('audit list --action import')).stdout.split('\n')
  t.match(header, 'action')
  t.match(dry, /import \(dry run\)/)
  t.match(real, /import/)
  t.notMatch(real, /dry run/)
  const actions = (await json('audit list --action import')).map((each: { action: string }) => each.action)
  t.same([...new Set(actions)], ['import'])
  t.match(await cli('audit list --action nothing'), { code: 2, stderr: /login/ })
  t.match(await cli('audit list --since 01.11.2026'), { code: 2, stderr: /such as 2026-12-01/ })
})

t.test('a customer created by an import is reported, because its slug may be misspelt', async (t) => {
  const { stdout } = await cli('import examples/records.ndjson --customer acm --dry-run')
  t.match(stdout, /; 1 new customer, on plan basic$/m)
  t.notMatch((await cli('import examples/records.ndjson --customer acme --dry-run')).stdout, 'new')
})

t.test('standard input is read; bad lines are named and make the exit code 1', async (t) => {
  const lines = ['{"resource":"products","id":"z","name":"Z"}', '{"resource":"products","id":"y"}', 'x']
  const input = lines.join('\n')
  const { code, stdout, stderr } = await cli('import - --customer acme', { input })
  t.equal(code, 1)
  t.match(stdout, /^3 lines: 1 created, .*2 bad/)
  t.match(stderr, /line 2: name: required\nline 3, column 1: not JSON: expected a value\n/)
  t.notOk(stderr.includes('\u001b') || stderr.includes('█'), 'no progress bar without a terminal')
  const watched = await cli('import - --customer acme', { input, isWatched: true })
  const [bar, ...redrawn] = watched.stderr.split('\r\u001b[K').slice(1)
  t.match(bar, /^0 lines, \d+\/s$/, 'a bar on a terminal')
  t.match(redrawn.at(-1), /^line 2: /, 'which is removed')
  const report = JSON.parse((await cli('import - --customer acme --json', { input })).stdout)
  t.match(report, {
    read: 3,
    unchanged: 1,
    bad: 2,
    bad_lines: [
      { line: 2, reason: 'name: required' },
      { line: 3, column: 1, reason: /^not JSON/ },
    ],
  })
})

t.test('replace refuses to delete over half of the records, unless forced', async (t) => {
  const input = '{"resource":"products","customer":"acme","id":"z","name":"Z"}'
  t.match(await cli('import - --replace', { input }), { code: 1, stderr: /nothing deleted: 10 of the 11/ })
  t.match(await json('import - --replace', { input }), { deleted: 0, deletion_refused: /10 of the 11/ })
  t.match(await cli('import - --replace --force', { input }), { code: 0, stderr: /^not in the file: acme / })
  t.match((await json('customers show acme')).records, { products: 1, certificates: 0 })
})

t.test('replace names the first ten records that it deletes', async (t) => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      JSON.stringify({ resource: 'products', customer: 'named', id: `p${index + 10}`, name: 'x' }),
    ).join('\n')
  await cli('import -', { input: lines(30) })
  const named = Array.from({ length: 10 }, (_, index) => `named products p${index + 28}`).join(', ')
  const stderr = `not in the file: ${named} and 2 more\n`
  t.match(await cli('import - --replace --dry-run', { input: lines(18) }), { stderr, stdout: '12 deleted' })
  const { missing } = await json('import - --replace', { input: lines(18) })
  t.equal(missing.length, 10)
  t.same(missing[0], { resource: 'products', customer: 'named', id: 'p28' })
})

t.test('a missing file is refused', async (t) => {
  t.match(await cli('import nowhere.ndjson'), {
    code: 1,
    stdout: /^$/,
    stderr: /nowhere.ndjson cannot be read: there is no such file or folder/,
  })
  t.match(await cli('import app'), { code: 1, stdout: /^$/, stderr: /app cannot be read: it is a folder/ })
  t.match(await cli('import package.json/x'), { code: 1, stderr: /a part of its path is no folder/ })
  t.match(await cli('import - --map-file nowhere.map'), {
    code: 1,
    stderr: /--map-file: there is no such file/,
  })
  t.match(await cli('custom check nowhere.yaml'), {
    code: 1,
    stderr: /cannot be read: there is no such file/,
  })
  t.match(await cli('keys add-client acme --jwk nowhere.json'), {
    code: 1,
    stderr: /cannot be used: there is no such file/,
  })
})

t.test('own words for values have a next step', async (t) => {
  const folder = t.testdir({
    'own.csv': 'id;number;approval_status\n1;1;erteilt\n2;2;erteilt\n',
    'own.map': 'approval_status = approval_status {erteilt:\n}',
    'good.csv': 'id;number;approval_status\n1;1;approved\n',
  })
  const dryRun = (file: string, ...words: string[]) =>
    cli([`import ${folder}/${file} --resource certificates --customer acme --dry-run`, ...words].join(' '))
  const bad = await dryRun('own.csv')
  t.match(
    bad.stderr,
    /^Not a value of its field: approval_status "erteilt" 2×\. Correct typing errors in the table\. Give your own words their values in a map file, which --suggest-map <file> writes/m,
  )
  const mapped = await dryRun('own.csv', `--map-file ${folder}/own.map`)
  t.match(mapped.stderr, /Give your own words their values in .*own\.map$/m)
  t.notMatch((await dryRun('good.csv')).stderr, 'own words')
})

t.test('a result with faults is printed once, and a refusal is an object, too', async (t) => {
  const bad = await cli('import - --customer acme --json', { input: 'x' })
  t.match([bad.code, JSON.parse(bad.stdout)], [1, { bad: 1 }])
  t.match(await json('import nowhere.ndjson'), { ok: false, error: /nowhere.ndjson cannot be read/ })
})

t.test('a wrong command line is exit code 2', async (t) => {
  for (const words of ['import', 'import a b', 'import - --customer ../x', 'import - --force'])
    t.match(await cli(words), { code: 2, stdout: /^$/, stderr: /./ }, words)
  t.match(await cli('import - --force'), { stderr: /--replace/ })
  t.match(await cli('import --help'), { code: 0, stdout: /^Usage: certdata import/ })
  t.match((await cli('--help')).stdout, /^ {2}import /m)
})

t.test('an import is refused before migrate, and for the example customer', async (t) => {
  const server = await testPostgres()
  t.teardown(() => server.stop())
  const elsewhere = { env: { ...env, DATABASE_URL: server.url } }
  const refused = await cli('import examples/records.ndjson --customer acme', elsewhere)
  t.match(refused, { code: 1, stdout: '', stderr: /run certdata migrate first/ })
  t.match(await cli('import examples/records.ndjson --customer demo'), { code: 1, stderr: /example data/ })
})

t.test('an import is in the audit trail: of its customers, and of the command', async (t) => {
  await json('import examples/records.ndjson --customer audited')
  const entries: { action: string; customer: string; details: object }[] = await json(
    'audit list --customer audited',
  )
  t.match(
    entries.filter(({ action }) => action === 'import').map(({ details }) => details),
    [{ lines: 10, created: 10, bad: 0 }, { created: 10 }],
  )
})

t.test('an import onto a full disk reports the real cause', async (t) => {
  const noSpace = 'could not extend file "base/5/16384": No space left on device'
  await sql
    .raw(`create function products_full() returns trigger language plpgsql as $$
      begin raise exception using errcode = '53100', message = '${noSpace}'; end $$;
      create trigger "full" before insert on products for each row execute function products_full();
      alter table products enable always trigger "full"`)
    .execute(owner)
  const input = JSON.stringify({ resource: 'products', customer: 'acme', id: 'p', name: 'P' })
  const { code, stderr } = await cli('import -', { input })
  t.equal(code, 1)
  t.match(stderr, noSpace)
  t.notMatch(stderr, /does not answer/)
})
