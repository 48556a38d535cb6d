import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import { connectOwner, type Get } from '../../helper.ts'
import { connect, database, newCustomer, run } from '../../stage.ts'

const today = sql`(now() at time zone 'UTC')::date`

type Change = {
  op: string
  resource: string
  id: string
  cause?: string
  changed?: string[]
  previous?: Record<string, unknown>
  data: Record<string, unknown> | null
}
type Page = { data: Change[]; page: { has_more: boolean; next_token: string } }
const ask = async (get: Get, query: string): Promise<Page> => {
  const answer = await get(`/v1/changes${query}`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json()
}
const begin = async (get: Get, query = '') => (await ask(get, query)).page.next_token

t.test('an update names the fields that differ from the follower’s copy', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'one'), (${id}, 'q', 'one')`)
  const after = await begin(get)
  const change = async (query = '') => (await ask(get, `?after=${after}${query}`)).data
  await run(sql`update products set name = 'two' where customer_id = ${id} and id = 'p'`)
  await run(sql`update products set name = 'three', tags = '{a}' where customer_id = ${id} and id = 'p'`)
  const [told] = await change()
  t.same(told?.changed, ['name', 'tags'])
  t.notOk(told && 'previous' in told)
  t.same(
    (await change('&previous=true'))[0]?.previous,
    { name: 'one', tags: [] },
    'from the state of the token',
  )
  await run(sql`update products set name = 'one' where customer_id = ${id} and id = 'p'`)
  t.match(
    await change('&previous=true'),
    [{ changed: ['tags'], previous: { tags: [] } }],
    'a value that is back is no change',
  )
  const middle = (await ask(get, `?after=${after}`)).page.next_token
  await run(sql`update products set name = 'four' where customer_id = ${id} and id = 'p'`)
  t.match((await ask(get, `?after=${middle}&previous=true`)).data, [
    { changed: ['name'], previous: { name: 'one' } },
  ])
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'new', 'one')`)
  await run(sql`update products set name = 'two' where customer_id = ${id} and id = 'new'`)
  const added = (await change('&previous=true')).find((each) => each.id === 'new')
  t.notOk(added && ('changed' in added || 'previous' in added), 'a new record has no differences')
  await run(sql`delete from products where customer_id = ${id} and id = 'q'`)
  const gone = (await change('&previous=true')).find((each) => each.id === 'q')
  t.same([gone?.op, gone?.changed, gone?.data], ['delete', undefined, null])
})

t.test('previous objects and arrays have the same form as in answers', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, tags, validity_periods)
    values (${id}, 'c', 'N', 'T', 'approved', '{a,b}', '{"(2026-01-01,,initial)"}')`)
  const after = await begin(get)
  await run(sql`update certificates set tags = '{}', validity_periods = '{}' where customer_id = ${id}`)
  const { body } = await get(`/v1/changes?after=${after}&previous=true`)
  t.match(
    body,
    '"previous":{"tags":["a","b"],"validity_periods":[{"from":"2026-01-01","until":null,"basis":"initial"}]}',
  )
})

t.test('includes computed fields that change by a write or a new day', async (t) => {
  const { id, get, getOnDay } = await newCustomer()
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    values (${id}, 'c', 'N', 'T', 'approved', ${today} + 200), (${id}, 'd', 'N', 'T', 'approved', ${today})`)
  await run(sql`insert into approvals (customer_id, id, product_id, country_code, scheme)
    values (${id}, 'a', 'p', 'JP', 'S')`)
  const after = await begin(get)
  await run(sql`update certificates set approval_status = 'revoked' where customer_id = ${id} and id = 'c'`)
  await run(sql`update approvals set status = 'testing' where customer_id = ${id}`)
  const { data, page } = await ask(get, `?after=${after}&previous=true`)
  t.match(data, [
    {
      id: 'c',
      changed: ['approval_status', 'validity'],
      previous: { approval_status: 'approved', validity: 'valid' },
    },
    { id: 'a', changed: ['open', 'status'], previous: { open: false, status: 'planned' } },
  ])
  const tomorrow = await ask(await getOnDay(1), `?after=${page.next_token}&previous=true`)
  t.match(tomorrow.data, [
    {
      id: 'd',
      cause: 'day',
      changed: ['expiring', 'validity'],
      previous: { expiring: true, validity: 'valid' },
    },
  ])
})

