import { Redis } from 'ioredis'
import { ask, type WholeAnswer } from './lib/ask.ts'
import type { Target } from './lib/load.ts'
import { postmasterOf } from './lib/postgres.ts'
import { startReference } from './lib/processes.ts'
import { createUniquePages } from './lib/unique.ts'
import type { World } from './lib/world.ts'
import type { Instructions } from './reference.ts'
import { readingOf } from './statement.ts'

/** What is measured, and beside what. */
export type Scenario = {
  name: string
  /** What the reference is, in words. */
  against: string
  /** Share of the reference's processor time by the service's that we want to reach. */
  goal?: number
  subject: Target
  /** Starts the reference, which sends what the subject sends now. Absent: there is none. */
  startReference?: () => Promise<Target>
  /** Processes whose time counts as the answer's too. */
  stores?: readonly number[]
}

/** Fields whose values belong to the moment. */
const momentary = new Set(['date', 'request-id', 'data-as-of', 'server-timing', 'ratelimit'])
/** Fields that Node adds to each answer by itself. */
const added = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

const sampleOf = async (target: Target): Promise<WholeAnswer> => {
  const answer = await ask({ ...target, url: target.server.url })
  const { status, body } = answer
  if (status === 200 || status === 304) return answer
  throw new Error(`${target.path} was answered with ${status}: ${body}`)
}

/** An answer as text to compare: its body, and all fields but values of the moment. */
const describe = ({ status, fields, body }: WholeAnswer): string => {
  const lines = fields.map(([name, value]) =>
    momentary.has(name.toLowerCase()) ? name : `${name}: ${value}`,
  )
  return [status, ...lines.sort(), '', body].join('\n')
}

/** Throws unless both answer the same, as they are asked under load. */
const requireSame = async (subject: WholeAnswer, reference: Target): Promise<void> => {
  const [ours, theirs] = [describe(subject), describe(await sampleOf(reference))]
  if (ours !== theirs) throw new Error(`The reference answers\n${theirs}\nand the service\n${ours}`)
}

type Store = Pick<Instructions, 'redis' | 'postgres'>

/** Starts the reference of a target. `storeOf`: where it reads its answers, of the service's answer. */
const refer = async (
  subject: Target,
  tls: Instructions['tls'],
  storeOf: (answer: WholeAnswer) => Promise<Store> = async () => ({}),
): Promise<Target> => {
  // Those from memory twice: the second time it is the kept answer.
  if (!subject.numbered) await sampleOf(subject)
  const answer = await sampleOf(subject)
  const fields = answer.fields.filter(([name]) => !added.has(name.toLowerCase()))
  const server = await startReference({
    ...{ status: answer.status, fields, body: answer.body.toString('base64') },
    ...{ tls, isHttp2: subject.isHttp2, ...(await storeOf(answer)) },
  })
  const reference = { ...subject, server }
  await requireSame(answer, reference).catch(async (error) => {
    await server.stop()
    throw error
  })
  return reference
}

const listHits = async ({ service, tls, token }: World): Promise<Scenario[]> => {
  const authorization = { authorization: `Bearer ${token}` }
  const page = '/v1/certificates?limit=50'
  const { fields } = await sampleOf({ server: service, path: page, headers: authorization })
  const etag = fields.find(([name]) => name === 'etag')?.[1] ?? ''
  const answers: Record<string, Pick<Target, 'path' | 'headers'>> = {
    'page of 1': { path: '/v1/certificates?limit=1', headers: authorization },
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
        ...{ name: `${name}, ${way}`, against: `bare ${module}`, goal: 0.9, subject },
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
      ...{ name: 'hit in Redis, page of 50', against: 'bare node:http and one GET of Redis', subject },
      ...{ goal: 0.8, stores: [store.pid] },
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
    postgres: await readingOf(database.url, customer.customerId, query, body),
  })
  return {
    ...{ name: 'uncached page of 50', goal: 0.9, subject, stores: [await postmasterOf(database.url)] },
    against: 'bare node:http and the same statement through pg, records as JSON text',
    startReference: () => refer(subject, undefined, read),
  }
}

const login = ({ service, customer }: World): Scenario => ({
  ...{ name: 'login', against: 'nothing' },
  subject: {
    ...{ server: service, method: 'POST', path: '/v1/auth/login' },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: customer.apiKey }),
  },
})

/** All scenarios over the world. Who starts a reference stops it. */
export const createScenarios = async (world: World): Promise<Scenario[]> => [
  ...(await listHits(world)),
  ...redisHit(world),
  await uncachedPage(world),
  login(world),
]
