import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Spent, watchLoop } from '../../bench/lib/machine.ts'
import { createTestDatabase, secretKey } from '../helper.ts'
import { percentile } from '../load.ts'
import { testRedis } from '../servers.ts'
import { startService, untilReady } from '../service.ts'
import { intervalOf, redraw } from './chance.ts'
import { findCores, giveWay, keepAwake, moveTo, placementOf } from './cores.ts'
import { addCustomers, logInAt } from './customers.ts'
import type { FloodResult } from './flood.ts'
import type { Order } from './flooder.ts'
import { createGroups } from './groups.ts'

/**
 * Judges what others notice of somebody who asks fifty times as often as they may, and of floods without a good
 * token: their p99 without it, with the same flood at another server of this machine, and with it here, in turn. All
 * clients have a core to themselves, on which the flood's own process, and the other server, run only when the others'
 * client has nothing to do: that the flood elsewhere is not noticed shows it. What is noticed of the one here is what
 * the service does. Service, PostgreSQL and Redis share the other core, weighed as compose.yaml weighs their
 * containers. Answers to what was due around a moment in which that core was taken away are not judged. A limit is a
 * minute's, so rounds are a minute long, and each case takes thirteen. Shorter ones (ROUND_SECONDS=2 ROUNDS=12) show
 * how a flood begins, and hang on where full collections fall and what is written down once a minute.
 */

/** Of each kind. */
const rounds = Number(process.env.ROUNDS ?? 4)
const seconds = Number(process.env.ROUND_SECONDS ?? 60)
/** Of the flood before the others begin: 0 judges its start as well, 1 what goes on then. */
const leadSeconds = Number(process.env.LEAD_SECONDS ?? 0)
/** What a flood leaves behind is not noticed any more: what is written of it later, and collected. */
const settledMs = 2_000
/** Of each flood before it is judged: until then it is as slow as what is not compiled yet. */
const warmSeconds = 12
/** Others' p99 with the flood is at most so many times theirs without. */
const mostRatio = 1.1
const metricsToken = 'who-measures-has-this'
const ticksPerSecond = 100

const print = (text: string) => process.stdout.write(`${text}\n`)
const cores = findCores()
const sleeps = [cores.service, cores.clients].map(keepAwake)
// Whatever is started begins on the core of its parent.
moveTo(cores.service)
const groups = createGroups()
const database = await groups.within('database', () => createTestDatabase())
const redis = await groups.within('redis', () => testRedis())
const { keys, noisyKey } = await addCustomers(database)
const folder = mkdtempSync(join(tmpdir(), 'certdata-neighbour-'))
const log = openSync(join(folder, 'log'), 'w')
const env = {
  DATABASE_URL: database.url,
  ...(redis ? { REDIS_URL: redis.url } : {}),
  SECRET_KEY: secretKey,
  METRICS_TOKEN: metricsToken,
}
const options = { stdout: log, isMeasured: true, hasOwnSession: true }
const service = await groups.within('service', () => startService(env, options))
await untilReady(service)
moveTo(cores.clients)
print(`${placementOf(cores, redis !== undefined)}; the flood begins ${leadSeconds} s before the others`)
const tokens = await Promise.all(keys.map((key) => logInAt(service.base, key)))
const noisy = await logInAt(service.base, noisyKey)
const { port } = service

/** Made once: the start of a process would be what the others notice. */
const clients = {
  others: fork(join(import.meta.dirname, 'flooder.ts')),
  flood: fork(join(import.meta.dirname, 'flooder.ts')),
}
const start = async (
  who: keyof typeof clients,
  order: Omit<Order, 'port' | 'seconds'>,
  at = port,
  before = 0,
): Promise<FloodResult> => {
  clients[who].send({ ...order, port: at, seconds: before + seconds, core: cores.service } satisfies Order)
  const [result] = (await once(clients[who], 'message')) as [FloodResult]
  return result
}
const elsewhere = fork(join(import.meta.dirname, 'elsewhere.ts'))
const [portElsewhere] = (await once(elsewhere, 'message')) as [number]
for (const { pid } of [clients.flood, elsewhere]) giveWay(pid as number)
const repeated = '/v1/products?limit=50'
const unique = '/v1/products?limit=50&updated_at[gte]=2020-01-01T00:00:00.{n}Z'
/** Four of five questions were asked before. */
const others = () =>
  start('others', {
    perSecond: 200,
    tickMs: 1,
    connections: 100,
    requests: tokens.flatMap((authorization, n) => [
      { path: n % 5 === 0 ? unique : repeated, authorization },
    ]),
  })
