import { Redis } from 'ioredis'
import { ask, findDifference, type WholeAnswer } from './lib/ask.ts'
import type { Target } from './lib/generators.ts'
import { countTransactions, getPostmaster } from './lib/postgres.ts'
import { startReference } from './lib/processes.ts'
import { createUniquePages } from './lib/unique.ts'
import type { World } from './lib/world.ts'
import type { Instructions } from './reference.ts'
import { readReading } from './statement.ts'

export type Scenario = {
  name: string
  against: string
  subject: Target
  /** Starts the reference, which sends the subject's present answer. Rejects if its answer differs. */
  startReference: () => Promise<Target>
  /** Processes whose time is added to the answer's. */
  stores?: readonly number[]
  /** Those of the reference. Defaults to `stores`. */
  referenceStores?: readonly number[]
  /** The reference is another release, whose answers may have other fields. */
  mayDiffer?: boolean
  /** Returns the total of PostgreSQL's queries. For scenarios that need one query per answer. */
  countQueries?: () => Promise<number>
}

/** Fields that Node adds to each answer. */
const added = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

const readSample = async (target: Target): Promise<WholeAnswer> => {
  const answer = await ask({ ...target, url: target.server.url })
  const { status, body } = answer
  if (status === 200 || status === 304) return answer
  throw new Error(`${target.path} returned ${status}: ${body}`)
}

type Store = Pick<Instructions, 'redis' | 'postgres'>

/** Starts the reference of a target. `storeOf` returns the store for the service's answer. */
const refer = async (
  subject: Target,
  tls: Instructions['tls'],
  storeOf: (answer: WholeAnswer) => Promise<Store> = async () => ({}),
): Promise<Target> => {
  // The second answer comes from the cache.
  if (!subject.numbered) await readSample(subject)
  const answer = await readSample(subject)
  const fields = answer.fields.filter(([name]) => !added.has(name.toLowerCase()))
  const server = await startReference({
    status: answer.status,
    fields,
    body: answer.body.toString('base64'),
    tls,
    isHttp2: subject.isHttp2,
    ...(await storeOf(answer)),
  })
  const reference = { ...subject, server }
  const difference = findDifference(answer, await readSample(reference))
  if (difference === undefined) return reference
  await server.stop()
  throw new Error(difference)
}

const listHits = async ({ service, tls, token }: World): Promise<Scenario[]> => {
  const authorization = { authorization: `Bearer ${token}` }
  const page = '/v1/certificates?limit=50'
  const { fields } = await readSample({ server: service, path: page, headers: authorization })
  const etag = fields.find(([name]) => name === 'etag')?.[1] ?? ''
  const answers: Record<string, Pick<Target, 'path' | 'headers'>> = {
    item: { path: '/v1/certificates/crt-7', headers: authorization },
    'page of 50': { path: page, headers: authorization },
    '304': { path: page, headers: { ...authorization, 'if-none-match': etag } },
  }
  const ways = [
    { way: 'HTTP/1.1', server: service, files: undefined, isHttp2: false, module: 'node:http' },
    ...(tls
      ? [
          { way: 'HTTP/1.1 over TLS', isHttp2: false, module: 'node:https' },
          { way: 'HTTP/2', isHttp2: true, module: 'node:http2' },
        ].map((each) => ({ ...each, server: tls.service, files: tls.files }))
      : []),
  ]
  return ways.flatMap(({ way, server, files, isHttp2, module }) =>
    Object.entries(answers).map(([name, answer]): Scenario => {
      const subject = { ...answer, server, isHttp2 }
      return {
        name: `${name}, ${way}`,
        against: `bare ${module}`,
        subject,
        startReference: () => refer(subject, files),
      }
    }),
  )
}

const redisHit = ({ redis, token }: World): Scenario[] => {
  if (!redis) return []
  const { store, service: server } = redis
  const subject = { server, path: '/v1/certificates?limit=50', headers: { authorization: `Bearer ${token}` } }
  const keep = async ({ body }: WholeAnswer) => {
    const client = new Redis(store.url)
    await client.set('bench', body)
    client.disconnect()
    return { redis: { url: store.url, key: 'bench' } }
  }
  return [
    {
      name: 'hit in Redis, page of 50',
      against: 'bare node:http and one GET of Redis',
      subject,
      stores: [store.pid],
      startReference: () => refer(subject, undefined, keep),
    },
  ]
}

const uncachedPage = async ({ service, token, database, customer }: World): Promise<Scenario> => {
  const unique = createUniquePages()
  const first = unique()
  const subject: Target = {
    server: service,
    headers: { authorization: `Bearer ${token}` },
    path: `${first.before}000000${first.after}`,
    numbered: unique,
  }
  const query = subject.path.slice(subject.path.indexOf('?') + 1)
  const read = async ({ body }: WholeAnswer) => ({
    postgres: await readReading(database.url, customer.customerId, query, body),
  })
  return {
    name: 'uncached page of 50',
    subject,
    stores: [await getPostmaster(database.url)],
    against: 'bare node:http and the same statement through pg, records as JSON text',
    startReference: () => refer(subject, undefined, read),
    countQueries: () => countTransactions(database.url),
  }
}

/** The caller stops the references that it starts. */
export const createScenarios = async (world: World): Promise<Scenario[]> => [
  ...(await listHits(world)),
  ...redisHit(world),
  await uncachedPage(world),
]
