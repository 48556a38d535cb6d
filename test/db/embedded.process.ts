import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stopPostmaster } from '../../app/local/embedded/postmaster.ts'
import { startEmbedded } from '../../app/local/embedded.ts'

import {
  instance,
  isRoot,
  limitMs,
  postmasterPid,
  query,
  temporaryFolder,
  until,
} from './embedded-instance.ts'

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
