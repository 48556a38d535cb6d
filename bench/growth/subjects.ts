import pg from 'pg'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import { instantText } from '../../app/db/instant.ts'
import { createQueryString } from '../../app/http/pairs.ts'
import { createCursorCodec } from '../../app/lists/cursor.ts'
import { createPrepare } from '../../app/records/query/prepare.ts'
import { resources } from '../../app/records/resources/index.ts'
import { openAsker, requestText } from '../lib/client.ts'
import { type Server, startService } from '../lib/processes.ts'
import { issueKey, logIn, secretKey } from '../lib/seed.ts'
import { type Cost, explain, getDashboard, getPage, judgePlan, type Statement } from './plans.ts'
import { dashboardCustomer, largeCustomer, listHolders, type Size } from './sizes.ts'

/** Requested and explained in every size. */
export const measures = {
  page: 'uncached page of 50, anywhere in the large customer',
  any: 'uncached first page of 50 of any customer',
  deep: 'page 10,000 at limit 1 of the large customer',
  search: 'uncached search for two words in the large customer, one match',
  dashboard: 'uncached dashboard of a customer with 1 k',
} as const
export type Measure = keyof typeof measures

/** A database of one size and a service that uses it. */
export type Subject = {
  size: Size
  /** Resolves with milliseconds. Rejects if the answer is not the expected one. */
  ask(measure: Measure): Promise<number>
  /** Runs as the serving role. */
  explain(): Promise<Record<string, Cost>>
  stop(): Promise<void>
}

/** Maximum number of customers that send requests in turn. */
const askedCustomers = 100
/** Records before page 10,000 at limit 1. */
const recordsBefore = 9_999
/** Rows that a page of 50 may read, as in test/db/plans.test.ts: the page, its ties and the rows of look-ups. */
const mostRowsOfPage = 400
/** A dashboard may read all records of its customer for each of a few counts. */
const mostRowsOfDashboard = 6_000

/** Searches a certificate by a word of its number and one of its title: at most a dozen match in every size. */
const getSearch = (n: number): string => `q=${String(n).padStart(8, '0')}+${n}`
const anyNumber = () => 1_000 + Math.floor(Math.random() * 9_000)

const readPosition = async (client: pg.Client, skipped: number): Promise<string[]> => {
  const { rows } = await client.query(
    `select ${instantText('created_at')} as at, id from certificates where customer_id = $1
     order by created_at desc, id desc offset $2 limit 1`,
    [largeCustomer, skipped],
  )
  if (!rows[0]) throw new Error(`the large customer has fewer than ${skipped + 1} certificates`)
  return [rows[0].at, rows[0].id]
}

/** Returns the cursor that a client would have at this position, encoded by the service's codec. */
const cursorAt = (position: readonly string[]): string => {
  const outcome = createPrepare()(resources.certificates, 'page', createQueryString('limit=1'))
  if (!('query' in outcome)) throw new Error('the service refuses the query limit=1: update this bench')
  return createCursorCodec(createSecrets([secretKey])).encode(
    largeCustomer,
    outcome.query.selection,
    position,
  )
}

/** Returns random instants between the large customer's first and last record, so that each page differs. */
const createInstants = async (client: pg.Client): Promise<() => string> => {
  const { rows } = await client.query(
    `select extract(epoch from min(created_at)) * 1000 as first, extract(epoch from max(created_at)) * 1000 as last
     from certificates where customer_id = $1`,
    [largeCustomer],
  )
  const [first, last] = [Number(rows[0].first), Number(rows[0].last)]
  return () => new Date(last - Math.random() * (last - first) * 0.99).toISOString()
}

/** 8 MB, at 8 kB a block. */
const smallBlocks = 1_000

