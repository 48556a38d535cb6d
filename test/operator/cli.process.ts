import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import t from 'tap'
import { clusterName, findClusterPaths } from '../../app/local/embedded/cluster-paths.ts'
import { findPostmaster } from '../../app/local/embedded/postmaster.ts'
import { type Environment, run } from '../command-line.ts'
import { runProcess } from '../command-process.ts'
import { withoutPersonalData } from '../personal-data.ts'
import { makeDataFolder, testPostgres } from '../servers.ts'

const root = join(import.meta.dirname, '../..')
const isRoot = process.getuid?.() === 0

/** Pipes a command into `reader`, and adds the command's exit code to stderr. */
const pipe = (command: string, reader: string, env: Environment) =>
  promisify(execFile)(
    'sh',
    ['-c', `{ "$0" app/cli.ts ${command}; echo "exit code $?" >&2; } | ${reader}`, process.execPath],
    { cwd: root, env },
  )

t.test('the command is found by its name, as the package installs it', async (t) => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folder = t.testdir()
  symlinkSync(join(root, bin.certdata), join(folder, 'certdata'))
  const env = { PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter) }
  const { stdout } = await promisify(execFile)('certdata', ['--help'], { cwd: folder, env })
  t.match(stdout, /^Usage: certdata/)
})

/** Prints the modules that a process has loaded. */
const listsModules = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
process.on('exit', () => console.log(JSON.stringify(loaded)))`

t.test('on a separate database', async (t) => {
  const server = await testPostgres()
  t.teardown(() => server.stop())
  const env = { DATABASE_URL: server.url }
  t.match(await run(['migrate'], { env }), { code: 0 })

  await t.test('exit codes are 0 for success, 1 for a refusal and 2 for a wrong command line', async (t) => {
    const results = await Promise.all([
      runProcess(['keys', 'list', '--json'], { env }),
      runProcess(['keys', 'list', 'nobody'], { env }),
      runProcess(['keys', 'lost'], { env }),
    ])
    t.match(results, [
      { code: 0, stdout: '[]\n', stderr: /^$/ },
      { code: 1, stdout: /^$/, stderr: 'There is no customer nobody: see certdata customers list\n' },
      { code: 2, stdout: /^$/, stderr: /^error: / },
    ])
  })

  const exports = { skip: withoutPersonalData }
  await t.test('a program can read a whole export, or only its first line', exports, async (t) => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`insert into customers (customer_id, name) values ('acme', 'Acme')`)
    await client.query(`insert into products (customer_id, id, name, category)
      select 'acme', 'p-' || n, 'P', repeat('x', 1900) from generate_series(1, 500) n`)
    await client.end()
    const whole = await runProcess(['customers', 'export', 'acme'], { env })
    t.equal(whole.code, 0)
    t.equal(whole.stdout.split('\n').filter((line) => line.startsWith('{"table":"products"')).length, 500)
    const cut = await pipe('customers export acme', 'head -n 1', env)
    t.match(JSON.parse(cut.stdout), { table: String })
    t.equal(cut.stderr, 'The reader of the output has stopped: the export is incomplete\nexit code 1\n')
  })

  await t.test('a closed pipe is not an error', async (t) => {
    t.same(await pipe('customers list', 'head -n 0', env), { stdout: '', stderr: 'exit code 0\n' })
  })

  await t.test('only migrate creates a secret key', async (t) => {
    const elsewhere = { ...env, DATA_DIR: t.testdir() }
    const rotated = await run(['signing-keys', 'rotate'], { env: elsewhere })
    t.match(rotated, { code: 1, stderr: /There is no .*secret\.key: set SECRET_KEY/ })
    t.same(readdirSync(elsewhere.DATA_DIR), [])
  })
})

t.test('without a database', async (t) => {
  // A short path for the server's socket, in a folder that the server's user can reach.
  const env = { DATA_DIR: join(tmpdir(), `certdata-cli-${process.pid}`) }
  t.teardown(() => rmSync(env.DATA_DIR, { recursive: true, force: true }))
  const findServer = () => findPostmaster(join(findClusterPaths(env.DATA_DIR).home, clusterName))

  await t.test('other commands create no database and name the folder', async (t) => {
    const refused = await runProcess(['customers', 'list', '--json'], { env })
    t.match(refused, { code: 1, stderr: `There is no database in ${env.DATA_DIR}. Set DATA_DIR to` })
    t.match(JSON.parse(refused.stdout), { ok: false, error: /npm start or certdata migrate/ })
    t.notOk(existsSync(env.DATA_DIR))
  })

  await t.test('commands work on the bundled database after migrate', async (t) => {
    t.match(await runProcess(['migrate'], { env }), { code: 0, stderr: /^$/ })
    const added = await runProcess(['customers', 'add', 'acme', '--json'], { env })
    t.match(added, { code: 0, stderr: /^$/ })
    const listed = await runProcess(['customers', 'list', '--json'], { env })
    t.match(JSON.parse(listed.stdout), [{ customer: 'acme' }])
    const { stdout } = await runProcess(['audit', 'list', '--limit', '1', '--json'], { env })
    t.match(JSON.parse(stdout), [{ operator: userInfo().username }], 'the system user')
    t.notOk(readFileSync(join(env.DATA_DIR, 'secret.key'), 'utf8').length < 32)
    t.equal(findServer(), undefined)
  })
})

t.test('a command loads no modules of other commands', async (t) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(listsModules)}`, 'app/certdata.js', 'config'],
    { cwd: root, env: { PATH: process.env.PATH } },
  )
  const loaded: string[] = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  t.ok(loaded.some((url) => url.endsWith('app/command-line/config.ts')))
  t.same(
    loaded.filter((url) =>
      /command-line\/(keys|migrate)\.ts|features\/[\w-]+\/(?!feature\.ts)|kysely|local\/embedded/.test(url),
    ),
    [],
  )
})

const systemNode = '/usr/bin/node'
const isOld =
  existsSync(systemNode) && /^v(1\d|2[0-3])\./.test(execFileSync(systemNode, ['-v'], { encoding: 'utf8' }))

t.test('an older Node names the command to use', isOld ? {} : { skip: 'no older Node here' }, async (t) => {
  for (const [file, command] of [
    ['server.js', 'npm start'],
    ['certdata.js', 'npx --no certdata'],
  ] as const) {
    const { status, stderr } = spawnSync(systemNode, [join(root, 'app', file)], { encoding: 'utf8' })
    t.equal(status, 1)
    t.match(stderr, `: run \`${command}\`, which`)
  }
})

t.test(
  'a user id without a name gets a hint about the setting',
  isRoot ? {} : { skip: 'only for root' },
  async (t) => {
    const folder = makeDataFolder('nameless')
    chmodSync(folder, 0o777)
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'app/cli.ts'), 'migrate'], {
      uid: 54_321,
      gid: 0,
      encoding: 'utf8',
      cwd: '/',
      env: { DATA_DIR: join(folder, 'data'), HOME: folder },
    })
    t.equal(status, 1)
    t.match(stderr, /user id 54321, which has no name: set DATABASE_URL/)
  },
)
