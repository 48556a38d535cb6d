import { type Spent, watchLoop } from '../../bench/lib/machine.ts'
import { createTestDatabase, secretKey } from '../helper.ts'
import { percentile } from '../load.ts'
import { testRedis } from '../servers.ts'
import { type Service, startService, untilReady } from '../service.ts'
import { intervalOf, redraw } from './chance.ts'
import { findCores, keepAwake, moveTo, placementOf } from './cores.ts'
import { addCustomers, logInAt } from './customers.ts'
import { type Figures, type FloodOptions, type FloodResult, flood } from './flood.ts'
import { createGroups } from './groups.ts'

/**
 * Judges overload: how much of the peak is still answered when two, three and five times as much is asked, all of it
 * uncached, and how soon the rest is refused. This process, which asks, has a core to itself; service, PostgreSQL and
 * Redis share another, weighed as compose.yaml weighs their containers, at the peak as under overload: what changes
 * between the two is the service's own doing. Peak and overload are measured in turn. Rates are those of the time in
 * which the service's core was there, times those of moments that nothing disturbed. Not judged is the same without
 * weights, where Linux gives each session of PostgreSQL as much of the core as the whole service.
 */

const seconds = Number(process.env.ROUND_SECONDS ?? 3)
/** Before each round's rate is taken: until the room has filled and shrunk, so that what is under way stays as much. */
const leadSeconds = 1.5
/** Undisturbed ones of each kind, and rounds at most. */
const wantedSeconds = Number(process.env.WANTED_SECONDS ?? 18)
const atMost = Number(process.env.AT_MOST ?? 8)
/** Which of the two is measured: `0` with weights, `1` without. */
const only = process.env.ONLY ?? '01'
/** Least share of the peak that is answered, by how many times the peak is asked. */
const goals = new Map([
  [2, 0.9],
  [3, 0.85],
  [5, 0.75],
])
const refusedWithinMs = 50
/** One request after another on each of so many: the peak. Twice as many are not answered faster. */
const peakConnections = 16
const floodConnections = 2_000
const metricsToken = 'who-measures-has-this'