/** Processor time of the service so far. */
const usedSeconds = (): number => {
  const [, after = ''] = readFileSync(`/proc/${service.child.pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0] = after.split(' ').slice(11, 13).map(Number)
  return (user + system) / ticksPerSecond
}

/** `latencies`: of others' answers, in milliseconds; `counts`: of their requests by status, disturbed ones as well. */
type Round = {
  latencies: number[]
  counts: Record<string, number>
  judgedSeconds: number
  usedSeconds: number
  refused: number
  /** Of the flood. */
  answered: number
  loop: Spent
}

/** The others for a while, and whatever goes on beside them. */
const runRound = async (flood?: Omit<Order, 'port' | 'seconds'>, at = port): Promise<Round> => {
  const before = usedSeconds()
  const noise = flood && start('flood', flood, at, leadSeconds)
  if (flood) await delay(1_000 * leadSeconds)
  const spent = watchLoop(service.child.pid ?? 0)
  const { undisturbed, counts } = await others()
  // Not when the flood's last held refusal is there: that is up to a second in which nobody asks.
  const loop = spent()
  const floodCounts = (await noise)?.counts ?? {}
  const refused = Object.entries(floodCounts)
    .filter(([status]) => Number(status) >= 400)
    .reduce((sum, [, count]) => sum + count, 0)
  const answered = floodCounts[200] ?? 0
  const latencies = undisturbed.latencies[200] ?? []
  const used = usedSeconds() - before
  return { latencies, counts, judgedSeconds: undisturbed.seconds, refused, answered, usedSeconds: used, loop }
}

const pooled = (rounds: readonly Round[], share: number): number =>
  percentile(
    rounds.flatMap(({ latencies }) => latencies).sort((a, b) => a - b),
    share,
  )
const mean = (rounds: readonly Round[], of: (round: Round) => number): number =>
  rounds.reduce((sum, round) => sum + of(round), 0) / rounds.length

/**
 * How many times as large a percentile of the latter is, and between what it lies. Rounds of one number are drawn
 * together: they were next to each other, and what drifts has changed both.
 */
const compare = (from: readonly Round[], to: readonly Round[], share: number) => {
  const ratioOf = (numbers: readonly number[]) => {
    const [before, after] = [from, to].map((all) =>
      pooled(
        numbers.map((n) => all[n] as Round),
        share,
      ),
    )
    return (after as number) / (before as number)
  }
  const numbers = [...from.keys()]
  return { ratio: ratioOf(numbers), ...intervalOf(() => ratioOf(redraw(numbers))) }
}

/** What the service's event loop ran and waited, in per cent of the time. */
const showLoop = (rounds: readonly Round[]): string =>
  [mean(rounds, ({ loop }) => loop.running), mean(rounds, ({ loop }) => loop.waiting)]
    .map((share) => (100 * share).toFixed(1))
    .join(' + ')
const showChange = (from: readonly Round[], to: readonly Round[], share: number): string => {
  const { ratio, least, most } = compare(from, to, share)
  return (
    `${pooled(from, share).toFixed(2)} → ${pooled(to, share).toFixed(2)} ms ` +
    `(${ratio.toFixed(2)}; ${least.toFixed(2)} to ${most.toFixed(2)})`
  )
}
/** Whether one round makes a figure that is of all. */
const showRounds = (rounds: readonly Round[]): string =>
  rounds.map((round) => pooled([round], 0.99).toFixed(2)).join(' ')
const judge = (from: readonly Round[], to: readonly Round[]): string => {
  const { ratio, least, most } = compare(from, to, 0.99)
  if (most <= mostRatio) return 'reached'
  if (least > mostRatio) return 'MISSED'
  return `${ratio <= mostRatio ? 'reached' : 'MISSED'} by this figure, not proven: the interval has the bound in it`
}

type Kinds = { alone: Round[]; elsewhere: Round[]; beside: Round[] }

const report = ({ what, perSecond, isCustomer }: Case, { alone, elsewhere: away, beside }: Kinds) => {
  const used = mean(beside, (round) => round.usedSeconds) - mean(alone, (round) => round.usedSeconds)
  const refused = mean(beside, (round) => round.refused)
  const floodSeconds = leadSeconds + seconds
  const count = (rounds: readonly Round[]) =>
    `${rounds.reduce((sum, { latencies }) => sum + latencies.length, 0)} in ` +
    `${rounds.reduce((sum, round) => sum + round.judgedSeconds, 0).toFixed(1)}`
  const failed = (rounds: readonly Round[]) =>
    rounds.reduce(
      (sum, { counts: { 200: _answered, ...others } }) =>
        sum + Object.values(others).reduce((a, b) => a + b, 0),
      0,
    )
  const changes = (from: readonly Round[], to: readonly Round[]) =>
    `p50 ${showChange(from, to, 0.5)}, p99 ${showChange(from, to, 0.99)}`
  print(
    `${what}, ${perSecond}/s asked, ${(refused / floodSeconds).toFixed(0)}/s refused ` +
      `(${((1e6 * used) / refused).toFixed(0)} µs each, ${((100 * used) / floodSeconds).toFixed(1)} % of a core)\n` +
      `  others, none → here: ${changes(alone, beside)}\n` +
      `  elsewhere → here: ${changes(away, beside)}\n` +
      `  control, none → elsewhere (${(mean(away, (round) => round.refused) / floodSeconds).toFixed(0)}/s refused): ` +
      `${changes(alone, away)}\n` +
      `  answers judged: none ${count(alone)}, elsewhere ${count(away)}, here ${count(beside)} undisturbed of ${rounds * seconds} s; ` +
      `not answered with 200: ${failed(alone)}, ${failed(away)}, ${failed(beside)}\n` +
      `  p99 of each round, ms: none ${showRounds(alone)}; elsewhere ${showRounds(away)}; here ${showRounds(beside)}\n` +
      `  let in of the flood here, each round: ${beside.map(({ answered }) => answered).join(' ')}\n` +
      `  the service's event loop, % of the time running + waiting for a core: none ${showLoop(alone)}; ` +
      `elsewhere ${showLoop(away)}; here ${showLoop(beside)}\n` +
      `  p99 at most ${mostRatio} times that without: ${isCustomer ? judge(alone, beside) : 'not asked of strangers'}`,
  )
  if (isCustomer && judge(alone, beside) !== 'reached') process.exitCode = 1
}

