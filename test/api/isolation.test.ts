import type { FastifyInstance, RouteOptions } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { recordEvents } from '../../app/audit/record.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import type { Db } from '../../app/db/schema.ts'
import { onlyNamedScopes } from '../../app/identity/scopes.ts'
import { installShipped } from '../../app/local/custom-endpoints.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { createStage } from '../custom/stage.ts'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  type Get,
  logIn,
  type TestDatabase,
} from '../helper.ts'
import { collectRoutes } from './http-stage.ts'

/**
 * Customers have similar records. Every text contains the mark of its customer. Ids are unique to a customer, or shared
 * by all. Lures are ids of one customer that records of others name.
 */
const customers = ['acme', 'bolt', 'demo'] as const
type Customer = (typeof customers)[number]
const owned = resourceNames.filter((name) => !resources[name].reference)
const getMark = (customer: Customer) => `~${customer}~`
const listIds = (customer: Customer) => [1, 2, 3].map((n) => `${customer}-only-${n}`)
const getLure = (customer: Customer) => `lure-of-${customer}`
const shared = ['shared-1', 'shared-2']
const others = (customer: Customer) => customers.filter((each) => each !== customer)

const makeRow = (name: string, customer: Customer, id: string, n: number) => {
  const mark = getMark(customer)
  // Relations name own records, shared ids, and lures of another customer in turn.
  const neighbour = customers[(customers.indexOf(customer) + 1) % customers.length] as Customer
  const named = [listIds(customer)[0], shared[0], getLure(neighbour)][n % 3] as string
  const texts = [...resources[name as 'lab'].fields.values()]
    .filter((field) => field.kind === 'text' && !field.values && !field.array && !field.computed)
    .map((field) => [field.name, /_id$/.test(field.name) ? named : `${mark} ${field.name}`])
  const row = Object.fromEntries(texts)
  const arrays = { tags: [mark], standards: [mark], part_numbers: [mark], product_ids: [named] }
  const states = { approval_status: 'approved', product_status: 'active', revision: 1, technologies: [] }
  const status = { projects: 'ordered', lab: 'issued', approvals: 'granted' }[name]
  const codes = { country_code: 'JP', laboratory_country_code: 'JP', country_codes: ['JP'] }
  const days = { valid_until: '2999-01-01', validity_periods: [] }
  return { ...row, ...arrays, ...states, ...codes, ...days, status, customer_id: customer, id }
}

const seed = async ({ operator }: TestDatabase) => {
  await sql`insert into countries (id, code, alpha3, name, region, requirements)
    values ('JP', 'JP', 'JPN', 'Japan', 'asia_pacific', '(,,,,,)')`.execute(operator)
  for (const customer of customers) {
    for (const name of owned) {
      const ids = [...listIds(customer), ...shared, getLure(customer)]
      const rows = ids.map((id, n) => makeRow(name, customer, id, n))
      const columns = [...resources[name].fields.values()].filter(
        (field) => !field.computed && field.kind !== 'instant',
      )
      const names = sql.join(
        ['customer_id', ...columns.map((field) => field.name)].map((each) => sql.ref(each)),
      )
      await sql`insert into ${sql.table(name)} (${names}) select ${names}
        from json_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(rows)}::json)`.execute(
        operator,
      )
    }
  }
}

/** Returns the marks and ids of other customers in the text. */
const findForeign = (customer: Customer, text: string): string[] =>
  others(customer)
    .flatMap((other) => [getMark(other), ...listIds(other)])
    .filter((each) => text.includes(each))

const parameter = /:\w+/g

