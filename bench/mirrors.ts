import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { cpuMs, waitedMs } from './lib/cpu.ts'
import { tell } from './lib/findings.ts'
import { readOptions } from './lib/options.ts'
import { getPostmaster } from './lib/postgres.ts'
import { say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'
import { createWorld, type World } from './lib/world.ts'

/**
 * Many mirrors poll the change feed once a second while records change. Processor time of service and PostgreSQL,
 * latency of a poll, and how late each change was: from its commit to the last poll that was sent and lacked it.
 */
const { values: options } = readOptions({
  options: {
    mirrors: { type: 'string', default: '1000' },
    customers: { type: 'string', default: '100' },
    writes: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '30' },
  },
})
const mirrorCount = Number(options.mirrors)
const customerCount = Number(options.customers)
const writesPerSecond = Number(options.writes)
const seconds = Number(options.seconds)

const pollEveryMs = 1_000
/** Seconds over which mirrors begin, and a third of the time before the measurement. */
const warmSeconds = 5
/** The promise of the service. */
const mostLateMs = 600
const cores = 1

type Poll = { sentAt: number; ms: number; changes: number; isRefused: boolean }
type Mirror = { customerId: string; polls: Poll[] }
/** `at`: when its commit was acknowledged. */
type Write = { customerId: string; begunAt: number; at: number }

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

type Page = { data: unknown[]; page: { next_token: string } }

/** `undefined` if the service refuses the request as overloaded. */
const fetchPage = (url: string, token: string) =>
  new Promise<Page | undefined>((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        if (response.statusCode === 200) resolve(JSON.parse(body))
        else if (response.statusCode === 503) resolve(undefined)
        else reject(new Error(`${response.statusCode} ${body}`))
      })
    }).on('error', reject)
  })

/** Polls once a second from a random moment on, until `isOver`. */
const follow = async (world: World, index: number, isOver: () => boolean): Promise<Mirror> => {
  const { customerId, token } = world.crowd[index % customerCount] as World['crowd'][number]
  const base = `${world.service.url}/v1/changes`
  const polls: Poll[] = []
  let first: Page | undefined
  while (!first) {
    await delay(Math.random() * warmSeconds * 1_000)
    first = await fetchPage(base, token)
  }
  let after = first.page.next_token
  let due = performance.now() + Math.random() * pollEveryMs
  while (!isOver()) {
    await delay(Math.max(0, due - performance.now()))
    due += pollEveryMs
    const sentAt = performance.now()
    const answer = await fetchPage(`${base}?after=${after}`, token)
    polls.push({
      sentAt,
      ms: performance.now() - sentAt,
      changes: answer?.data.length ?? 0,
      isRefused: !answer,
    })
    after = answer?.page.next_token ?? after
  }
  return { customerId, polls }
}

/** Changes one record. */
const change = `update certificates set title = title || '.' where customer_id = $1
  and id = (select min(id) from certificates where customer_id = $1)`

const writeEvenly = async (world: World, isOver: () => boolean): Promise<Write[]> => {
  const pool = new pg.Pool({ connectionString: world.database.url, max: 4 })
  const writes: Write[] = []
  let due = performance.now()
  while (!isOver()) {
    await delay(Math.max(0, due - performance.now()))
    due += 1_000 / writesPerSecond
    const { customerId } = world.crowd[writes.length % customerCount] as World['crowd'][number]
    const begunAt = performance.now()
    await pool.query(change, [customerId])
    writes.push({ customerId, begunAt, at: performance.now() })
  }
  await pool.end()
  return writes
}

/**
 * Milliseconds from each commit to the last poll that was sent and lacked it. 0 if the next poll had it, or the one
 * in progress. A refusal says nothing about changes.
 */
