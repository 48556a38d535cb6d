import pg from 'pg'
import { type Answered, openAsker, requestText } from './lib/client.ts'
import { cpuMs } from './lib/cpu.ts'
import { tell } from './lib/findings.ts'
import { readOptions } from './lib/options.ts'
import { getPostmaster } from './lib/postgres.ts'
import { say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'
import { createUniquePages } from './lib/unique.ts'
import { createWorld, type World } from './lib/world.ts'

/**
 * Processor time of a poll of the change feed, service and PostgreSQL together, next to cached and uncached pages of
 * the same service. Every round measures all four. The time includes the service's own polls, so requests follow one
 * another without a pause.
 */
const { values: options } = readOptions({
  options: {
    /** Of `npm run bench -- --only poll`. */
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '300' },
  },
})
const rounds = Number(options.rounds)
const requests = Number(options.requests)
/** Before the first round: prepares the statements on the connections. */
const warmRequests = 100
/** Goals, as ratios of processor time. */
const mostCachedPages = 3
const mostUncachedPages = 1.5

type Kind = 'cached page' | 'uncached page' | 'empty poll' | 'poll with one change'
const kinds: readonly Kind[] = ['cached page', 'uncached page', 'empty poll', 'poll with one change']

const readToken = async (world: World): Promise<string> => {
  const answer = await fetch(`${world.service.url}/v1/changes`, {
    headers: { authorization: `Bearer ${world.token}` },
  })
  const { page } = (await answer.json()) as { page: { next_token: string } }
  return page.next_token
}

const createPaths = async (world: World): Promise<Record<Kind, () => string>> => {
  const beforeChange = await readToken(world)
  const client = new pg.Client({ connectionString: world.database.url })
  await client.connect()
  await client.query(
    `update certificates set title = title || '.' where customer_id = $1
      and id = (select min(id) from certificates where customer_id = $1)`,
    [world.customer.customerId],
  )
  await client.end()
  const afterChange = await readToken(world)
  const unique = createUniquePages()
  let count = 0
  return {
    'cached page': () => '/v1/certificates?limit=50',
    'uncached page': () => {
      const { before, after } = unique()
      count += 1
      return `${before}${String(count).padStart(6, '0')}${after}`
    },
    'empty poll': () => `/v1/changes?after=${afterChange}`,
    'poll with one change': () => `/v1/changes?after=${beforeChange}`,
  }
}

const requireSuccess = ({ status, head }: Answered): void => {
  if (status !== 200) throw new Error(head)
}

const measure = async (world: World): Promise<Record<Kind, number[]>> => {
  const paths = await createPaths(world)
  const postmaster = await getPostmaster(world.database.url)
  const asker = await openAsker(world.service.url)
  const run = async (kind: Kind, count: number): Promise<number> => {
    const before = cpuMs(world.service.pid, postmaster)
    for (let sent = 0; sent < count; sent++) {
      requireSuccess(await asker.ask(requestText(paths[kind](), { authorization: `Bearer ${world.token}` })))
    }
    return (cpuMs(world.service.pid, postmaster) - before) / count
  }
  const times: Record<Kind, number[]> = {
    'cached page': [],
    'uncached page': [],
    'empty poll': [],
    'poll with one change': [],
  }
  for (const kind of kinds) await run(kind, warmRequests)
  for (let round = 1; round <= rounds; round++) {
    say(`Round ${round} of ${rounds}`)
    for (const kind of kinds) times[kind].push(await run(kind, requests))
  }
  asker.close()
  return times
}

const world = await createWorld({ certificates: 10_000, crowdSize: 0, say })
try {
  const times = await measure(world)
  const middle = (kind: Kind) => median(times[kind])
  const ratios = {
    'empty poll / cached page': middle('empty poll') / middle('cached page'),
    'poll with one change / uncached page': middle('poll with one change') / middle('uncached page'),
  }
  const missed = [
    ...(ratios['empty poll / cached page'] > mostCachedPages
      ? [`an empty poll costs more than ${mostCachedPages} cached pages`]
      : []),
    ...(ratios['poll with one change / uncached page'] > mostUncachedPages
      ? [`a poll with one change costs more than ${mostUncachedPages} uncached pages`]
      : []),
  ]
  tell({
    name: 'poll',
    title: 'Polls of the change feed',
    text: [
      `Processor time of service and PostgreSQL, medians of ${rounds} rounds of ${requests} requests each.`,
    ],
    tables: [
      {
        about: 'Milliseconds for an answer',
        rows: Object.fromEntries(kinds.map((kind) => [kind, { ms: middle(kind).toFixed(3) }])),
      },
      {
        about: 'Ratios',
        rows: Object.fromEntries(
          Object.entries(ratios).map(([name, ratio]) => [name, { ratio: ratio.toFixed(2) }]),
        ),
      },
    ],
    missed,
    data: times,
  })
} finally {
  await world.close()
}
