import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, closeAfter, createTestApp, createTestDatabase, logIn } from '../../helper.ts'
import { createDocumentChecks } from '../../openapi-document.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)

const open = async (customer: string) =>
  logIn(app, await addCustomer(database, customer, { scopes: ['*', 'account:read'] }))
const [acme, bolt] = [await open('acme'), await open('bolt')]
const [first, second, foreign] = ['wh_aaaaaaaaaaaaaaaa', 'wh_bbbbbbbbbbbbbbbb', 'wh_cccccccccccccccc']
const addWebhook = (customer: string, id: string) =>
  sql`insert into webhooks (customer_id, webhook_id, url, resources, token, since, day, identity)
    values (${customer}, ${id}, ${`https://${customer}.example/hook`}, '{products}', 't', '3', current_date, 'i')`.execute(
    database.operator,
  )
await addWebhook('acme', first)
await addWebhook('acme', second)
await addWebhook('bolt', foreign)
for (const [customer, id] of [
  ['acme', first],
  ['bolt', foreign],
] as const) {
  for (let n = 1; n <= 22; n++) {
    const delivery = JSON.stringify({
      at: '2026-11-28T09:00:00Z',
      message_id: `${customer}_${n}`,
      result: '204',
    })
    await sql`select log_webhook_delivery(${customer}, ${id}, ${delivery}::json)`.execute(database.operator)
  }
}

t.test('a customer sees its webhooks and their last attempts, the newest first', async (t) => {
  await sql`update webhooks set failing_since = '2026-11-28T08:00:00Z', last_result = '500' where webhook_id = ${second}`.execute(
    database.operator,
  )
  const answer = await acme.get('/v1/me/webhooks')
  t.match(answer.headers, { 'cache-control': 'no-store', 'data-as-of': /Z$/ })
  const { data } = answer.json()
  t.match(data, [
    { id: first, url: 'https://acme.example/hook', resources: ['products'], state: 'active', reason: null },
    { id: second, state: 'failing', failing_since: '2026-11-28T08:00:00.000000Z', last_result: '500' },
  ])
  t.notMatch(answer.body, 'bolt')
  const attempts = await acme.get(`/v1/me/webhooks/${first}/deliveries`)
  const { data: deliveries } = attempts.json()
  t.equal(deliveries.length, 20)
  t.strictSame(deliveries[0], { at: '2026-11-28T09:00:00.000000Z', message_id: 'acme_22', result: '204' })
  t.same((await acme.get(`/v1/me/webhooks/${second}/deliveries`)).json(), { data: [] })
  const served = await app.inject('/openapi.json')
  const { validate } = createDocumentChecks(served)
  for (const [path, { body }] of [
    ['/v1/me/webhooks', answer],
    ['/v1/me/webhooks/{id}/deliveries', attempts],
  ] as const) {
    const { schema } = served.json().paths[path].get.responses[200].content['application/json']
    t.same(validate(schema, JSON.parse(body)), [], path)
  }
})

t.test('a webhook of another customer and an unknown one are the same 404', async (t) => {
  const toBody = ({ request_id: _, ...rest }: Record<string, unknown>) => rest
  const unknown = await acme.get('/v1/me/webhooks/nobody/deliveries')
  const theirs = await acme.get(`/v1/me/webhooks/${foreign}/deliveries`)
  t.equal(theirs.statusCode, 404)
  t.same(toBody(theirs.json()), toBody(unknown.json()))
  t.equal((await bolt.get(`/v1/me/webhooks/${foreign}/deliveries`)).statusCode, 200)
})

t.test('row level security alone separates customers', async (t) => {
  const count = async (table: string, session: string) => {
    const { rows } = await sql`
      select r.customer_id from (select set_config('app.customer_id', ${session}, true) offset 0) s,
        ${sql.table(table)} r`.execute(database.reader)
    return rows.length
  }
  t.same(
    [await count('webhooks', 'acme'), await count('webhooks', 'bolt'), await count('webhooks', '')],
    [2, 1, 0],
  )
  t.same([await count('webhook_deliveries', 'bolt'), await count('webhook_deliveries', '')], [20, 0])
  await t.rejects(sql`select token from webhooks`.execute(database.reader), /permission denied/)
  for (const statement of ['delete from webhooks', "update webhook_deliveries set result = ''"])
    await t.rejects(sql.raw(statement).execute(database.reader), /permission denied/, statement)
})

t.test('without the scope, nothing is shown', async (t) => {
  const { get } = await logIn(app, await addCustomer(database, 'acme'))
  for (const path of [
    '/v1/me/webhooks',
    `/v1/me/webhooks/${first}/deliveries`,
    '/v1/me/webhooks/none/deliveries',
  ])
    t.match((await get(path)).json(), { status: 403, code: 'insufficient_scope' }, path)
})
