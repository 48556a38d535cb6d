import t from 'tap'
import { createPool } from '../../app/db/connect.ts'
import { testPostgres } from '../servers.ts'

t.test('a connection that is lost while it is in use costs its statement, not the process', async (t) => {
  const server = await testPostgres()
  const options = { max: 2, applicationName: 'test', onError: () => {} }
  const pool = createPool(server.url, options)
  t.teardown(async () => {
    await pool.end()
    await server.stop()
  })
  const lost = await pool.connect()
  const { rows } = await lost.query('select pg_backend_pid() as pid')
  const ended = new Promise<void>((resolve) => lost.once('end', resolve))
  await pool.query('select pg_terminate_backend($1)', [rows[0].pid])
  await ended
  await t.rejects(lost.query('select 1'))
  lost.release(true)
  t.same((await pool.query('select 1 as one')).rows, [{ one: 1 }])
})