type Case = { what: string; perSecond: number; request: Order['requests'][number]; isCustomer: boolean }

const measure = async (each: Case) => {
  const kinds: Kinds = { alone: [], elsewhere: [], beside: [] }
  const flood = { perSecond: each.perSecond, tickMs: 1, connections: 200, requests: [each.request] }
  for (let passed = 0; passed < warmSeconds; passed += seconds) {
    await delay(settledMs)
    await runRound(flood)
  }
  const run: { [Kind in keyof Kinds]: () => Promise<Round> } = {
    alone: () => runRound(),
    elsewhere: () => runRound(flood, portElsewhere),
    beside: () => runRound(flood),
  }
  const order = Object.keys(run) as (keyof Kinds)[]
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of order) {
      await delay(settledMs)
      kinds[kind].push(await run[kind]())
    }
    // None is always first: whatever drifts, or is left by the one before, is nobody's.
    order.push(order.shift() as keyof Kinds)
  }
  report(each, kinds)
}

// Until everything is compiled that will run.
await others()
await Promise.all([
  others(),
  start('flood', {
    perSecond: 3_000,
    connections: 100,
    requests: [{ path: repeated, authorization: noisy }],
  }),
])
// Pages of the database as fast as they come, as in a burst.
await start('others', {
  ...{ perSecond: 1_000, connections: 100 },
  requests: tokens.map((authorization) => ({ path: unique, authorization })),
})
const cached = { path: repeated, authorization: noisy }
const cases: Case[] = [
  { what: 'fifty times the minute of premium', perSecond: 500, request: cached, isCustomer: true },
  { what: 'fifty times its burst', perSecond: 5_000, request: cached, isCustomer: true },
  {
    what: 'the same, no question twice',
    perSecond: 5_000,
    request: { path: unique, authorization: noisy },
    isCustomer: true,
  },
  {
    what: 'tokens that are none',
    perSecond: 5_000,
    request: { path: repeated, authorization: 'Bearer nobody' },
    isCustomer: false,
  },
  { what: 'no token', perSecond: 5_000, request: { path: repeated }, isCustomer: false },
]
/** The places of those that are measured; absent: all. */
const only = process.env.ONLY
for (const [index, each] of cases.entries()) if (!only || only.includes(String(index))) await measure(each)
for (const child of [...Object.values(clients), elsewhere]) child.kill()
await service.stop()
await redis?.stop()
await database.close()
for (const sleep of sleeps) sleep()
rmSync(folder, { recursive: true })
