import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Spent, watchLoop, watchSteal } from '../../bench/lib/machine.ts'
import { createTestDatabase, secretKey } from '../helper.ts'
import { percentile } from '../load.ts'
import { startService, untilReady } from '../service.ts'
import { addCustomers, logInAt } from './customers.ts'
import type { FloodResult } from './flood.ts'
import type { Order } from './flooder.ts'

/**
 * Measures, in one run, what others notice of somebody who asks fifty times as often as they may, and of floods
 * without a good token: their p99 without it, with the same flood at another server of this machine, and with it here,
 * in turn. Each load comes from a process of its own; with service and database they share two cores, so that what the
 * flood's own process takes is noticed, too: the flood elsewhere tells how much, and what the service's event loop
 * waited for a core. Rounds in which the machine was taken away are shown and not judged; what is left of a case is
 * judged together.
 */

/** Of each kind that are judged, and that are measured at most. */
const wanted = Number(process.env.ROUNDS ?? 8)
const atMost = Number(process.env.AT_MOST ?? 3 * wanted)
const seconds = Number(process.env.ROUND_SECONDS ?? 2)
/** Of all cores' time: a round in which more was stolen says nothing of anybody's p99. */
const tolerated = 0.02
const metricsToken = 'who-measures-has-this'
const ticksPerSecond = 100

const print = (text: string) => process.stdout.write(`${text}\n`)
const database = await createTestDatabase()
const { keys, noisyKey } = await addCustomers(database)
const folder = mkdtempSync(join(tmpdir(), 'certdata-neighbour-'))
const log = openSync(join(folder, 'log'), 'w')
const service = await startService(
  { DATABASE_URL: database.url, SECRET_KEY: secretKey, METRICS_TOKEN: metricsToken },
  { stdout: log, isMeasured: true },
)
await untilReady(service)
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
): Promise<FloodResult> => {
  clients[who].send({ ...order, port: at, seconds } satisfies Order)
  const [result] = (await once(clients[who], 'message')) as [FloodResult]
  return result
}
const elsewhere = fork(join(import.meta.dirname, 'elsewhere.ts'))
const [portElsewhere] = (await once(elsewhere, 'message')) as [number]
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

type Round = { latencies: number[]; usedSeconds: number; refused: number; stolen: number; loop: Spent }

/** The others for a while, and whatever goes on beside them. */
const runRound = async (flood?: Omit<Order, 'port' | 'seconds'>, at = port): Promise<Round> => {
  const stolenShare = watchSteal()
  const before = usedSeconds()
  const spent = watchLoop(service.child.pid ?? 0)
  const noise = flood && start('flood', flood, at)
  const { latencies } = await others()
  const refused = Object.entries((await noise)?.counts ?? {})
    .filter(([status]) => Number(status) >= 400)
    .reduce((sum, [, count]) => sum + count, 0)
  const used = usedSeconds() - before
  return {
    ...{ latencies: latencies[200] ?? [], usedSeconds: used, refused },
    ...{ stolen: stolenShare(), loop: spent() },
  }
}

const judged = (rounds: readonly Round[]) => rounds.filter(({ stolen }) => stolen <= tolerated)
const pooled = (rounds: readonly Round[], share: number): number =>
  percentile(
    rounds.flatMap(({ latencies }) => latencies).sort((a, b) => a - b),
    share,
  )
const mean = (rounds: readonly Round[], of: (round: Round) => number): number =>
  rounds.reduce((sum, round) => sum + of(round), 0) / rounds.length
/** Those that are not judged in brackets, with what was stolen in per cent. */
const show = (rounds: readonly Round[]): string =>
  rounds
    .map((round) => {
      const ms = pooled([round], 0.99).toFixed(1)
      return round.stolen <= tolerated ? ms : `(${ms}, ${(100 * round.stolen).toFixed(0)} %)`
    })
    .join(' ')

/** What the service's event loop ran and waited, in per cent of the time. */
const showLoop = (rounds: readonly Round[]): string =>
  [mean(rounds, ({ loop }) => loop.running), mean(rounds, ({ loop }) => loop.waiting)]
    .map((share) => (100 * share).toFixed(1))
    .join(' + ')

type Kinds = { alone: Round[]; elsewhere: Round[]; beside: Round[] }

const report = (what: string, perSecond: number, kinds: Kinds) => {
  const alone = judged(kinds.alone)
  const away = judged(kinds.elsewhere)
  const beside = judged(kinds.beside)
  const change = (from: readonly Round[], share: number) => {
    const [before, after] = [pooled(from, share), pooled(beside, share)]
    return `${before.toFixed(2)} → ${after.toFixed(2)} ms (${(100 * (after / before - 1)).toFixed(0)} %)`
  }
  const used = mean(beside, (round) => round.usedSeconds) - mean(alone, (round) => round.usedSeconds)
  const refused = mean(beside, (round) => round.refused)
  print(
    `${what}, ${perSecond}/s asked, ${(refused / seconds).toFixed(0)}/s refused ` +
      `(${((1e6 * used) / refused).toFixed(0)} µs each, ${((100 * used) / seconds).toFixed(1)} % of a core)\n` +
      `  others, from none: p50 ${change(alone, 0.5)}, p99 ${change(alone, 0.99)}\n` +
      `  from the same at another server (${(mean(away, (round) => round.refused) / seconds).toFixed(0)}/s refused): ` +
      `p50 ${change(away, 0.5)}, p99 ${change(away, 0.99)}\n` +
      `  ${alone.length}, ${away.length} and ${beside.length} undisturbed rounds of ${kinds.alone.length}, p99: ` +
      `none ${show(kinds.alone)}; elsewhere ${show(kinds.elsewhere)}; here ${show(kinds.beside)}\n` +
      `  the service's event loop, % of the time running + waiting for a core: none ${showLoop(alone)}; ` +
      `elsewhere ${showLoop(away)}; here ${showLoop(beside)}`,
  )
}

const measure = async (what: string, perSecond: number, request: Order['requests'][number]) => {
  const kinds: Kinds = { alone: [], elsewhere: [], beside: [] }
  const flood = { perSecond, tickMs: 1, connections: 200, requests: [request] }
  for (let round = 0; round < atMost; round += 1) {
    if (Math.min(...Object.values(kinds).map((rounds) => judged(rounds).length)) >= wanted) break
    kinds.alone.push(await runRound())
    kinds.elsewhere.push(await runRound(flood, portElsewhere))
    kinds.beside.push(await runRound(flood))
  }
  report(what, perSecond, kinds)
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
const only = process.env.ONLY
const cases: [string, number, Order['requests'][number]][] = [
  ['fifty times the minute of premium', 500, { path: repeated, authorization: noisy }],
  ['fifty times its burst', 5_000, { path: repeated, authorization: noisy }],
  ['the same, no question twice', 5_000, { path: unique, authorization: noisy }],
  ['tokens that are none', 5_000, { path: repeated, authorization: 'Bearer nobody' }],
  ['no token', 5_000, { path: repeated }],
]
for (const [index, each] of cases.entries()) if (!only || only.includes(String(index))) await measure(...each)
for (const child of [...Object.values(clients), elsewhere]) child.kill()
await service.stop()
await database.close()
rmSync(folder, { recursive: true })
