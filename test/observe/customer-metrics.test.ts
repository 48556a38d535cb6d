import t from 'tap'
import { createCustomerMetrics } from '../../app/observe/customer-metrics.ts'
import type { Figure } from '../../app/observe/figures.ts'
import type { SentAnswer } from '../../app/observe/sent-answer.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase } from '../helper.ts'

const hourMs = 3_600_000

const createStage = () => {
  const clock = { now: 100 * hourMs }
  const metrics = createCustomerMetrics(() => clock.now)
  const count = (customerId: string, times = 1) => {
    for (let n = 0; n < times; n += 1) metrics.countAnswer({ principal: { customerId } } as SentAnswer)
  }
  const read = async () => {
    const [figure] = metrics.figures as readonly [Figure]
    const { values } = (await figure.get()) as {
      values: { labels: { customer: string }; value: number }[]
    }
    return Object.fromEntries(values.map(({ labels, value }) => [labels.customer, value]))
  }
  return { clock, metrics, count, read }
}

t.test('the first 50 customers of the first hour have series, and further ones are other', async (t) => {
  const { metrics, count, read } = createStage()
  for (let n = 0; n < 60; n += 1) count(`c${n}`, 2)
  metrics.countAnswer({ principal: undefined } as SentAnswer)
  const counts = await read()
  t.equal(Object.keys(counts).length, 51)
  t.equal(counts.c49, 2)
  t.equal(counts.c50, undefined)
  t.equal(counts.other, 20)
})

t.test('an hour later, the 50 busiest have series, which never fall', async (t) => {
  const { clock, count, read } = createStage()
  for (let n = 0; n < 60; n += 1) count(`c${n}`, n + 1)
  const before = await read()
  clock.now += hourMs
  count('c0')
  const counts = await read()
  t.equal(Object.keys(counts).length, 51)
  t.equal(counts.c59, 0, 'new, so it begins with 0')
  t.equal(counts.c49, before.c49, 'kept')
  t.equal(counts.c9, undefined, 'not among the busiest')
  t.equal(counts.other, (before.other ?? 0) + 1)
})

t.test('customers without requests for an hour make room', async (t) => {
  const { clock, count, read } = createStage()
  for (let n = 0; n < 50; n += 1) count(`old${n}`)
  clock.now += hourMs
  count('first')
  clock.now += hourMs
  count('new', 3)
  t.same(await read(), { first: 0, new: 3, other: 1 })
})

const database = await createTestDatabase()
closeAfter(t, database)
const token = 'metrics-of-the-tests'

/** Requests once as the customer acme, and returns the log and the metrics. */
const observe = async (name: string, env: Record<string, string>) => {
  const lines: string[] = []
  const logStream = { write: (line: string) => void lines.push(line), lost: 0 }
  const app = await createTestApp(database, {
    env: { METRICS_TOKEN: token, LOG_LEVEL: 'info', ...env },
    logStream: logStream as never,
  })
  t.teardown(() => app.close())
  const { get } = await asCustomer(database, app, name)
  t.equal((await get('/v1/products')).statusCode, 200)
  const { body } = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })
  return { log: lines.join(''), metrics: body }
}

t.test('by default, neither metrics nor the log contain a customer', async (t) => {
  const { log, metrics } = await observe('acme-quiet', {})
  t.match(log, '"route":"/v1/products"')
  t.notMatch(log, 'acme-quiet')
  t.notMatch(metrics, /acme-quiet|certdata_customer_requests/)
})

t.test('METRICS_CUSTOMERS and LOG_CUSTOMERS add the slug', async (t) => {
  const { log, metrics } = await observe('acme-shown', { METRICS_CUSTOMERS: 'true', LOG_CUSTOMERS: 'true' })
  t.match(metrics, 'certdata_customer_requests_total{customer="acme-shown"} 1')
  const line = log.split('\n').find((each) => each.includes('"route":"/v1/products"')) ?? '{}'
  t.match(JSON.parse(line), { customer: 'acme-shown', status: 200 })
  t.notMatch(
    log.split('\n').find((each) => each.includes('/v1/auth/login')),
    'acme-shown',
  )
})