t.test('computes a write and a new day together from the state of the token', async (t) => {
  const { id, get, getOnDay } = await newCustomer()
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    select ${id}, r.id, 'N', 'T', 'approved', ${today} + r.days
    from (values ('ends', 0), ('cut', 0), ('again', -1), ('opens', 40)) r (id, days)`)
  const after = await begin(get)
  const set = (what: RawBuilder<unknown>, record: string) =>
    run(sql`update certificates set ${what} where customer_id = ${id} and id = ${record}`)
  await set(sql`title = 'U'`, 'ends')
  await set(sql`valid_until = ${today} - 1`, 'cut')
  await set(sql`valid_until = ${today}`, 'again')
  await set(sql`valid_from = ${today} + 1`, 'opens')
  const tomorrow = await getOnDay(1)
  await run(sql`update customers set expiring_within = 10 where customer_id = ${id}`)
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const expected: Record<string, Record<string, unknown>> = {
    again: { valid_until: day(-1) },
    cut: { expiring: true, valid_until: day(0), validity: 'valid' },
    ends: { expiring: true, title: 'T', validity: 'valid' },
    opens: { expiring: true, valid_from: null },
  }
  for (const limit of [1, 2, 3, 500]) {
    // Each step may report the record. The last report is current.
    const told: Record<string, Change> = {}
    for (let token = after, more = true; more; ) {
      const { data, page } = await ask(tomorrow, `?after=${token}&limit=${limit}&previous=true`)
      for (const change of data) told[change.id] = change
      token = page.next_token
      more = page.has_more
    }
    for (const [record, previous] of Object.entries(expected)) {
      t.same(told[record]?.previous, previous, `${record}, pages of ${limit}`)
      t.same(told[record]?.changed, Object.keys(previous))
    }
  }
})

t.test('a transaction that was open when the token was made is not in its state', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'one')`)
  const client = await connect()
  await client.query('begin')
  await client.query(`update products set name = 'two' where customer_id = '${id}'`)
  const after = await begin(get)
  t.same((await ask(get, `?after=${after}`)).data, [])
  await client.query('commit')
  await run(sql`update products set model = 'M' where customer_id = ${id}`)
  const { data } = await ask(get, `?after=${after}&previous=true`)
  t.match(data, [{ changed: ['model', 'name'], previous: { model: null, name: 'one' } }])
})

t.test('a record whose creation was open when the token was made is new', async (t) => {
  const { id, get } = await newCustomer()
  await run(
    sql`insert into products (customer_id, id, name) values (${id}, 'q', 'one'), (${id}, 'old', 'one')`,
  )
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'gone', 'one')`)
  await run(sql`delete from products where customer_id = ${id} and id = 'gone'`)
  const [creator, late, updater] = await Promise.all(
    [1, 2, 3].map(async () => {
      const client = await connect()
      await client.query('begin')
      await client.query('select now()')
      return client
    }),
  )
  const insert = (key: string) =>
    `insert into products (customer_id, id, name) values ('${id}', '${key}', 'one')`
  const update = (key: string, name: string) =>
    `update products set name = '${name}' where customer_id = '${id}' and id = '${key}'`
  await creator?.query(insert('before'))
  const after = await begin(get)
  // The updater has the lowest transaction id of the three that write after the token.
  await updater?.query(update('q', 'two'))
  await late?.query(insert('after'))
  await late?.query(insert('gone'))
  await late?.query(update('after', 'two'))
  await creator?.query('commit')
  await late?.query('commit')
  for (const key of ['before', 'after', 'gone', 'old']) await updater?.query(update(key, 'three'))
  await updater?.query('commit')
  const told = (changes: readonly Change[]) =>
    Object.fromEntries(changes.map((each) => [each.id, each.previous ?? each.data?.id]))
  const expected = {
    q: { name: 'one' },
    old: { name: 'one' },
    before: 'before',
    after: 'after',
    gone: 'gone',
  }
  t.same(told((await ask(get, `?after=${after}&previous=true`)).data), expected)
  for (let token = after, more = true; more; ) {
    const { data, page } = await ask(get, `?after=${token}&previous=true&limit=1`)
    for (const change of data)
      t.notOk(
        ['before', 'after', 'gone'].includes(change.id) && change.previous,
        `page by page: ${change.id}`,
      )
    token = page.next_token
    more = page.has_more
  }
})

t.test('a record from a restored copy is not new', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into projects (customer_id, id, project_number, title)
    values (${id}, 'restored', 'N', 'T')`)
  const owner = connectOwner(database)
  t.teardown(() => owner.destroy())
  await sql`alter table projects disable trigger projects_before`.execute(owner)
  await sql`update projects set created_xid = '99999999999' where customer_id = ${id}`.execute(owner)
  await sql`alter table projects enable always trigger projects_before`.execute(owner)
  const after = await begin(get)
  await run(sql`update projects set title = 'U' where customer_id = ${id}`)
  const { data } = await ask(get, `?after=${after}&previous=true`)
  t.same(
    data.map((change) => [change.id, change.previous]),
    [['restored', { title: 'T' }]],
  )
})

