import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { askColdKeys } from '../../checks/freshness/cold.ts'
import { inTurn, nemeses } from '../../checks/freshness/nemesis.ts'
import { askOnOtherTimeline } from '../../checks/freshness/other-timeline.ts'
import { startPostgres } from '../../checks/freshness/postgres.ts'
import { closeConnections } from '../../checks/freshness/readers.ts'
import { openStage } from '../../checks/freshness/stage.ts'
import { type RunOptions, runTrial, runTrialWithin, type TrialResult } from '../../checks/freshness/trial.ts'
import { findObjections } from '../../checks/freshness/verdict.ts'
import { testRedis } from '../servers.ts'

const probe = await testRedis()
await probe?.stop()
if (!probe) t.test('freshness during faults', { skip: 'no redis-server here: NOT tested' }, async () => {})
else testFreshness()

/** A repeated poll, with a new connection, has about 200 ms of the lease. */
const slowMs = 50

/** Measures new connections until the returned function is called, which returns the share of slow ones. */
const watchConnections = (connectionString: string) => {
  let [isStopped, count, slow] = [false, 0, 0]
  const watching = (async () => {
    while (!isStopped) {
      const startedAt = performance.now()
      const client = new pg.Client({ connectionString })
      client.on('error', () => {})
      const isOpen = await client.connect().then(
        () => true,
        () => false,
      )
      count += 1
      if (isOpen && performance.now() - startedAt > slowMs) slow += 1
      await client.end().catch(() => {})
      await delay(slowMs)
    }
  })()
  return async () => {
    isStopped = true
    await watching
    return slow / count
  }
}

function testFreshness() {
  const postgresStarting = startPostgres()
  /** For trials that do not change the instances. */
  const stageOpening = postgresStarting.then((postgres) => openStage({ postgres }))
  t.teardown(async () => {
    closeConnections()
    await (await stageOpening).close()
    await (await postgresStarting).stop()
  })

  /** Half as many as in `npm run check:freshness`. */
  const requestsPerSecond = 300

  const describe = ({ reads, commits, staleness, fills, failed, stale }: TrialResult) =>
    `${reads} reads, ${commits} commits, staleness p99 ${staleness.p99.toFixed(0)} ms, worst ${staleness.worst.toFixed(0)} ms, ${fills.fills} fills, ${failed} failed, ${stale} said stale`
  const objectionsTo = (result: TrialResult) => Object.fromEntries(findObjections(result))

  /** A machine that stalls for a second causes these, too, but not each time. */
  const byMachine = new Set(['failed', 'too many stale answers', 'too few reads'])
  /** Whether all answers after a revocation had the label. */
  const isSaid = ({ violations }: TrialResult) =>
    violations.every(({ kind, detail }) => kind !== 'revoked' || detail.includes('said to be stale'))
  /** Repeats a run at most twice if the machine may have caused all objections. */
  const judge = async (t: Test, run: () => Promise<TrialResult>) => {
    for (let left = 2; ; left -= 1) {
      const result = await run()
      t.comment(`${describe(result)}, of which ${(result.mostStale * 100).toFixed(0)} % may`)
      const kinds = [...findObjections(result).keys()]
      const isItsFault = (kind: string) => !(byMachine.has(kind) || (kind === 'revoked' && isSaid(result)))
      if (left > 0 && kinds.length > 0 && !kinds.some(isItsFault)) continue
      t.same(objectionsTo(result), {}, JSON.stringify(result.violations.slice(0, 3)))
      return result
    }
  }
  const judgeHarm = (t: Test, options: Omit<RunOptions, 'requestsPerSecond'>) =>
    judge(t, async () => {
      const stage = await stageOpening
      const stopWatch = watchConnections((await postgresStarting).url('postgres'))
      const result = await runTrialWithin(stage, { ...options, requestsPerSecond })
      return { ...result, mostStale: result.mostStale + (await stopWatch()) }
    })
  t.test('every answer is fresh while Redis is killed or paused or a writer stays open', async (t) => {
    const nemesis = inTurn([
      [nemeses.redisKilled, 2_000],
      [nemeses.redisPaused, 1_500],
      [nemeses.shortOpenWriter, 0],
    ])
    const result = await judgeHarm(t, { nemesis, seconds: 0 })
    t.equal(result.failed, 0)
    t.ok(result.fills.mostFillsAtOnce <= 20, `${result.fills.mostFillsAtOnce} fills at once`)
    t.equal(result.differing.length, 0, `of ${result.keys} keys`)
  })

  t.test('after terminating all backends, every answer is fresh', async (t) => {
    await judgeHarm(t, { nemesis: nemeses.backendsTerminated, seconds: 3 })
  })

  t.test("no answer is labelled stale while the poller's backend hangs", async (t) => {
    await judgeHarm(t, { nemesis: nemeses.pollerHanging, seconds: 4 })
  })

  t.test('with a standby every answer is fresh, and the standby serves many of them', async (t) => {
    const primary = await startPostgres()
    t.teardown(() => primary.stop())
    const standby = await primary.createStandby()
    t.teardown(() => standby.stop())
    const result = await judge(t, () =>
      runTrial({
        postgres: primary,
        standby,
        nemesis: nemeses.none,
        seconds: 2.5,
        requestsPerSecond,
      }),
    )
    t.equal(result.failed, 0)
    t.ok(result.fills.fromStandby > result.fills.fills, `${result.fills.fromStandby} fills from the standby`)
  })

  t.test('a standby of a previous primary is not read, except with a planted fault', async (t) => {
    const { sound, faulty } = await askOnOtherTimeline()
    t.ok(sound.answers > 0)
    t.equal(sound.phantoms, 0, `of ${sound.answers} answers`)
    t.ok(faulty.phantoms > 0, 'foreign-standby')
  })

  const atFault = { nemesis: nemeses.none, seconds: 2.5, requestsPerSecond: 250 }

  t.test('the checker finds a planted fault: trigger-dropped', async (t) => {
    const stage = await stageOpening
    await stage.victims.owner.query('drop trigger products_log_update on products')
    const result = await runTrialWithin(stage, { fault: 'trigger-dropped', ...atFault })
    t.ok(findObjections(result).has('late'), JSON.stringify(objectionsTo(result)))
  })

  t.test('the checker finds a planted fault: session-names', async (t) => {
    const result = await runTrial({ postgres: await postgresStarting, fault: 'session-names', ...atFault })
    t.ok(findObjections(result).has('late'), JSON.stringify(objectionsTo(result)))
  })

  t.test('the checker finds a planted fault: fence-off', async (t) => {
    const result = await runTrial({ postgres: await postgresStarting, fault: 'fence-off', ...atFault })
    t.ok(findObjections(result).has('late'), JSON.stringify(objectionsTo(result)))
  })

  t.test('500 requests for a cold key read the database at most once on each of two instances', async (t) => {
    const postgres = await postgresStarting
    for (const options of [{}, { withoutRedis: true } as const]) {
      const { fillsPerKey, failed } = await askColdKeys({ postgres, ...options }, 3)
      t.ok(
        fillsPerKey.every((fills) => fills >= 1 && fills <= 2),
        `${fillsPerKey}`,
      )
      t.equal(failed, 0)
    }
  })
}
