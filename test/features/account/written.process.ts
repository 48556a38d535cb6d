import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, closeAfter, createTestDatabase, secretKey } from '../../helper.ts'
import { logInTo, startService, untilReady } from '../../service.ts'

t.test('a service that stops writes the counts of all its processes', async (t) => {
  const database = await createTestDatabase()
  closeAfter(t, database)
  const apiKey = await addCustomer(database, 'acme')
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    WEB_CONCURRENCY: '2',
  })
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  const headers = { ...(await logInTo(service, apiKey)), connection: 'close' }
  // Each request opens a connection, and the kernel spreads these over the processes.
  for (let n = 0; n < 40; n++) {
    const answer = await fetch(`${service.base}/v1/products?limit=1`, { headers })
    t.equal(answer.status, 200)
    await answer.arrayBuffer()
  }
  t.equal(await service.stop('SIGTERM'), 0)
  const { rows } = await sql`select endpoint, requests from usage_days where customer_id = 'acme'`.execute(
    database.operator,
  )
  t.same(rows, [{ endpoint: '/v1/products', requests: 40 }])
})
