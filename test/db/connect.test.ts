import t from 'tap'
import { createPool } from '../../app/db/connect.ts'
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
