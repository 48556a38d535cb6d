import { sql } from 'kysely'
import t from 'tap'
import { asCustomer, type Get, withoutTriggers } from '../helper.ts'
import { app, connect, database, run } from '../stage.ts'

const owner = await connect()
const today = new Date().toISOString().slice(0, 10)
const getDay = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
/** Moves everything that was written so far into the past. */
const goBack = async (customer: string, days: number) => {
  const back = `interval '${days} days'`
  await owner.query('begin')
  await owner.query('set local session_replication_role = replica')
  for (const table of ['certificates', 'products']) {
    const update = `update ${table} set created_at = created_at - ${back}, updated_at = updated_at - ${back}
      where customer_id = '${customer}'`
    await owner.query(withoutTriggers(table, update))
  }
  await owner.query(`update record_history set at = at - ${back}, since = since - ${back},
    old = case when old ? 'created_at'
      then old || jsonb_build_object('created_at', (old ->> 'created_at')::timestamptz - ${back}) else old end
    where customer_id = '${customer}'`)
  await owner.query('commit')
}
const ask = (get: Get, day: string, more = '', path = 'products/p') => get(`/v1/${path}?as_of=${day}${more}`)
const nameOn = async (get: Get, day: string, id = 'p') => {
  const answer = await ask(get, day, '', `products/${id}`)
  return answer.statusCode === 200 ? answer.json().data.name : answer.json().code
}

t.test('returns a record as it was on each day, also after it was recreated', async (t) => {
  await owner.query(`update history_begun set since = now() - interval '40 days'`)
  const { get } = await asCustomer(database, app, 'acme')
  await run(sql`insert into products (customer_id, id, name) values ('acme', 'p', 'one')`)
  await goBack('acme', 10)
  await run(sql`update products set name = 'two', tags = '{x}' where customer_id = 'acme'`)
  await goBack('acme', 10)
  await run(sql`delete from products where customer_id = 'acme'`)
  await goBack('acme', 5)
  t.equal(await nameOn(get, today), 'not_found')
  await run(sql`insert into products (customer_id, id, name) values ('acme', 'p', 'three')`)
  await goBack('acme', 5)
  await run(sql`update products set name = 'four' where customer_id = 'acme'`)
  const expected: [number, string][] = [
    ...[0].map((days): [number, string] => [days, 'four']),
    ...[1, 5].map((days): [number, string] => [days, 'three']),
    ...[6, 10].map((days): [number, string] => [days, 'not_found']),
    ...[11, 20].map((days): [number, string] => [days, 'two']),
    ...[21, 30].map((days): [number, string] => [days, 'one']),
    ...[31, 39].map((days): [number, string] => [days, 'not_found']),
  ]
  for (const [days, name] of expected) t.equal(await nameOn(get, getDay(days)), name, `${days} days ago`)
  t.equal(await nameOn(get, 'today'), 'four')
  t.equal(await nameOn(get, 'today-20d'), 'two')
  const { data } = (await ask(get, getDay(20))).json()
  t.same(data.tags, ['x'])
  t.equal(data.updated_at.slice(0, 10), getDay(20))
  t.equal(data.created_at.slice(0, 10), getDay(30))
  t.same(
    (await ask(get, today)).body,
    (await get('/v1/products/p')).body,
    'today equals the present record, byte for byte',
  )
  t.same((await ask(get, getDay(25), '&fields=name')).json(), { data: { id: 'p', name: 'one' } })
})

t.test('computed fields use the day and the state of that day', async (t) => {
  await owner.query(`update history_begun set since = now() - interval '400 days'`)
  const { get } = await asCustomer(database, app, 'bolt')
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    values ('bolt', 'c', 'N', 'T', 'approved', ${getDay(50)})`)
  await goBack('bolt', 200)
  await run(sql`update certificates set valid_until = ${getDay(-300)} where customer_id = 'bolt'`)
  await goBack('bolt', 20)
  await run(sql`update certificates set approval_status = 'revoked' where customer_id = 'bolt'`)
  const on = async (days: number) => {
    const { data } = (await ask(get, getDay(days), '', 'certificates/c')).json()
    return [data.validity, data.expiring, data.days_remaining]
  }
  t.same(await on(0), ['void', false, 300])
  t.same(await on(1), ['valid', false, 301])
  t.same(await on(21), ['expired', false, -29])
  t.same(await on(49), ['expired', false, -1])
  t.same(await on(50), ['valid', true, 0])
  t.same(await on(141), ['valid', false, 91])
  t.equal((await get('/v1/certificates/c?as_of=today-60d&expiring_within=5')).json().data.expiring, false)
})

t.test('a day before the start of history is refused with that start', async (t) => {
  const { get } = await asCustomer(database, app, 'cool')
  await run(sql`insert into products (customer_id, id, name) values ('cool', 'p', 'one')`)
  await goBack('cool', 300)
  await owner.query(`update history_begun set since = now() - interval '100 days'`)
  await run(sql`update products set name = 'two' where customer_id = 'cool'`)
  t.equal(await nameOn(get, getDay(50)), 'one')
  t.equal(await nameOn(get, getDay(300)), 'one', 'updated_at shows that it has not changed since')
  const first = `The history of this product begins on ${getDay(300)}`
  t.match((await ask(get, getDay(301))).json(), { code: 'before_history', detail: first })
  await goBack('cool', 200)
  await owner.query(`delete from record_history where customer_id = 'cool'`)
  t.equal(await nameOn(get, getDay(200)), 'two')
  const refused = await ask(get, getDay(201))
  t.equal(refused.statusCode, 404)
  t.match(refused.json(), {
    code: 'before_history',
    detail: `The history of this product begins on ${getDay(200)}`,
  })
  t.equal(await nameOn(get, getDay(50), 'nobody'), 'not_found')
  t.equal(await nameOn(get, getDay(201), 'nobody'), 'before_history', 'nobody knows')
  await run(sql`delete from products where customer_id = 'cool'`)
  await goBack('cool', 200)
  await owner.query(`delete from record_history where customer_id = 'cool'`)
  t.equal(await nameOn(get, getDay(150)), 'before_history', 'deleted, and pruned')
  await run(sql`insert into products (customer_id, id, name) values ('cool', 'p', 'three')`)
  t.equal(await nameOn(get, today), 'three')
  t.equal(await nameOn(get, getDay(50)), 'not_found')
  t.equal(await nameOn(get, getDay(150)), 'before_history', 'there may have been one before')
})

t.test('returns a country as it was on a day, without counts from other records', async (t) => {
  const { get } = await asCustomer(database, app, 'echo')
  await owner.query(`update history_begun set since = now() - interval '100 days'`)
  await run(sql`insert into countries (id, code, alpha3, name, region, requirements)
    values ('QQ', 'QQ', 'QQQ', 'Old', 'europe', '(,,,,,)')`)
  await run(sql`update countries set name = 'New' where id = 'QQ'`)
  const on = async (day: string, more = '') => (await ask(get, day, more, 'countries/QQ')).json()
  t.match(await on(today), { data: { id: 'QQ', name: 'New', region: 'europe' } })
  t.notOk('approval_info' in (await on(today)).data)
  t.same(await on(today, '&fields=name,approval_info'), { data: { id: 'QQ', name: 'New' } })
  t.equal((await on(getDay(1))).code, 'not_found')
  t.equal((await on(getDay(101))).code, 'before_history')
})