const listLateness = (mirrors: readonly Mirror[], writes: readonly Write[]): number[] => {
  const byCustomer = Map.groupBy(mirrors, ({ customerId }) => customerId)
  return writes.flatMap(({ customerId, begunAt, at }) =>
    (byCustomer.get(customerId) ?? []).flatMap(({ polls }) => {
      const answers = polls.filter(({ sentAt, ms, isRefused }) => !isRefused && sentAt + ms >= begunAt)
      const shown = answers.findIndex(({ changes }) => changes > 0)
      const lacking = answers
        .slice(0, shown === -1 ? undefined : shown)
        .findLast(({ sentAt }) => sentAt >= at)
      return [lacking ? lacking.sentAt - at : 0]
    }),
  )
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

const world = await createWorld({ certificates: 1_000, crowdSize: customerCount, say })
try {
  const postmaster = await getPostmaster(world.database.url)
  let isOver = false
  const mirrors = Array.from({ length: mirrorCount }, (_, index) => follow(world, index, () => isOver))
  say(`${mirrorCount} mirrors of ${customerCount} customers`)
  await delay(3 * warmSeconds * 1_000)
  const usedMs = () => [cpuMs(world.service.pid), cpuMs(postmaster)] as const
  const [serviceBefore, databaseBefore] = usedMs()
  const waitedBefore = waitedMs(world.service.pid)
  const startedAt = performance.now()
  let isQuiet = false
  const writing = writeEvenly(world, () => isQuiet)
  await delay(seconds * 1_000)
  const tookMs = performance.now() - startedAt
  const [serviceAfter, databaseAfter] = usedMs()
  const waited = (waitedMs(world.service.pid) - waitedBefore) / tookMs
  isQuiet = true
  const writes = await writing
  await delay(2 * pollEveryMs)
  isOver = true
  const done = await Promise.all(mirrors)
  const measured = done.flatMap(({ polls }) =>
    polls.filter(({ sentAt }) => sentAt >= startedAt && sentAt < startedAt + tookMs),
  )
  const times = measured.map(({ ms }) => ms).sort((a, b) => a - b)
  const lateness = listLateness(done, writes).sort((a, b) => a - b)
  const busy = {
    service: (serviceAfter - serviceBefore) / tookMs,
    database: (databaseAfter - databaseBefore) / tookMs,
  }
  const worst = lateness.at(-1) ?? Number.NaN
  const missed = [
    ...(busy.service + busy.database > cores ? ['service and PostgreSQL need more than one core'] : []),
    ...(worst > mostLateMs ? [`a change was more than ${mostLateMs} ms late`] : []),
  ]
  const withChange = measured.filter(({ changes }) => changes > 0).length
  tell({
    name: 'mirrors',
    title: 'Mirrors that poll once a second',
    text: [
      `${mirrorCount} mirrors of ${customerCount} customers for ${Math.round(tookMs / 1_000)} s, ${writes.length} writes.`,
      'A change is late by the time from its commit to the last poll that was sent and lacked it.',
    ],
    tables: [
      {
        about: 'Share of one core',
        rows: {
          service: { share: busy.service.toFixed(3) },
          PostgreSQL: { share: busy.database.toFixed(3) },
          'service, waiting for a core': { share: waited.toFixed(3) },
        },
      },
      {
        about: 'Polls',
        rows: {
          'polls a second': { value: (measured.length / tookMs) * 1_000 },
          'with a change': { value: withChange },
          refused: { value: measured.filter(({ isRefused }) => isRefused).length },
          'median, ms': { value: median(times).toFixed(2) },
          'p99, ms': { value: share(times, 0.99).toFixed(2) },
        },
      },
      {
        about: 'How late changes were, in ms',
        rows: {
          median: { ms: median(lateness).toFixed(0) },
          p99: { ms: share(lateness, 0.99).toFixed(0) },
          worst: { ms: worst.toFixed(0) },
        },
      },
    ],
    missed,
    data: { busy, waited, times, lateness },
  })
} finally {
  agent.destroy()
  await world.close()
}
