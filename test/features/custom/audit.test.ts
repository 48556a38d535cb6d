import t from 'tap'
import { type AuditEntry, listEntries } from '../../../app/audit/list.ts'
import { addCustomer, createTestDatabase, listenTestApp, logIn, until } from '../../helper.ts'
import { createStandingClock } from '../../standing-clock.ts'
import { createStage } from './stage.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const { operator } = database
// Stopped, because counts would be split at the end of a minute and by the flush of every 5 s.
const clock = createStandingClock()
const { app, origin } = await listenTestApp(database, { clock, env: { METRICS_TOKEN: 'm'.repeat(32) } })
t.teardown(() => app.close())
const isRead = ({ action }: AuditEntry) => action === 'reads'

const { apply, give } = createStage(database)
const document = (name: string, body = 'object:\n  a: { const: 1 }') =>
  `name: ${name}\nrevision: 1\n${body}\n`

const openCustomer = async (customer: string, options?: { scopes: string[] }) => {
  const { token } = await logIn(app, await addCustomer(database, customer, options))
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(origin + path, { headers: { authorization: `Bearer ${token}`, ...headers } }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
    )
}

/** Oldest first: resource, status and count. */
const listReads = async (customer: string) => {
  await app.audit.flush()
  const entries = (await listEntries(operator, { customer, limit: 100 })).filter(isRead)
  return entries.map(({ details }) => `${details?.resource} ${details?.status} ${details?.count}`).reverse()
}

t.test('a read of a custom endpoint is written with its name, by the router and by the edge', async (t) => {
  const ask = await openCustomer('dune')
  await give('dune', document('overview'))
  await give('dune', document('rows', 'list:\n  from: products\n  select: { id: id }'))
  await until('granted', async () => (await ask('/v1/custom/rows')) === 200)
  await until('granted', async () => (await ask('/v1/custom/overview')) === 200)
  await app.audit.flush()
  const before = await listReads('dune')
  const fast = app.edgeAnswers
  for (const path of ['/v1/custom/overview', '/custom/overview', '/webapi/v1/api.php/custom/overview']) {
    for (let n = 0; n < 4; n++) t.equal(await ask(path), 200)
  }
  t.ok(app.edgeAnswers > fast, 'some by the edge')
  t.equal(await ask('/v1/custom/rows', { accept: 'text/csv' }), 200)
  t.equal(await ask('/v1/custom/rows?nonsense=1'), 400)
  t.same((await listReads('dune')).slice(before.length).sort(), [
    'custom/overview 200 12',
    'custom/rows 200 1',
    'custom/rows 400 1',
  ])
  const metrics = await fetch(`${origin}/metrics`, {
    headers: { authorization: `Bearer ${'m'.repeat(32)}` },
  })
  const text = await metrics.text()
  t.match(text, /route="\/custom\/:name"/, 'metrics keep the pattern')
  t.notMatch(text, /overview/)
})

t.test('the name of an endpoint that the customer was not granted is not recorded', async (t) => {
  const ask = await openCustomer('bolt')
  await apply(document('secret'))
  for (const name of ['secret', 'overview', 'geheim-1', 'geheim-2']) {
    t.equal(await ask(`/v1/custom/${name}`), 404)
  }
  t.same(await listReads('bolt'), ['custom/:name 404 4'])
})

t.test('a read that was refused for its scope is recorded with the endpoint', async (t) => {
  const ask = await openCustomer('crane', { scopes: ['products:read'] })
  await give('crane', document('overview'))
  await until('granted', async () => (await ask('/v1/custom/overview')) === 403)
  await app.audit.flush()
  const before = await listReads('crane')
  t.equal(await ask('/v1/custom/overview'), 403)
  t.equal(await ask('/v1/custom/none'), 404)
  t.same((await listReads('crane')).slice(before.length).sort(), [
    'custom/:name 404 1',
    'custom/overview 403 1',
  ])
})