t.test('changes before the start of history are not reported', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into projects (customer_id, id, project_number, title) values (${id}, 'j', 'N', 'T')`)
  const after = await begin(get)
  await run(sql`update history_begun set since = clock_timestamp() where resource = 'projects'`)
  await run(sql`update projects set title = 'U' where customer_id = ${id}`)
  const { data } = await ask(get, `?after=${after}`)
  t.same(
    data.map((change) => ['changed' in change, change.data?.title]),
    [[false, 'U']],
  )
})

t.test('a forgotten previous value is not reported', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'secret')`)
  const after = await begin(get)
  await run(sql`update products set name = 'public' where customer_id = ${id}`)
  // A mark replaces the history.
  await run(sql`delete from record_history where customer_id = ${id}`)
  await run(sql`insert into record_history (customer_id, resource, record_id, at, old)
    values (${id}, 'products', 'p', now(), '{}')`)
  await run(sql`update products set model = 'M' where customer_id = ${id}`)
  const { data } = await ask(get, `?after=${after}&previous=true`)
  t.equal(data.length, 1)
  t.notOk(JSON.stringify(data).includes('secret'))
  t.notOk('changed' in (data[0] ?? {}), 'nor that nothing else changed')
})

const named = (changes: readonly Change[]) =>
  changes.map(({ op, id, cause }) => `${op} ${id}${cause ? ` (${cause})` : ''}`)

t.test('a filter and fields narrow the changes, and belong to the token', async (t) => {
  const { id, get, getOnDay } = await newCustomer()
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until, tags)
    values (${id}, 'a', 'N', 'T', 'approved', ${today}, '{x}'), (${id}, 'b', 'N', 'T', 'pending', null, '{x}')`)
  const view = '&resources=certificates&validity=valid&tags=x&fields=validity,title'
  const answer = await get(`/v1/changes?after=snapshot${view}`, { accept: 'application/x-ndjson' })
  t.same(
    answer.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data),
    [{ id: 'a', title: 'T', validity: 'valid' }],
  )
  let token = answer.headers['sync-token'] as string
  const next = async (query = '', as = get) => {
    const { data, page } = await ask(as, `?after=${token}${query}`)
    token = page.next_token
    return data
  }
  const set = (what: RawBuilder<unknown>, record: string) =>
    run(sql`update certificates set ${what} where customer_id = ${id} and id = ${record}`)
  await set(sql`approval_status = 'approved', valid_until = ${today} + 200`, 'b')
  const entered = await next()
  t.same(named(entered), ['upsert b'])
  t.same(entered[0]?.data, { id: 'b', title: 'T', validity: 'valid' })
  await set(sql`title = 'U', holder = 'H'`, 'b')
  t.match(await next('&previous=true'), [{ changed: ['title'], previous: { title: 'T' } }])
  await set(sql`tags = '{}'`, 'b')
  const left = await next(view)
  t.same(named(left), ['delete b (filter)'], 'what leaves the filter is to be removed')
  t.same([left[0]?.data, left[0] && 'changed' in left[0]], [null, false])
  await run(sql`delete from certificates where customer_id = ${id} and id = 'b'`)
  t.same(named(await next()), ['delete b'], 'a deletion is never lost')
  t.same(named(await next('', await getOnDay(1))), ['delete a (filter)'], 'a new day ends a validity')
})

t.test('refuses requests that cannot be followed', async (t) => {
  const { get } = await newCustomer()
  const refusal = async (query: string) => {
    const { statusCode, body } = await get(`/v1/changes${query}`)
    return [
      statusCode,
      JSON.parse(body).code,
      ...(JSON.parse(body).errors ?? []).map((each: { parameter: string }) => each.parameter),
    ]
  }
  t.same(await refusal('?validity=valid'), [400, 'invalid_query', 'validity'])
  t.same(await refusal('?resources=products,lab&fields=title'), [400, 'invalid_query', 'fields'])
  t.same(await refusal('?resources=products&fields=nothing'), [400, 'invalid_query', 'fields'])
  t.same(await refusal('?resources=certificates&valid_until[lt]=today%2B30d'), [
    400,
    'invalid_query',
    'valid_until[lt]',
  ])
  t.same(await refusal('?resources=products&created_at=today-1d'), [400, 'invalid_query', 'created_at'])
  for (const text of ['tags=today', 'name[prefix]=today', 'tags[all]=today%2B30d,b'])
    t.equal((await get(`/v1/changes?resources=products&${text}`)).statusCode, 200, 'a text is no date')
  t.same(await refusal('?resources=certificates&validity=fine'), [400, 'invalid_query', 'validity'])
  const many = Array.from({ length: 90 }, (_, n) => `product-of-a-very-long-name-${n}`).join()
  t.same(
    await refusal(`?resources=products&id=${many}`),
    [400, 'invalid_query', 'id'],
    'its token would be too long for a header',
  )
  const token = await begin(get, '?resources=products&brand=A')
  t.same(await refusal(`?after=${token}&resources=products&brand=B`), [400, 'invalid_sync_token', 'after'])
  t.equal((await get(`/v1/changes?after=${token}&resources=products&brand=A`)).statusCode, 200)
  t.equal((await get(`/v1/changes?after=${token}`)).statusCode, 200)
})
