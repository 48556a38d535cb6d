import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../app/db/schema.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import type { Get } from '../helper.ts'
import {
  type Customer,
  customers,
  findForeign,
  getLure,
  getMark,
  listIds,
  listLeaks,
  others,
  owned,
  parameter,
  shared,
  type Targets,
  testWalls,
} from './isolation-stage.ts'

/** One customer's requests for a route: each filter, sort and include once, and ids of every kind. */
const listTargets = (route: string, customer: Customer): Targets => {
  if (route.match(parameter)) {
    const at = (id: string) => route.replace(parameter, id)
    const foreign = others(customer).flatMap((other) => [listIds(other)[0] as string, getLure(other), other])
    const includes = /\/(\w+)\/:id$/.exec(route)?.[1] ?? ''
    const names = Object.keys(resources[includes as 'lab']?.includes ?? {})
    const own = [listIds(customer)[0] as string, ...shared].map(at)
    return {
      own: [...own, ...own.map((url) => `${url}?include=${names.join(',')}`)],
      foreign: foreign.map(at),
    }
  }
  const resource = resources[(/\/(\w+)$/.exec(route)?.[1] ?? '') as 'lab']
  if (!resource) return { own: [route], foreign: [] }
  const stranger = others(customer)[0] as Customer
  const names = Object.keys(resource.includes)
  // One operator per field and one direction per sort key, in turn.
  const filters = [...resource.fields.values()]
    .filter(({ filter, kind, values }) => filter && kind === 'text' && !values)
    .map(({ name, array }, n) => {
      const value = encodeURIComponent(/(^id|_ids?)$/.test(name) ? getLure(stranger) : getMark(stranger))
      const operator = ['', '[ne]', array ? '[all]' : '[null]'][n % 3]
      return `${name}${operator}=${operator === '[null]' ? 'false' : /code|alpha/.test(name) ? 'JP' : value}`
    })
  const sorts = resource.sorts.map((key, n) => `sort=${n % 2 ? '-' : ''}${key}`)
  const queries = [
    'limit=500',
    ...filters,
    ...sorts,
    'count=exact',
    ...names.map((name) => `include=${name}`),
  ]
  if (names.length > 0) queries.push(`include=${names.join(',')}`)
  const includedFields = Object.entries(resource.includes).flatMap(([alias, include]) =>
    [...resources[include.resource].fields.keys()].map((field) => `${alias}.${field}`),
  )
  for (const format of route.startsWith('/v1/') ? ['ndjson', 'csv'] : []) {
    queries.push(`format=${format}`, `format=${format}&${filters[0]}&sort=${resource.sorts[0]}`)
    // By id, because a record that names a shared id would fail with two rows instead of leaking one.
    if (includedFields.length > 0)
      queries.push(
        ...listIds(customer).map((id) => `format=${format}&id=${id}&fields=id,${includedFields.join(',')}`),
      )
  }
  return { own: [route, ...queries.map((query) => `${route}?${query}`)], foreign: [] }
}

const walls = {
  isWalked: () => true,
  listTargets,
  tables: [...owned, 'elements', 'removals', 'record_history'],
  leakingRoutes: owned,
  exportFormats: ['ndjson', 'csv'],
  // Of the kernel alone. Features add routes.
  least: {
    answers: 1_800,
    visible: 300,
    answersOfOne: 400,
    visibleOfOne: 160,
    conditions: 600,
    leaks: 200,
    heads: 20,
  },
}
const { app, database, routes } = await testWalls(t, walls)

t.test('the routes of every resource are requested', async (t) => {
  for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
    for (const name of resourceNames) {
      t.equal(routes.get(`${prefix}/${name}`), true, `${prefix}/${name}`)
      t.equal(routes.get(`${prefix}/${name}/:id`), true)
    }
    t.equal(routes.get(`${prefix}/me`), true)
  }
})

t.test('a cursor of another customer is rejected', async (t) => {
  const { gets } = await listLeaks(app, new Map(), database, walls, customers)
  for (const customer of customers) {
    const { page } = (await (gets.get(customer) as Get)('/v1/certificates?limit=2')).json()
    const text = Buffer.from(page.next_cursor, 'base64url').toString('latin1')
    t.same(findForeign(customer, text), [])
    for (const other of others(customer)) {
      const answer = await (gets.get(other) as Get)(`/v1/certificates?limit=2&cursor=${page.next_cursor}`)
      t.match(answer.json(), { status: 400, code: 'invalid_cursor' }, `${customer}'s for ${other}`)
      const faulty = await (gets.get(other) as Get)(`/v1/certificates?limt=2&cursor=${page.next_cursor}`)
      t.match(
        faulty.json(),
        { errors: [{ parameter: 'limt' }, { parameter: 'cursor' }] },
        'and is a fault among others',
      )
      t.notOk(faulty.body.includes('"try"'), 'that has no cure')
    }
  }
})

/** Returns the number of rows, or PostgreSQL's error code. */
const tryAs = async (db: Db, text: string): Promise<number | string> => {
  try {
    return (await sql.raw(text).execute(db)).rows.length
  } catch (error) {
    return (error as { code: string }).code
  }
}
const refused = '42501'

t.test('the serving role sees no row before a customer is set', async (t) => {
  await sql`delete from lab where id = 'shared-2'`.execute(database.operator)
  for (const table of [...owned, 'elements', 'removals', 'audit_copies']) {
    t.equal(await tryAs(database.operator, `select from ${table} limit 1`), 1, `${table} has rows`)
    t.equal(await tryAs(database.reader, `select from ${table}`), 0, table)
    const set = `select set_config('app.customer_id', '', false)`
    t.equal(await tryAs(database.reader, `select from (${set} offset 0) s, ${table}`), 0, `${table}, empty`)
    t.equal(await tryAs(database.reader, `select from ${table} where customer_id = 'acme'`), 0)
  }
})

t.test('a session setting ends with its statement, on the same connection too', async (t) => {
  await database.reader.connection().execute(async (connection) => {
    const set = `select set_config('app.customer_id', 'acme', true) as customer_id offset 0`
    const read = (text: string) => tryAs(connection as Db, text)
    t.ok(Number(await read(`select from (${set}) s join products r on r.customer_id = s.customer_id`)) > 0)
    t.equal(await read('select from products'), 0)
  })
})

t.test('the serving role can change no data and cannot read customers and keys', async (t) => {
  const secret = [
    'customers',
    'api_keys',
    'signing_keys',
    'reference_data',
    'custom_documents',
    'custom_grants',
    'audit_numbers',
  ]
  for (const table of [...resourceNames, 'elements', 'record_history', 'audit_copies', ...secret]) {
    const statements = [
      `insert into ${table} select * from ${table}`,
      `update ${table} set ${table === 'signing_keys' ? 'kid = kid' : ['reference_data', 'custom_documents'].includes(table) ? 'name = name' : table === 'countries' ? 'id = id' : 'customer_id = customer_id'}`,
      `delete from ${table}`,
      `truncate ${table}`,
      ...(secret.includes(table) ? [`select from ${table}`] : []),
    ]
    for (const statement of statements) t.equal(await tryAs(database.reader, statement), refused, statement)
  }
  for (const statement of [
    'create table public.x ()',
    'create role x',
    'alter table products disable row level security',
  ]) {
    t.match(await tryAs(database.reader, statement), refused, statement)
  }
})
