import { setTimeout as delay } from 'node:timers/promises'
import { openStage } from '../connections/stage.ts'
import { nemeses } from '../freshness/nemesis.ts'
import { closeConnections } from '../freshness/readers.ts'
import { runTrialWithin } from '../freshness/trial.ts'
import { findObjections } from '../freshness/verdict.ts'
import { type Cached, measureCached, measureUncached, openFarDatabase, startWriting } from './database.ts'
import { openDistance } from './proxy.ts'
import { type Visit, visitByClient, visitByHttp1, visitByHttp2 } from './visits.ts'

// See checks/README.md.

const oneWayMs = 75
const roundTripMs = 2 * oneWayMs
const trialSeconds = Number(process.env.SECONDS ?? 30)
const perSecond = Number(process.env.READS ?? 600)
/** Longer than a pool keeps surplus idle connections. */
const quietMs = 12_000
const mostCachedMs = 5
const cachedRounds = 3
const firstWindowBytes = 14_000

const say = (text: string) => process.stdout.write(`${text}\n`)
let isGreen = true
const judge = (what: string, isGood: boolean) => {
  say(`${isGood ? 'ok    ' : 'MISSED'} ${what}`)
  isGreen &&= isGood
}
const ms = (value: number) => `${value.toFixed(1)} ms`

/** Other work on the machine only makes answers slower, so the best round is the most exact. */
const getQuietest = (rounds: readonly Cached[]): Cached =>
  rounds.toSorted((a, b) => a.p99Ms - b.p99Ms)[0] as Cached

const judgeVisit = (name: string, { first, kept, pageBytes, connections }: Visit) => {
  judge(
    `${name}: login and first page on a new connection in ${first.byTurns} round trips (${first.byTime} by the clock), a page on the kept one in ${kept.byTurns} (${kept.byTime}); ${pageBytes} bytes; connections: ${connections}`,
    first.byTurns <= 4 && kept.byTurns === 1 && connections === 1 && pageBytes <= firstWindowBytes,
  )
}

/** A client that is 150 ms away from the service. */
const checkClients = async () => {
  // `fetch` has no option for it.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const stage = await openStage()
  const distance = await openDistance({ port: stage.port, host: '127.0.0.1' }, oneWayMs)
  try {
    judgeVisit('HTTP/1.1', await visitByHttp1(distance, stage.apiKey))
    judgeVisit('HTTP/2', await visitByHttp2(distance, stage.apiKey))
    const { statuses, ...visit } = await visitByClient(distance, stage.apiKey)
    judgeVisit('TypeScript client', visit)
    judge(`TypeScript client: statuses ${statuses.join(', ')}`, statuses.join() === '200,200,304')
  } finally {
    await distance.close()
    await stage.close()
  }
}

/** An instance that is 150 ms away from its database. */
const checkDatabase = async () => {
  const far = await openFarDatabase(oneWayMs, false)
  try {
    const near: Cached[] = []
    const cached: Cached[] = []
    for (let round = 0; round < cachedRounds; round += 1) {
      for (const [results, ms] of [
        [near, 0],
        [cached, oneWayMs],
      ] as const) {
        await far.distance.setOneWayMs(ms)
        await delay(500)
        results.push(await measureCached(far, 4))
      }
    }
    const [quietest, beside] = [getQuietest(cached), getQuietest(near)]
    judge(
      `cached page: p99 ${ms(quietest.p99Ms)}, p50 ${ms(quietest.p50Ms)}; with a near database p99 ${ms(beside.p99Ms)}, p50 ${ms(beside.p50Ms)}`,
      quietest.p99Ms <= Math.max(mostCachedMs, beside.p99Ms),
    )
    await measureUncached(far, 2)
    const uncached = await measureUncached(far, 20)
    judge(
      `uncached page: ${uncached.turnsPerPage} round trips to the database, p50 ${ms(uncached.p50Ms)}, new connections: ${uncached.newConnections}`,
      uncached.turnsPerPage === 1 && Math.round(uncached.p50Ms / roundTripMs) === 1,
    )
    await delay(quietMs)
    const later = await measureUncached(far, 1)
    judge(
      `uncached page after ${quietMs / 1000} quiet seconds: ${later.turnsPerPage} round trips, new connections: ${later.newConnections}`,
      later.turnsPerPage === 1 && later.newConnections === 0,
    )
    const options = { nemesis: nemeses.none, seconds: trialSeconds, requestsPerSecond: perSecond }
    const result = await runTrialWithin(far.stage, options)
    const objections = [...findObjections(result)]
      // A pool for this distance has more concurrent reads than the freshness check allows.
      .filter(([kind]) => kind !== 'too many fills at once')
      .map(([kind, count]) => `${count} × ${kind}`)
    const examples = new Map(result.violations.map((violation) => [violation.kind, violation.detail]))
    for (const [kind, detail] of examples) say(`       ${kind}: ${detail}`)
    judge(
      `freshness: ${result.reads} reads, ${result.commits} commits, ${result.fills.fills} fills; worst ${ms(result.staleness.worst)}, p99 ${ms(result.staleness.p99)}; violations: ${result.violations.length}; said to be stale: ${result.stale}; objections: ${objections.join(', ') || 'none'}`,
      objections.length === 0,
    )
  } finally {
    await far.close()
  }
}

/** The same with a standby near the instance. */
const checkStandby = async () => {
  const far = await openFarDatabase(oneWayMs, true)
  try {
    await measureUncached(far, 2)
    for (const rate of [0, 2, 50]) {
      const stop = rate > 0 ? startWriting(far, rate) : () => {}
      await delay(1_000)
      await far.takeFills()
      const { p50Ms } = await measureUncached(far, 30)
      const { fills, fromStandby } = await far.takeFills()
      stop()
      const what = `standby beside the instance, ${rate} commits a second: uncached page p50 ${ms(p50Ms)}; of 30 pages ${fromStandby} read from the standby and ${fills} from the primary`
      judge(what, p50Ms < roundTripMs && fills < 15)
    }
  } finally {
    await far.close()
  }
}

const parts = { clients: checkClients, database: checkDatabase, standby: checkStandby }
const named = process.argv.slice(2)
for (const [name, check] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue
  say(`${name}, ${roundTripMs} ms away`)
  await check()
}
closeConnections()
process.exitCode = isGreen ? 0 : 1