const print = (text: string) => process.stdout.write(`${text}\n`)
const shown = (value: number | undefined) => (value ?? Number.NaN).toFixed(1)
const percent = (share: number) => `${shown(100 * share)} %`
const sum = (values: readonly number[]): number => values.reduce((before, value) => before + value, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length

const cores = findCores()
const sleeps = [cores.service, cores.clients].map(keepAwake)
// Whatever is started begins on the core of its parent.
moveTo(cores.service)
const groups = createGroups()
const database = await groups.within('database', () => createTestDatabase())
const redis = await groups.within('redis', () => testRedis())
const { keys, noisyKey } = await addCustomers(database)

type Subject = { service: Service; tokens: string[]; noisy: string }

const startSubject = async (): Promise<Subject> => {
  const env = {
    DATABASE_URL: database.url,
    ...(redis ? { REDIS_URL: redis.url } : {}),
    SECRET_KEY: secretKey,
    LIMIT_ENTERPRISE_BURST: '1000000',
    LIMIT_ENTERPRISE_MINUTE: '1000000000',
    // Over the minute's quota and far from the second's: a refusal that is sent at once.
    LIMIT_PREMIUM_BURST: '1000000',
    LOG_LEVEL: 'warn',
    // As it is by default: a late event loop sheds as well.
    OVERLOAD_LAG_MS: '75',
    METRICS_TOKEN: metricsToken,
  }
  const options = { isMeasured: true, hasOwnSession: true }
  const service = await groups.within('service', () => startService(env, options))
  await untilReady(service)
  moveTo(cores.clients)
  const tokens = await Promise.all(keys.map((key) => logInAt(service.base, key)))
  return { service, tokens, noisy: await logInAt(service.base, noisyKey) }
}

let asked = 0
/** A question that nobody asked before. */
const uncached =
  ({ tokens }: Subject) =>
  () => {
    asked += 1
    return {
      path: `/v1/products?limit=50&updated_at[gte]=2020-01-01T00:00:00.${String(asked).padStart(6, '0')}Z`,
      authorization: tokens[asked % tokens.length] ?? '',
    }
  }

/** Processor time that the service has used, in microseconds: tells what it costs, whoever else is on the machine. */
const usedMicroseconds = async ({ service }: Subject): Promise<number> => {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${service.base}/metrics`, { headers })).text()
  return 1e6 * Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1])
}

type Asked = Pick<FloodOptions, 'connections' | 'request'>

/** What an answer of each kind costs where there are hardly others. */
const measureCosts = async (subject: Subject): Promise<void> => {
  const { tokens, noisy } = subject
  const page = (authorization = '') => ({
    connections: 32,
    request: () => ({ path: '/v1/products?limit=50', authorization }),
  })
  const kinds: [what: string, status: string, options: Asked][] = [
    ['an uncached page', '200', { connections: peakConnections, request: uncached(subject) }],
    ['a cached page', '200', page(tokens[0])],
    ['a refusal over the quota', '429', page(noisy)],
    // Nearly all of them are refused.
    ['a refusal of too much', '503', { connections: floodConnections, request: uncached(subject) }],
  ]
  for (const [what, status, options] of kinds) {
    const before = await usedMicroseconds(subject)
    const { counts } = await flood({ ...options, port: subject.service.port, seconds })
    const used = (await usedMicroseconds(subject)) - before
    print(`${what}: ${shown(used / (counts[status] ?? 0))} µs each; ${JSON.stringify(counts)}`)
  }
}

type Round = { result: FloodResult; service: Spent; clients: Spent }

const runRound = async (
  subject: Subject,
  options: Pick<FloodOptions, 'connections' | 'perSecond'>,
  during = seconds,
): Promise<Round> => {
  const { port, child } = subject.service
  const [serviceLoop, ownLoop] = [watchLoop(child.pid ?? 0), watchLoop(process.pid)]
  const about = { port, request: uncached(subject), core: cores.service, tickMs: 1, leadSeconds }
  const result = await flood({ ...options, ...about, seconds: leadSeconds + during })
  return { result, service: serviceLoop(), clients: ownLoop() }
}

/** For how long the service's core was there. */
const availableSeconds = ({ result }: Round): number => result.seconds - result.stolenMs / 1000
/** Answers a second of that time. */
const answered = (rounds: readonly Round[]): number =>
  sum(rounds.map(({ result }) => result.inTime[200] ?? 0)) / sum(rounds.map(availableSeconds))
const undisturbedSeconds = (rounds: readonly Round[]): number =>
  sum(rounds.map(({ result }) => result.undisturbed.seconds))
/** Of all undisturbed moments together, in order of size. */
const pooled = (rounds: readonly Round[], of: (figures: Figures) => readonly number[] | undefined) =>
  rounds.flatMap(({ result }) => of(result.undisturbed) ?? []).sort((a, b) => a - b)

const quantiles = (values: readonly number[]) =>
  values.length === 0
    ? 'none'
    : `${values.length}: p50 ${shown(percentile(values, 0.5))}, p99 ${shown(percentile(values, 0.99))} ms`
const showLoops = (rounds: readonly Round[]) =>
  (['service', 'clients'] as const)
    .map((who) => {
      const running = mean(rounds.map((round) => round[who].running))
      const waiting = mean(rounds.map((round) => round[who].waiting))
      return `${who} ${percent(running)} running, ${percent(waiting)} waiting for its core`
    })
    .join('; ')
const showRates = (rounds: readonly Round[]) =>
  `${rounds.map((round) => answered([round]).toFixed(0)).join(' ')}; the service's core was there for ` +
  `${shown(sum(rounds.map(availableSeconds)))} of ${shown(sum(rounds.map(({ result }) => result.seconds)))} s`

/** A round of overload, and those of the peak before and after it: this machine's pace changes within seconds. */
type Trial = { overload: Round; peaks: [before: Round, after: Round] }

/** Of the peak at that time, what was answered. */
const shareOf = (trials: readonly Trial[]): number =>
  sum(trials.map(({ overload }) => answered([overload]))) /
  sum(trials.map(({ peaks }) => mean(peaks.map((peak) => answered([peak])))))

const judgeShare = (share: number, goal: number, { least, most }: ReturnType<typeof intervalOf>): string => {
  if (least >= goal) return 'reached'
  if (most < goal) return 'MISSED'
  return `${share >= goal ? 'reached' : 'MISSED'} by this figure, but noise may be all of it`
}

/** Whether the goals are met; says so. */
const report = (factor: number, goal: number, trials: readonly Trial[]): boolean => {
  const rounds = trials.map(({ overload }) => overload)
  const share = shareOf(trials)
  const interval = intervalOf(() => shareOf(redraw(trials)))
  const refused = pooled(rounds, ({ latencies }) => latencies[503])
  const soon = refused.filter((ms) => ms <= refusedWithinMs).length / refused.length
  const silent = sum(rounds.map(({ result }) => result.withoutRetryAfter))
  const isSoon = percentile(refused, 0.99) <= refusedWithinMs && silent === 0
  print(
    `${factor} times the peak: ${percent(share)} of it answered (${percent(interval.least)} to ${percent(interval.most)}), ` +
      `${percent(goal)} asked: ${judgeShare(share, goal, interval)}; rounds ${showRates(rounds)}\n` +
      `  refused, from when it was due, ${shown(undisturbedSeconds(rounds))} s undisturbed, ${quantiles(refused)}; ` +
      `within ${refusedWithinMs} ms ${percent(soon)}, without Retry-After ${silent}: p99 ${isSoon ? 'reached' : 'MISSED'}\n` +
      `  of these on kept connections, from when it was written ${quantiles(pooled(rounds, ({ onKept }) => onKept[503]))}\n` +
      `  of these on new ones, with the connection ${quantiles(pooled(rounds, ({ onNew }) => onNew[503]))}\n` +
      `  answers ${quantiles(pooled(rounds, ({ latencies }) => latencies[200]))}; the client wrote late by ` +
      `${quantiles(pooled(rounds, ({ lateness }) => lateness))}; ${showLoops(rounds)}\n` +
      `  all: ${rounds.map(({ result }) => JSON.stringify(result.counts)).join(' ')}`,
  )
  return share >= goal && isSoon
}

/** Whether all goals are met. */
const judge = async (subject: Subject): Promise<boolean> => {
  const trials = new Map<number, Trial[]>([...goals.keys()].map((factor) => [factor, []]))
  const isEnough = () =>
    [...trials.values()].every(
      (all) => undisturbedSeconds(all.map(({ overload }) => overload)) >= wantedSeconds,
    )
  const runPeak = () => runRound(subject, { connections: peakConnections })
  const peaks = [await runPeak()]
  for (let round = 0; round < atMost && !isEnough(); round += 1)
    for (const [factor, all] of trials) {
      const before = peaks.at(-1) as Round
      const perSecond = answered([before]) * factor
      const overload = await runRound(subject, { perSecond, connections: floodConnections })
      const after = await runPeak()
      peaks.push(after)
      all.push({ overload, peaks: [before, after] })
    }
  print(`${peakConnections} at once: ${shown(answered(peaks))} answers/s; rounds ${showRates(peaks)}`)
  return [...goals].map(([factor, goal]) => report(factor, goal, trials.get(factor) ?? [])).every(Boolean)
}

const warm = async (subject: Subject): Promise<void> => {
  await runRound(subject, { connections: 32 }, 5)
  await runRound(subject, { connections: floodConnections, perSecond: 1_000 }, 1)
}

const subject = await startSubject()
print(placementOf(cores, redis !== undefined))
await warm(subject)
if (only.includes('0')) {
  print('\nWeighed as in compose.yaml; this is judged')
  await measureCosts(subject)
  if (!(await judge(subject))) process.exitCode = 1
}
groups.dissolve()
if (only.includes('1')) {
  print('\nWithout weights; not judged')
  await judge(subject)
}
await subject.service.stop()
await redis?.stop()
await database.close()
for (const sleep of sleeps) sleep()
