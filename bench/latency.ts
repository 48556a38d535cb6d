import type { RecordableHistogram } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { requestText } from './lib/client.ts'
import { tell } from './lib/findings.ts'
import { createTimes, type LoopResult, runClosedLoop, runOpenLoop } from './lib/loops.ts'
import { cpuMs, waitedMs } from './lib/processes.ts'
import { say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'
import { createWorld, type World } from './lib/world.ts'

/**
 * Latency of cached answers under a constant rate of 70 % of saturation, each counted from when it was due.
 * Saturation is found in the same round, by asking without a pause.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    share: { type: 'string', default: '0.7' },
  },
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)
const share = Number(options.share)
const warmSeconds = 2
/** Enough that the service is never idle. */
const closedConnections = 32
/** At the rate's due times: those who ask do not wait for one another. */
const openConnections = 1_000
const goal = { averageMs: 5, p99Ms: 25 }

type Traffic = { name: string; requests: readonly string[] }
type Round = {
  saturation: number
  offered: number
  open: LoopResult
  serviceBusy: number
  /** Share of the time in which it was ready and had no core. */
  serviceWaited: number
  generatorBusy: number
}

const listTraffic = async ({ service, token }: World): Promise<Traffic[]> => {
  const authorization = `Bearer ${token}`
  const get = (path: string, headers = {}) => requestText(path, { authorization, ...headers })
  const page = '/v1/certificates?limit=50'
  const { headers } = await fetch(service.url + page, { headers: { authorization } })
  const unchanged = get(page, { 'if-none-match': headers.get('etag') ?? '' })
  return [
    { name: 'page of 50', requests: [get(page)] },
    {
      name: 'pages of 1 and 50, record, dashboard, 304, in turn',
      requests: [
        get('/v1/certificates?limit=1'),
        get(page),
        get('/v1/certificates/crt-7'),
        get('/v1/custom/dashboard-overview'),
        unchanged,
      ],
    },
  ]
}

const measureRound = async ({ service }: World, { requests }: Traffic): Promise<Round> => {
  const request = (n: number) => requests[n % requests.length] as string
  const base = { url: service.url, seconds, request }
  const closed = await runClosedLoop({ ...base, connections: closedConnections })
  const offered = share * closed.rate
  const [before, waitedBefore] = [cpuMs(service.pid), waitedMs(service.pid)]
  const open = await runOpenLoop({ ...base, connections: openConnections, perSecond: offered })
  const busy = (ms: number) => ms / (1000 * seconds)
  return {
    saturation: closed.rate,
    offered,
    open,
    serviceBusy: busy(cpuMs(service.pid) - before),
    serviceWaited: busy(waitedMs(service.pid) - waitedBefore),
    generatorBusy: busy(open.generatorCpuMs),
  }
}

const ms = (microseconds: number) => Number((microseconds / 1000).toFixed(2))

/** One histogram of all rounds. */
const addUp = (results: readonly Round[], pick: (loop: LoopResult) => RecordableHistogram) => {
  const all = createTimes()
  for (const { open } of results) all.add(pick(open))
  return all
}

const summary = (results: readonly Round[]) => {
  const latency = addUp(results, (loop) => loop.latency)
  const lag = addUp(results, (loop) => loop.lag)
  const of = (pick: (round: Round) => number) => median(results.map(pick))
  return {
    'saturation/s': Math.round(of(({ saturation }) => saturation)),
    'answered/s': Math.round(of(({ open }) => open.rate)),
    'average ms': ms(latency.mean),
    'p50 ms': ms(latency.percentile(50)),
    'p99 ms': ms(latency.percentile(99)),
    'p99.9 ms': ms(latency.percentile(99.9)),
    'longest ms': ms(latency.max),
    'p99 of each round': results.map(({ open }) => ms(open.latency.percentile(99)).toFixed(1)).join(' '),
    'sent late, p99 ms': ms(lag.percentile(99)),
    'service, cores': Number(of(({ serviceBusy }) => serviceBusy).toFixed(2)),
    'service waited for a core, %': Number((100 * of(({ serviceWaited }) => serviceWaited)).toFixed(1)),
    'generator, cores': Number(of(({ generatorBusy }) => generatorBusy).toFixed(2)),
    failed: results.reduce((sum, { open }) => sum + open.failed, 0),
  }
}

const world = await createWorld({ certificates: 10_000, crowdSize: 0, say })
const results = new Map<string, Round[]>()
try {
  const traffic = await listTraffic(world)
  for (const { requests } of traffic) {
    const request = (n: number) => requests[n % requests.length] as string
    await runClosedLoop({
      url: world.service.url,
      connections: closedConnections,
      seconds: warmSeconds,
      request,
    })
  }
  for (let round = 1; round <= rounds; round++) {
    for (const each of traffic) {
      say(`round ${round} of ${rounds}: ${each.name}`)
      results.set(each.name, [...(results.get(each.name) ?? []), await measureRound(world, each)])
    }
  }
} finally {
  await world.close()
}

const rows = Object.fromEntries([...results].map(([name, each]) => [name, summary(each)]))
const missed = Object.entries(rows).flatMap(([name, row]) => [
  ...(row['average ms'] < goal.averageMs
    ? []
    : [`${name}: ${row['average ms']} ms on average, not below ${goal.averageMs}`]),
  ...(row['p99 ms'] < goal.p99Ms ? [] : [`${name}: p99 ${row['p99 ms']} ms, not below ${goal.p99Ms}`]),
  ...(row.failed === 0 ? [] : [`${name}: ${row.failed} requests failed`]),
])
tell({
  name: 'latency',
  title: 'Latency at a constant rate',
  text: [
    `Cached answers at ${100 * share} % of saturation, over ${openConnections} connections, ${rounds} rounds of ${seconds} s; saturation: ${closedConnections} connections that ask without a pause, in the same round.`,
    'Latency counts from when each request was due, so coordinated omission cannot hide anything. Service, generator and PostgreSQL share the cores; "sent late" is what the generator adds.',
    `Goals: below ${goal.averageMs} ms on average, p99 below ${goal.p99Ms} ms.`,
  ],
  tables: [{ about: 'Milliseconds', rows }],
  missed,
  data: { options, rows },
})