/** Lists the tables that PostgreSQL may scan. */
export const listSmall = async (client: pg.Client): Promise<Set<string>> => {
  const { rows } = await client.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relpages < $1`,
    [smallBlocks],
  )
  return new Set(rows.map(({ name }) => name as string))
}

const explainAll = async (
  url: string,
  small: ReadonlySet<string>,
  position: readonly string[],
  instant: string,
): Promise<Record<string, Cost>> => {
  const pool = createPool(url, { role: readerRole, max: 1, applicationName: 'bench', onError: () => {} })
  const db = createDb(pool)
  const client = await pool.connect()
  const pages: [Measure, Statement][] = [
    ['page', getPage(db, largeCustomer, `limit=50&created_at[lt]=${instant}`)],
    ['any', getPage(db, dashboardCustomer, 'limit=50')],
    ['deep', getPage(db, largeCustomer, 'limit=1', position)],
    ['search', getPage(db, largeCustomer, getSearch(anyNumber()))],
  ]
  const costs: Record<string, Cost> = {}
  try {
    for (const [measure, statement] of pages) {
      for (const isGeneric of [false, true]) {
        const plan = await explain(client, statement, isGeneric)
        costs[`${measures[measure]}${isGeneric ? ', kept plan' : ''}`] = judgePlan(
          plan,
          mostRowsOfPage,
          small,
        )
      }
    }
    const dashboard = await explain(client, getDashboard(db, dashboardCustomer), false)
    costs[measures.dashboard] = judgePlan(dashboard, mostRowsOfDashboard, small)
  } finally {
    client.release()
    await db.destroy()
  }
  return costs
}

const logInAll = async (client: pg.Client, service: Server, size: Size): Promise<Map<string, string>> => {
  const holders = listHolders(size).map(({ customerId }) => customerId)
  const step = Math.max(1, Math.floor(holders.length / askedCustomers))
  const names = new Set([
    largeCustomer,
    dashboardCustomer,
    ...holders.filter((_, index) => index % step === 0),
  ])
  const tokens = new Map<string, string>()
  for (const customerId of names) {
    const apiKey = await issueKey(client, customerId)
    tokens.set(customerId, await logIn(service.url, { customerId, apiKey }))
  }
  return tokens
}

/** Every answer is read from the database. */
const uncached = { CACHE_BYTES: '0', LOG_LEVEL: 'warn' }

export const openSubject = async (url: string, size: Size): Promise<Subject> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const service = await startService({ DATABASE_URL: url, SECRET_KEY: secretKey, ...uncached })
  const tokens = await logInAll(client, service, size)
  const position = await readPosition(client, recordsBefore - 1)
  const expected = (await readPosition(client, recordsBefore))[1]
  const makeInstant = await createInstants(client)
  const small = await listSmall(client)
  await client.end()

  const authorize = (customerId: string) => ({ authorization: `Bearer ${tokens.get(customerId)}` })
  const deepPath = `/v1/certificates?limit=1&cursor=${cursorAt(position)}`
  const sample = await fetch(service.url + deepPath, { headers: authorize(largeCustomer) })
  const { data } = (await sample.json()) as { data?: { id: string }[] }
  if (data?.[0]?.id !== expected) throw new Error(`page 10,000 begins with ${data?.[0]?.id}, not ${expected}`)

  const names = [...tokens.keys()]
  const requests: Record<Measure, () => string> = {
    page: () =>
      requestText(`/v1/certificates?limit=50&created_at[lt]=${makeInstant()}`, authorize(largeCustomer)),
    any: () => {
      const name = names[Math.floor(Math.random() * names.length)] as string
      return requestText('/v1/certificates?limit=50', authorize(name))
    },
    search: () => requestText(`/v1/certificates?${getSearch(anyNumber())}`, authorize(largeCustomer)),
    deep: () => requestText(deepPath, authorize(largeCustomer)),
    dashboard: () => requestText('/v1/custom/dashboard-overview', authorize(dashboardCustomer)),
  }
  const asker = await openAsker(service.url)
  return {
    size,
    async ask(measure) {
      const { status, head, ms } = await asker.ask(requests[measure]())
      if (status !== 200 || !/\r\ncache-status: certdata; fwd/i.test(head)) {
        throw new Error(`${measures[measure]} was not read from the database:\n${head}`)
      }
      return ms
    },
    explain: () => explainAll(url, small, position, makeInstant()),
    async stop() {
      asker.close()
      await service.stop()
    },
  }
}
