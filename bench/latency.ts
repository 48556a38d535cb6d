import { requestText } from './lib/client.ts'
import { cpuMs, waitedMs } from './lib/cpu.ts'
import { tell } from './lib/findings.ts'
import { type LoopResult, runClosedLoop, runOpenLoop } from './lib/loops.ts'
import { getUndisturbed, measureUndisturbed } from './lib/machine.ts'
import { readOptions } from './lib/options.ts'
import { say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'
import { createWorld, type World } from './lib/world.ts'

/**
 * Latency of cached answers at a constant rate of 70 % of saturation, counted from when each request was due.
 * Saturation is measured in the same round by a closed loop. Only undisturbed rounds are judged.
 */
const { values: options } = readOptions({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    'at-most': { type: 'string', default: '20' },
    share: { type: 'string', default: '0.7' },
  },
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)
const share = Number(options.share)
const atMost = Number(options['at-most'])
/** Share of the cores' time that may be stolen. A stall of 20 ms in 2 s delays one request in a hundred. */
const tolerated = 0.005
const warmSeconds = 2
/**
 * For saturation and constant rate alike. More connections make each answer more expensive. A request that
 * finds no free connection waits, and its latency counts from when it was due.
 */
const connections = 256
const goal = { averageMs: 5, p99Ms: 25 }

type Traffic = { name: string; requests: readonly string[] }
type Round = {
  saturation: number
  offered: number
  open: LoopResult
  serviceBusy: number
  /** Share of the time in which the service was ready to run but had no core. */
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
  const base = { url: service.url, seconds, request, connections }
  const closed = await runClosedLoop(base)
  const offered = share * closed.rate
  const [before, waitedBefore] = [cpuMs(service.pid), waitedMs(service.pid)]
  const open = await runOpenLoop({ ...base, perSecond: offered })
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

const p99Of = ({ open }: Round) => ms(open.latency.percentile(99))

const summary = (rounds: readonly { value: Round; stolen: number }[]) => {
  const judged = getUndisturbed(rounds, tolerated)
  const of = (pick: (round: Round) => number) => median(judged.map(pick))
  const share = (value: number) => Number((100 * value).toFixed(1))
  return {
    'undisturbed rounds': judged.length,
    'of all': rounds.length,
    'saturation/s': Math.round(of(({ saturation }) => saturation)),
    'answered/s': Math.round(of(({ open }) => open.rate)),
    'average ms': ms(of(({ open }) => open.latency.mean)),
    'p50 ms': ms(of(({ open }) => open.latency.percentile(50))),
    'p99 ms': of(p99Of),
    'longest ms': ms(Math.max(...judged.map(({ open }) => open.latency.max))),
    'p99 of every round (stolen, %)': rounds
      .map(({ value, stolen }) => `${p99Of(value).toFixed(1)} (${share(stolen)})`)
      .join(' '),
    'sent late, p99 ms': ms(of(({ open }) => open.lag.percentile(99))),
    'service, cores': Number(of(({ serviceBusy }) => serviceBusy).toFixed(2)),
    'service waited for a core, %': share(of(({ serviceWaited }) => serviceWaited)),
    'generator, cores': Number(of(({ generatorBusy }) => generatorBusy).toFixed(2)),
    failed: judged.reduce((sum, { open }) => sum + open.failed, 0),
  }
}

const measureAll = async (world: World) => {
  const traffic = await listTraffic(world)
  for (const { requests } of traffic) {
    const request = (n: number) => requests[n % requests.length] as string
    await runClosedLoop({ url: world.service.url, connections, seconds: warmSeconds, request })
  }
  const subjects = traffic.map((each) => [
    each.name,
    (round: number) => {
      say(`round ${round}, at most ${atMost}: ${each.name}`)
      return measureRound(world, each)
    },
  ])
  return measureUndisturbed<Round>({
    subjects: Object.fromEntries(subjects),
    wanted: rounds,
    atMost,
    tolerated,
  })
}

const world = await createWorld({ certificates: 10_000, crowdSize: 0, say })
const results = await measureAll(world).finally(() => world.close())

const rows = Object.fromEntries([...results].map(([name, each]) => [name, summary(each)]))
const missed = Object.entries(rows).flatMap(([name, row]) => [
  ...(row['undisturbed rounds'] >= rounds
    ? []
    : [`${name}: ${row['undisturbed rounds']} undisturbed rounds, ${rounds} are needed`]),
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
    `Cached answers at ${100 * share} % of saturation, over ${connections} connections, in rounds of ${seconds} s. Saturation is measured in the same round, with all connections sending without a pause.`,
    `Medians of the undisturbed rounds: the hypervisor took at most ${100 * tolerated} % of the cores' time. Latency counts from when each request was due (no coordinated omission). Service, generator and PostgreSQL share the cores: "sent late" is the delay added by the generator, "waited" the share of the time in which the service was ready to run but had no core.`,
    `Goals: below ${goal.averageMs} ms on average, p99 below ${goal.p99Ms} ms.`,
  ],
  tables: [{ about: 'Milliseconds', rows }],
  missed,
  data: { options, rows },
})