/** One customer's requests for a route: each filter, sort and include once, and ids of every kind. */
const listTargets = (route: string, customer: Customer): { own: string[]; foreign: string[] } => {
  if (route.endsWith('/custom/:name')) return customTargets(route, customer)
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
  if (route.endsWith('/audit')) {
    const queries = [
      'limit=500',
      'limit=1',
      'format=ndjson',
      'action=customers.show',
      'since=today-1d',
      'after=0',
    ]
    return { own: [route, ...queries.map((query) => `${route}?${query}`)], foreign: [] }
  }
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

/** Documents for all customers with every field and join, and one document for each customer. */
const documents = (): { text: string; to: readonly Customer[] }[] => {
  const everyone = [...customers]
  const lists = owned.map((name) => {
    const { fields, includes } = resources[name]
    const pick = (target: string) => [...resources[target as 'lab'].fields.keys()]
    type Join = { to: string; on: string; pick: string[] }
    const joins = Object.entries(includes).map(([alias, { resource, by }]): [string, Join] => [
      `${alias}_`,
      { to: resource, on: by, pick: pick(resource) },
    ])
    const many = { products: ['approvals', 'product_id'], certificates: ['lab', 'certificate_id'] }[
      String(name)
    ]
    const [to = '', by] = many ?? []
    if (many && joins.length < 3)
      joins.push(['many_', { to, on: 'id', many_on: by, limit: 50, pick: pick(to) } as object as Join])
    const select = [
      ...[...fields.keys()].map((field) => [field, field]),
      ...joins.flatMap(([alias, join]) =>
        alias === 'many_'
          ? [[alias, alias]]
          : join.pick.map((field) => [`${alias}${field}`, `${alias}.${field}`]),
      ),
    ].slice(0, 100)
    const filters = [...fields.values()].filter(({ filter }) => filter).map((field) => field.name)
    const from = { from: name, joins: Object.fromEntries(joins), filters }
    return { name: `all-${name}`, revision: 1, list: { ...from, select: Object.fromEntries(select) } }
  })
  const first = owned.map((name) => [
    name,
    {
      first: { from: name, where: { id: '$id' } },
      select: { id: 'id', tags: 'tags', created_at: 'created_at' },
    },
  ])
  const probe = {
    name: 'probe',
    revision: 1,
    params: { id: { type: 'string' } },
    object: Object.fromEntries(first),
  }
  const groups = {
    name: 'groups',
    revision: 1,
    object: {
      certificates: { count_by: { from: 'certificates' }, fields: ['scheme', 'authority'] },
      approvals: { count_by: { from: 'approvals' }, fields: ['scheme'] },
      names: { list: { from: 'products' }, value: 'name', limit: 50 },
      merged: {
        merge: ['products', 'lab'].map((from) => ({ from, select: { id: 'id', tags: 'tags' } })),
        by: 'id',
        limit: 50,
      },
    },
  }
  return [
    ...[...lists, probe, groups].map((document) => ({ text: JSON.stringify(document), to: everyone })),
    ...customers.map((customer) => ({
      text: JSON.stringify({
        name: `only-${customer}`,
        revision: 1,
        object: { is: { const: getMark(customer) } },
      }),
      to: [customer],
    })),
  ]
}

const seedDocuments = async (on: TestDatabase) => {
  await installShipped(on.operator)
  const { apply, grant } = createStage(on)
  for (const { text, to } of documents()) {
    await apply(text)
    for (const customer of to) await grant(JSON.parse(text).name, customer)
  }
  for (const customer of customers) await grant('market-access', customer)
}

const customTargets = (route: string, customer: Customer): { own: string[]; foreign: string[] } => {
  const at = (name: string) => route.replace(parameter, name)
  const ids = customers.flatMap((each) => [listIds(each)[0], getLure(each)])
  const [stranger] = others(customer) as [Customer]
  const own = [
    ...owned.flatMap((name) => [
      `all-${name}?limit=500`,
      `all-${name}?limit=2&count=exact`,
      `all-${name}?id=${listIds(stranger)[0]},${getLure(stranger)},${listIds(customer)[0]}`,
    ]),
    ...ids.map((id) => `probe?id=${id}`),
    // This endpoint repeats the requested id, so lures are no leak.
    ...customers.map((each) => `market-access?country_code=JP&product_id=${getLure(each)}`),
    'groups',
    'dashboard-overview',
    `only-${customer}`,
  ]
  const foreign = others(customer).map((other) => at(`only-${other}`))
  return { own: own.map(at), foreign }
}

/** One entry of each customer. */
const seedAudit = async (app: FastifyInstance, { operator }: TestDatabase) => {
  const act = { actor: 'operator', action: 'customers.show' } as const
  const entries = customers.map((customer) => ({ ...act, customer, subject: getMark(customer) }))
  await recordEvents(operator, entries)
  await app.audit.seal(true)
}

const withoutRequest = (body: string) => body.replace(/"request_id":"[^"]*"/, '')
const momentary = ['date', 'request-id', 'server-timing', 'ratelimit', 'data-as-of']
const stableHeaders = (headers: object) =>
  JSON.stringify(Object.entries(headers).filter(([name]) => !momentary.includes(name)))

type Ask = (method: 'GET' | 'HEAD', url: string, headers?: Record<string, string>) => ReturnType<Get>

const listLeaks = async (
  app: FastifyInstance,
  routes: Map<string, boolean>,
  database: TestDatabase,
  askers: readonly Customer[] = ['acme', 'demo'],
) => {
  const leaks: object[] = []
  let answers = 0
  let visible = 0
  const asks = new Map<Customer, Ask>()
  for (const customer of customers) {
    // A key has some scopes only if they are named.
    const scopes = ['*', ...onlyNamedScopes]
    const apiKey = customer === 'demo' ? '' : await addCustomer(database, customer, { scopes })
    const token = customer === 'demo' ? 'cda_demo_public' : (await logIn(app, apiKey)).token
    asks.set(customer, (method, url, headers = {}) => {
      answers++
      const fresh = { authorization: `Bearer ${token}`, 'cache-control': 'no-cache' }
      return app.inject({ method, url, headers: { ...fresh, ...headers } })
    })
  }
  const gets = new Map<Customer, Get>(
    [...asks].map(([customer, ask]) => [customer, (url, headers) => ask('GET', url, headers)]),
  )
  const walk = async (customer: Customer, route: string, isClosed: boolean) => {
    const get = gets.get(customer) as Get
    const head = (url: string) => (asks.get(customer) as Ask)('HEAD', url)
    const targets = listTargets(route, customer)
    // All requests for one customer and the canonical path. A sample is enough for the rest, which shares its code.
    const isWhole = customer === customers[0] && route.startsWith('/v1/')
    const own = isWhole ? targets.own : targets.own.slice(0, 2)
    const foreign = isWhole ? targets.foreign : targets.foreign.slice(0, 2)
    const unknown = await get(route.replace(parameter, 'nobody-has-this'))
    const unknownHead = await head(route.replace(parameter, 'nobody-has-this'))
    // The demo token is refused on routes without example data, whatever the id.
    const isDemoRefused = customer === 'demo' && unknown.body.includes('live_token_required')
    const status = isDemoRefused ? 403 : 404
    for (const url of foreign) {
      const answer = await get(url)
      const same = withoutRequest(answer.body) === withoutRequest(unknown.body)
      if (isClosed && (answer.statusCode !== status || !same))
        leaks.push({ customer, url, body: answer.body })
      if (stableHeaders(answer.headers) !== stableHeaders(unknown.headers))
        leaks.push({ customer, url, headers: true })
      const bare = await head(url)
      const isUnknown = bare.body === '' && stableHeaders(bare.headers) === stableHeaders(unknownHead.headers)
      if (isClosed && (bare.statusCode !== status || !isUnknown)) leaks.push({ customer, url, head: true })
    }
    for (const [n, url] of own.entries()) {
      // Every third request also from memory, and by HEAD.
      for (const headers of n % 3 ? [{}] : [{}, { 'cache-control': '' }]) {
        const answer = await get(url, headers)
        // Links repeat the query, which may name ids of other customers.
        const { link, ...rest } = answer.headers
        const asksForeign = findForeign(customer, decodeURIComponent(url)).length > 0
        const shown = [answer.body, JSON.stringify(rest), asksForeign ? '' : link].join(' ')
        const found = findForeign(customer, shown)
        if (found.length > 0) leaks.push({ customer, url, found })
        if (answer.body.includes(getMark(customer))) visible++
      }
      if (n % 3) continue
      const bare = await head(url)
      const { link: _, ...rest } = bare.headers
      const found = findForeign(customer, bare.body + JSON.stringify(rest))
      if (found.length > 0 || bare.body !== '') leaks.push({ customer, url, head: found })
    }
  }
  for (const [route, isClosed] of routes) {
    await Promise.all(askers.map((customer) => walk(customer, route, isClosed)))
  }
  const size = `${askers.length} customers, ${routes.size} routes, ${answers} answers`
  return { leaks, answers, visible, gets, size }
}

const database = await createTestDatabase()
for (const customer of customers) await addCustomer(database, customer)
await seed(database)
await seedDocuments(database)
const { app, routes: all } = await collectRoutes(() => createTestApp(database))
const isWalked = ({ url, method }: RouteOptions) => [method].flat().includes('GET') && !url.includes('*')
/** By path: whether the route needs a token. */
const routes = new Map(all.filter(isWalked).map(({ url, config }) => [url, config?.scope !== undefined]))
await seedAudit(app, database)
/** Requested by one customer while a wall is removed. */
const canonical = new Map([...routes].filter(([route]) => route.startsWith('/v1/')))
const one = ['acme'] as const
closeAfter(t, app, database)

t.test('no route returns data of another customer', async (t) => {
  for (const name of resourceNames) {
    for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
      t.equal(routes.get(`${prefix}/${name}`), true, `${prefix}/${name} is walked`)
      t.equal(routes.get(`${prefix}/${name}/:id`), true)
    }
  }
  for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
    t.equal(routes.get(`${prefix}/me`), true)
    t.equal(routes.get(`${prefix}/custom/:name`), true)
    t.equal(routes.get(`${prefix}/audit`), true)
  }
  const { leaks, answers, visible, size } = await listLeaks(app, routes, database)
  t.same(leaks, [])
  t.comment(`both walls: ${size}`)
  t.ok(answers > 2_500, `${answers} answers`)
  t.ok(visible > 400, `${visible} answers showed the customer's own records`)
})

