import type { FastifyInstance, RouteOptions } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import type { Test } from 'tap'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import { onlyNamedScopes } from '../../app/identity/scopes.ts'
import type { Field } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
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
export const customers = ['acme', 'bolt', 'demo'] as const
export type Customer = (typeof customers)[number]
export const owned = resourceNames.filter((name) => !resources[name].reference)
export const getMark = (customer: Customer) => `~${customer}~`
export const listIds = (customer: Customer) => [1, 2, 3].map((n) => `${customer}-only-${n}`)
export const getLure = (customer: Customer) => `lure-of-${customer}`
export const shared = ['shared-1', 'shared-2']
export const others = (customer: Customer) => customers.filter((each) => each !== customer)

/** A value for each column that must not be null, of any resource. */
const toDefault = ({ kind, array, values }: Field): unknown => {
  if (array) return []
  if (kind === 'integer') return 1
  return kind === 'boolean' ? false : values?.[0]
}

const makeRow = (name: string, customer: Customer, id: string, n: number) => {
  const mark = getMark(customer)
  // Relations name own records, shared ids, and lures of another customer in turn.
  const neighbour = customers[(customers.indexOf(customer) + 1) % customers.length] as Customer
  const named = [listIds(customer)[0], shared[0], getLure(neighbour)][n % 3] as string
  const fields = [...resources[name as 'lab'].fields.values()]
  const defaults: Record<string, unknown> = Object.fromEntries(
    fields.filter(({ nullable }) => !nullable).map((field) => [field.name, toDefault(field)]),
  )
  const texts = fields
    .filter((field) => field.kind === 'text' && !field.values && !field.array && !field.computed)
    .map((field) => [field.name, /_id$/.test(field.name) ? named : `${mark} ${field.name}`])
  const row = Object.fromEntries(texts)
  const arrays = { tags: [mark], standards: [mark], part_numbers: [mark], product_ids: [named] }
  const states = { approval_status: 'approved', product_status: 'active' }
  const status = { projects: 'ordered', lab: 'issued', approvals: 'granted' }[name] ?? defaults.status
  const codes = { country_code: 'JP', laboratory_country_code: 'JP', country_codes: ['JP'] }
  const days = { valid_until: '2999-01-01', validity_periods: [] }
  return { ...defaults, ...row, ...arrays, ...states, ...codes, ...days, status, customer_id: customer, id }
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
export const findForeign = (customer: Customer, text: string): string[] =>
  others(customer)
    .flatMap((other) => [getMark(other), ...listIds(other)])
    .filter((each) => text.includes(each))

export const parameter = /:\w+/g

/** Requests for own and shared data, and for data of other customers. */
export type Targets = { own: string[]; foreign: string[] }
type ListTargets = (route: string, customer: Customer) => Targets

const withoutRequest = (body: string) => body.replace(/"request_id":"[^"]*"/, '')
const momentary = ['date', 'request-id', 'server-timing', 'ratelimit', 'data-as-of']
const stableHeaders = (headers: object) =>
  JSON.stringify(Object.entries(headers).filter(([name]) => !momentary.includes(name)))

type Ask = (method: 'GET' | 'HEAD', url: string, headers?: Record<string, string>) => ReturnType<Get>

export const listLeaks = async (
  app: FastifyInstance,
  routes: Map<string, boolean>,
  database: TestDatabase,
  { listTargets }: Pick<Walls, 'listTargets'>,
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
      // A text, or an object (also a cursor) with its text. The rest: values, and a callback.
      const query = (asked: string | { text: string }, ...rest: unknown[]) => {
        const run = client.query.bind(client) as (...given: unknown[]) => unknown
        if (typeof asked === 'string') return run(strip(asked), ...rest)
        asked.text = strip(asked.text)
        return run(asked, ...rest)
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

type Walls = {
  /** Of the routes without `*`, those that are requested. */
  isWalked: (route: string) => boolean
  listTargets: ListTargets
  /** Adds data in addition to records. */
  seedMore?: (database: TestDatabase, app: FastifyInstance) => Promise<void>
  tables: readonly string[]
  /** First parts of the paths below `/v1` that leak without both walls. */
  leakingRoutes: readonly string[]
  exportFormats: readonly string[]
  /** The least numbers that prove that the walls were tried. */
  least: {
    answers: number
    visible: number
    answersOfOne: number
    visibleOfOne: number
    conditions: number
    leaks: number
    heads: number
  }
}

/** Requests routes as several customers. Then removes each of two walls in turn, and the other one holds. */
export const testWalls = async (t: Test, walls: Walls) => {
  const { isWalked, seedMore, tables, least, leakingRoutes, exportFormats } = walls
  const open = async (database: TestDatabase) => {
    for (const customer of customers) await addCustomer(database, customer)
    await seed(database)
  }
  const database = await createTestDatabase()
  await open(database)
  const { app, routes: all } = await collectRoutes(() => createTestApp(database))
  closeAfter(t, app, database)
  await seedMore?.(database, app)
  const isRead = ({ url, method }: RouteOptions) =>
    [method].flat().includes('GET') && !url.includes('*') && isWalked(url)
  /** By path: whether the route needs a token. */
  const routes = new Map(all.filter(isRead).map(({ url, config }) => [url, config?.scope !== undefined]))
  /** Requested by one customer while a wall is removed. */
  const canonical = new Map([...routes].filter(([route]) => route.startsWith('/v1/')))
  const one = ['acme'] as const

  t.test('no route returns data of another customer', async (t) => {
    const { leaks, answers, visible, size } = await listLeaks(app, routes, database, walls)
    t.same(leaks, [])
    t.comment(`both walls: ${size}`)
    t.ok(answers > least.answers, `${answers} answers`)
    t.ok(visible > least.visible, `${visible} answers showed the customer's own records`)
  })

  t.test('row level security alone separates customers', async (t) => {
    const { db, wrapExports, replaced } = createStripped(database.url)
    const unguarded = await createTestApp({ ...database, reader: db }, { wrapExports })
    closeAfter(t, unguarded, db)
    const { leaks, answers, visible, size } = await listLeaks(unguarded, canonical, database, walls, one)
    t.same(leaks, [])
    t.comment(`row level security alone: ${size}, ${replaced()} conditions taken out`)
    t.ok(answers > least.answersOfOne, `${answers} answers`)
    t.ok(visible > least.visibleOfOne, 'the customers still see their own')
    t.ok(replaced() > least.conditions, `${replaced()} conditions were taken out`)
  })

  t.test('the conditions alone separate customers, and without both walls data leaks', async (t) => {
    const unsecured = await createTestDatabase()
    await open(unsecured)
    const owner = new pg.Client({ connectionString: unsecured.url })
    await owner.connect()
    for (const table of tables) await owner.query(`alter table ${table} disable row level security`)
    await owner.end()
    const conditioned = await createTestApp(unsecured)
    await seedMore?.(unsecured, conditioned)
    const { db, wrapExports } = createStripped(unsecured.url)
    const wallless = await createTestApp({ ...unsecured, reader: db }, { wrapExports })
    closeAfter(t, conditioned, wallless, db, unsecured)
    const { leaks, answers, visible, size } = await listLeaks(conditioned, canonical, unsecured, walls, one)
    t.same(leaks, [])
    t.comment(`conditions alone: ${size}`)
    t.ok(answers > least.answersOfOne, `${answers} answers`)
    t.ok(visible > least.visibleOfOne, `${visible} answers showed the customer's own records`)
    const seen = (await listLeaks(wallless, canonical, unsecured, walls, one)).leaks
    t.ok(seen.length > least.leaks, 'leaks without both walls')
    t.comment(`neither wall: ${seen.length} leaks are seen`)
    const routesSeen = new Set(seen.map((leak) => ('url' in leak ? String(leak.url).split(/[/?]/)[2] : '')))
    const unseen = leakingRoutes.filter((name) => !routesSeen.has(name))
    t.same(unseen, [], 'on all routes')
    t.ok(seen.filter((leak) => 'head' in leak).length >= least.heads, 'and by HEAD too')
    for (const format of exportFormats) {
      const exported = seen.filter((leak) => 'url' in leak && String(leak.url).includes(`format=${format}`))
      t.ok(exported.length >= leakingRoutes.length, `and in exports as ${format}`)
    }
  })
  return { app, database, routes }
}
