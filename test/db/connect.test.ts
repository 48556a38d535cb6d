import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createDb, createPool } from '../../app/db/connect.ts'
import { toApiError } from '../../plugins/problems.ts'
import { testPostgres } from '../servers.ts'

t.test('serving connections end after half an hour, which frees their prepared statements', async (t) => {
  const serving = { variable: 'DATABASE_URL', onUnfit: () => {} }
  const pool = createPool('postgresql://localhost/x', {
    max: 1,
    applicationName: 'test',
    onError: () => {},
    serving,
  })
  t.equal(pool.options.maxLifetimeSeconds, 1_800)
  await pool.end()
})

t.test('a statement on a lost connection gets 503 with Retry-After, and the pool recovers', async (t) => {
  const server = await testPostgres()
  const pool = createPool(server.url, { max: 2, applicationName: 'test', onError: () => {} })
  t.teardown(async () => {
    await pool.end()
    await server.stop()
  })
  const lost = await pool.connect()
  const { rows } = await lost.query('select pg_backend_pid() as pid')
  const ended = new Promise<void>((resolve) => lost.once('end', resolve))
  await pool.query('select pg_terminate_backend($1)', [rows[0].pid])
  await ended
  const error = await lost.query('select 1').catch((reason: unknown) => reason)
  lost.release(true)
  t.match(error, { message: /is not queryable/ })
  t.match(toApiError(error), {
    code: 'unavailable',
    status: 503,
    extras: { headers: { 'retry-after': '1' } },
  })
  t.same((await pool.query('select 1 as one')).rows, [{ one: 1 }])
})

t.test('a statement without an answer destroys its connection and gets 503', async (t) => {
  const server = await testPostgres()
  const pool = createPool(server.url, { max: 3, applicationName: 'test', onError: () => {} })
  const db = createDb(pool)
  const stopped: number[] = []
  t.teardown(async () => {
    for (const pid of stopped) process.kill(pid, 'SIGCONT')
    await db.destroy()
    await server.stop()
  })
  const statement = { text: 'select pg_backend_pid() as pid', values: [] }
  const readPid = async () => ((await db.readRows(statement)) as { pid: number }[])[0]?.pid ?? 0
  const hang = (pid: number) => {
    stopped.push(pid)
    process.kill(pid, 'SIGSTOP')
  }
  hang(await readPid())
  const lateRead = db.readRows(statement).catch((reason: unknown) => reason)
  const client = await pool.connect()
  hang((await client.query(statement.text)).rows[0].pid)
  const lateQuery = client.query(statement.text).catch((reason: unknown) => reason)
  for (const late of [lateRead, lateQuery]) t.match(toApiError(await late), { code: 'unavailable' })
  client.release(true)
  t.notOk(stopped.includes(await readPid()))
})

/** Bytes of objects that survived young collections. */
const countOldBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'old_space')
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0)

t.test('a page that was read is garbage of the young generation', async (t) => {
  const server = await testPostgres()
  const db = createDb(createPool(server.url, { max: 8, applicationName: 'test', onError: () => {} }))
  t.teardown(async () => {
    await db.destroy()
    await server.stop()
  })
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const pageBytes = 35_000
  const statement = { name: 'page', text: `select repeat('x', ${pageBytes}) as data`, values: [] }
  const [reads, lanes] = [1_500, 8]
  const readMany = () =>
    Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let read = 0; read < reads / lanes; read += 1) await db.readRows(statement)
      }),
    )
  const measure = async () => {
    collect()
    const before = countOldBytes()
    await readMany()
    return (countOldBytes() - before) / reads
  }
  await measure()
  // Objects of the driver and of the test may stay, but no page does.
  const kept = [await measure(), await measure(), await measure()]
  t.ok(Math.max(...kept) < pageBytes / 3, `${kept.map(Math.round)} bytes of a page are kept`)
})
