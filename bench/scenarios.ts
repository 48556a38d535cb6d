import { Redis } from 'ioredis'
import { resources } from '../app/records/resources/index.ts'
import type { Target } from './lib/load.ts'
import { type Server, startReference } from './lib/processes.ts'
import type { World } from './lib/world.ts'
import type { Instructions } from './reference.ts'

/** What is measured, and beside what. */
export type Scenario = {
  name: string
  /** What the reference is, in words. */
  against: string
  /** The ratio of rates that we want to reach. */
  goal?: number
  subject: Target
  reference?: Target
  /** Connections, where they are not as many as usual. */
  connections?: number
  /** Runs while the subject is measured; returns what ends it. */
  beside?: () => () => void
}

/** Whether a header belongs to the connection and not to the answer. */
const ofConnection = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

type Sampled = { headers: Record<string, string>; body: Buffer }

const sampleOf = async ({ server, path, headers = {}, method = 'GET', body }: Target): Promise<Sampled> => {
  const init = { method, headers: { ...headers, 'accept-encoding': 'identity' }, ...(body ? { body } : {}) }
  const answer = await fetch(server.url + path, init)
  if (answer.status !== 200 && answer.status !== 304) {
    throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`)
  }
  const kept = [...answer.headers].filter(([name]) => !ofConnection.has(name))
  return { headers: Object.fromEntries(kept), body: Buffer.from(await answer.arrayBuffer()) }
}

/** By hand what the page's statement does for anybody: the same rows, fields and order, as JSON. */
const pageByHand = `
  select coalesce(json_agg(row_to_json(s)), '[]')::text as json from (
    select id, number, title, product_id, project_id, approval_id, supersedes_id, country_code, authority, scheme,
      certificate_type, approval_status, case when approval_status in ('rejected', 'revoked', 'withdrawn',
      'superseded', 'suspended') then 'void' when valid_until < current_date then 'expired' else 'valid' end as validity,
      valid_until - current_date as days_remaining, valid_from, valid_until, validity_periods, issued_on, holder,
      standards, tags, source_url, created_at, updated_at
    from certificates where customer_id = $1 and created_at < $2::timestamptz
    order by created_at desc, id desc limit 50) s`
const itemByHand = `
  select row_to_json(s)::text as json from (
    select id, number, title, product_id, project_id, approval_id, supersedes_id, country_code, authority, scheme,
      certificate_type, approval_status, case when approval_status in ('rejected', 'revoked', 'withdrawn',
      'superseded', 'suspended') then 'void' when valid_until < current_date then 'expired' else 'valid' end as validity,
      valid_until - current_date as days_remaining, valid_from, valid_until, validity_periods, issued_on, holder,
      standards, tags, source_url, created_at, updated_at
    from certificates where customer_id = $1 and id = 'crt-' || 1 + ($2::integer % 10000)) s`

/** The columns of an export's records, in its order. */
const copyByHand = (customerId: string): string => {
  const columns = [...resources.certificates.fields.values()].filter(({ computed }) => !computed)
  return `copy (select ${columns.map(({ name }) => name).join(', ')} from certificates
    where customer_id = '${customerId}' order by created_at desc, id desc) to stdout`
}
/** As in bench/export.ts: a second would compete with the first for the cores. */
const exportsAtOnce = 1

/** As many as the service has. */
const poolSize = 10

/** Ranks by Zipf's law: a few are asked for all the time, most hardly ever. */
const createZipf = (size: number, exponent = 1) => {
  const weights = Array.from({ length: size }, (_, rank) => 1 / (rank + 1) ** exponent)
  const total = weights.reduce((sum, each) => sum + each, 0)
  let sum = 0
  const bounds = weights.map((each) => {
    sum += each / total
    return sum
  })
  return (): number => {
    const at = Math.random()
    const index = bounds.findIndex((bound) => bound >= at)
    return index === -1 ? size - 1 : index
  }
}

const crowdQueries = [
  ...Array.from({ length: 20 }, (_, n) => `/v1/certificates?limit=${(n + 1) * 5}`),
  ...Array.from({ length: 20 }, (_, n) => `/v1/certificates/crt-${n + 1}`),
  ...['validity=valid', 'expiring=true', 'country_code=DE', 'scheme=CE%20RED', 'tags=line-1'].map(
    (filter) => `/v1/certificates?${filter}`,
  ),
  '/v1/products',
  '/v1/certificates?include=product&limit=20',
  '/v1/certificates?sort=valid_until',
  '/v1/countries?limit=20',
  '/v1/me',
]

/** All scenarios over the world; references are started and belong to the caller, who stops them. */
export const createScenarios = async (
  world: World,
): Promise<{ scenarios: Scenario[]; references: Server[] }> => {
  const { service, token, customer, database } = world
  const authorization = { authorization: `Bearer ${token}` }
  const references: Server[] = []
  const refer = async (instructions: Instructions): Promise<Server> => {
    const server = await startReference(instructions)
    references.push(server)
    return server
  }
  const bare = async (subject: Target): Promise<Target> => {
    // Twice: the second time it is the cached answer.
    await sampleOf(subject)
    const { headers, body } = await sampleOf(subject)
    return { ...subject, server: await refer({ headers, body: body.toString('base64') }) }
  }

  const scenarios: Scenario[] = []
  const page = (limit: number): Target => {
    return { server: service, path: `/v1/certificates?limit=${limit}`, headers: authorization }
  }
  const pageBare = await bare(page(50))
  for (const limit of [1, 50, 500]) {
    scenarios.push({
      name: `cached page of ${limit}`,
      against: 'bare node:http, same bytes and headers',
      goal: 0.9,
      subject: page(limit),
      reference: limit === 50 ? pageBare : await bare(page(limit)),
    })
  }
  const { etag = '' } = (await sampleOf(page(50))).headers
  scenarios.push({
    name: '304',
    against: 'bare node:http, sending the page of 50',
    goal: 1,
    subject: { ...page(50), headers: { ...authorization, 'if-none-match': etag } },
    reference: pageBare,
  })
  const item: Target = { server: service, path: '/v1/certificates/crt-7', headers: authorization }
  scenarios.push({
    name: 'cached item',
    against: 'bare node:http, same bytes and headers',
    subject: item,
    reference: await bare(item),
  })

  const dashboard: Target = {
    server: service,
    path: '/v1/custom/dashboard-overview',
    headers: authorization,
  }
  scenarios.push({
    name: 'cached dashboard',
    against: 'bare node:http, same bytes and headers',
    subject: dashboard,
    reference: await bare(dashboard),
  })

  const { redis, redisService, redisToken } = world
  if (redis && redisService) {
    const subject = { ...page(50), server: redisService, headers: { authorization: `Bearer ${redisToken}` } }
    const { headers, body } = await sampleOf(subject)
    const { 'content-length': _length, ...rest } = headers
    const client = new Redis(redis.url)
    await client.set('bench', body)
    client.disconnect()
    scenarios.push({
      name: 'Redis hit, page of 50',
      against: 'bare node:http and one raw GET',
      goal: 0.8,
      subject,
      reference: {
        ...subject,
        server: await refer({ headers: rest, body: '', redis: { url: redis.url, key: 'bench' } }),
      },
    })
  }

  let unique = 0
  const nextInstant = () => `2200-01-01T00:00:00.${String(unique++ % 1_000_000).padStart(6, '0')}Z`
  const uncached = async (
    name: string,
    text: string,
    path: string,
    makePath: () => string,
    goal?: number,
  ) => {
    const subject: Target = { server: service, path, makePath, headers: authorization }
    const { headers } = await sampleOf(subject)
    const { 'content-length': _length, ...rest } = headers
    const postgres = { url: database.url, max: poolSize, text, customerId: customer.customerId }
    scenarios.push({
      name,
      against: 'bare node:http and one raw prepared query',
      ...(goal === undefined ? {} : { goal }),
      subject,
      reference: { ...subject, server: await refer({ headers: rest, body: '', postgres }) },
    })
  }
  const uniquePage = () => `/v1/certificates?limit=50&created_at[lt]=${nextInstant()}`
  await uncached('uncached page of 50, unique queries', pageByHand, uniquePage(), uniquePage, 0.7)
  // Each of 10,000 records with one of many windows: never the same question twice in a run.
  const uniqueItem = () => {
    unique += 1
    return `/v1/certificates/crt-${1 + (unique % 10_000)}?expiring_within=${1 + (Math.floor(unique / 10_000) % 365)}`
  }
  await uncached('uncached item', itemByHand.replace('$2::integer', '$2::integer'), uniqueItem(), uniqueItem)

  const wholeList: Target = {
    server: service,
    path: '/v1/certificates?format=ndjson',
    headers: authorization,
  }
  const { headers: exportHeaders } = await sampleOf(wholeList)
  const copy = { url: database.url, max: exportsAtOnce, text: copyByHand(customer.customerId) }
  scenarios.push({
    name: 'NDJSON export of 10,000',
    against: 'bare node:http, COPY of the same rows through pg, as it comes; one at a time',
    goal: 0.6,
    connections: exportsAtOnce,
    subject: wholeList,
    reference: { ...wholeList, server: await refer({ headers: exportHeaders, body: '', copy }) },
  })

  scenarios.push({
    name: 'login',
    against: 'nothing',
    subject: {
      server: service,
      method: 'POST',
      path: '/v1/auth/login',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: customer.apiKey }),
    },
  })

  const { crowd } = world
  if (crowd.length > 0) {
    const [pickCustomer, pickQuery] = [createZipf(crowd.length), createZipf(crowdQueries.length)]
    let asked = 0
    let owed = 0
    const subject: Target = {
      server: service,
      path: '/v1/certificates?limit=50',
      headers: { authorization: `Bearer ${crowd[0]?.token}` },
      makePath: () => {
        asked += 1
        if (asked % 20 === 0) owed += 1
        return crowdQueries[pickQuery()] as string
      },
      makeHeaders: () => ({ authorization: `Bearer ${crowd[pickCustomer()]?.token}` }),
    }
    scenarios.push({
      name: `mixed: ${crowd.length} customers, Zipf, 5 % writes`,
      against: 'bare node:http, sending the page of 50',
      subject,
      reference: pageBare,
      beside: () => {
        // One write for every twenty questions, as fast as the database takes them.
        let isOver = false
        const work = async () => {
          while (!isOver) {
            if (owed > 0) {
              owed -= 1
              await world.write(crowd[pickCustomer()]?.customerId ?? '').catch(() => {})
            } else await new Promise((resolve) => setTimeout(resolve, 1))
          }
        }
        void work()
        void work()
        return () => {
          isOver = true
        }
      },
    })
  }
  return { scenarios, references }
}