t.test('a cursor of another customer is rejected', async (t) => {
  const { gets } = await listLeaks(app, new Map(), database, customers)
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

/** The condition may compare with a column or with a value. */
const ownConditions = /\b\w+\.customer_id = (s\.customer_id|\$\d+)/g
const referred = (value: string) => (value.startsWith('$') ? `${value}::text` : value)

/** Removes the customer's condition from every statement of the serving role, also of exports. */
const createStripped = (url: string) => {
  let replaced = 0
  const strip = (text: string) =>
    text.replace(ownConditions, (_, value: string) => {
      replaced++
      // Keeps the dependency on `s`, so that no row is read before the customer is set.
      return `${referred(value)} is not null and s.customer_id is not null`
    })
  const stripping = (pool: Pick<pg.Pool, 'connect'>) => ({
    connect: async () => {
      const client = await pool.connect()
      // A text, or an object (also a cursor) with its text.
      const query = (asked: string | { text: string }, values: unknown[]) => {
        if (typeof asked === 'string') return client.query(strip(asked), values)
        asked.text = strip(asked.text)
        return client.query(asked)
      }
      return Object.assign(Object.create(client), {
        query,
        release: (error?: boolean | Error) => client.release(error),
      })
    },
  })
  const pool = createPool(url, { role: readerRole, max: 4, applicationName: 'stripped', onError: () => {} })
  const stripped = { options: pool.options, end: () => pool.end(), ...stripping(pool) }
  return { db: createDb(stripped as pg.Pool), wrapExports: stripping, replaced: () => replaced }
}

t.test('row level security alone separates customers', async (t) => {
  const { db, wrapExports, replaced } = createStripped(database.url)
  const unguarded = await createTestApp({ ...database, reader: db }, { wrapExports })
  closeAfter(t, unguarded, db)
  const { leaks, answers, visible, size } = await listLeaks(unguarded, canonical, database, one)
  t.same(leaks, [])
  t.comment(`row level security alone: ${size}, ${replaced()} conditions taken out`)
  t.ok(answers > 500, `${answers} answers`)
  t.ok(visible > 180, 'the customers still see their own')
  t.ok(replaced() > 600, `${replaced()} conditions were taken out`)
})

t.test('the conditions alone separate customers, and without both walls data leaks', async (t) => {
  const unsecured = await createTestDatabase()
  for (const customer of customers) await addCustomer(unsecured, customer)
  await seed(unsecured)
  await seedDocuments(unsecured)
  const owner = new pg.Client({ connectionString: unsecured.url })
  await owner.connect()
  for (const table of [...owned, 'elements', 'removals', 'record_history', 'audit_copies'])
    await owner.query(`alter table ${table} disable row level security`)
  await owner.end()
  const conditioned = await createTestApp(unsecured)
  await seedAudit(conditioned, unsecured)
  const { db, wrapExports } = createStripped(unsecured.url)
  const open = await createTestApp({ ...unsecured, reader: db }, { wrapExports })
  closeAfter(t, conditioned, open, db, unsecured)
  const { leaks, answers, visible, size } = await listLeaks(conditioned, canonical, unsecured, one)
  t.same(leaks, [])
  t.comment(`conditions alone: ${size}`)
  t.ok(answers > 500, `${answers} answers`)
  t.ok(visible > 180, `${visible} answers showed the customer's own records`)
  const seen = (await listLeaks(open, canonical, unsecured, one)).leaks
  t.ok(seen.length > 200, 'leaks without both walls')
  t.comment(`neither wall: ${seen.length} leaks are seen`)
  const routesSeen = new Set(seen.map((leak) => ('url' in leak ? String(leak.url).split(/[/?]/)[2] : '')))
  t.same(
    [...owned, 'custom', 'audit'].filter((name) => !routesSeen.has(name)),
    [],
    'on the routes of every resource',
  )
  t.ok(seen.filter((leak) => 'head' in leak).length > 20, 'and by HEAD too')
  for (const format of ['ndjson', 'csv']) {
    const exported = seen.filter((leak) => 'url' in leak && String(leak.url).includes(`format=${format}`))
    t.ok(exported.length >= one.length * owned.length, `and in exports as ${format}`)
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
