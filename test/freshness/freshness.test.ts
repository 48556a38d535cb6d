import t from 'tap'
import { askColdKeys } from '../../checks/freshness/cold.ts'
import { inTurn, nemeses } from '../../checks/freshness/nemesis.ts'
import { askOnOtherTimeline } from '../../checks/freshness/other-timeline.ts'
import { startPostgres } from '../../checks/freshness/postgres.ts'
import { closeConnections } from '../../checks/freshness/readers.ts'
import { openStage } from '../../checks/freshness/stage.ts'
import { runTrial, runTrialWithin, type TrialResult } from '../../checks/freshness/trial.ts'
import { findObjections } from '../../checks/freshness/verdict.ts'
import { testRedis } from '../servers.ts'

/** The checker's short form; `npm run check:freshness` is the long one. */

const probe = await testRedis()
await probe?.stop()
if (!probe) t.test('freshness under harm', { skip: 'no redis-server here: NOT tested' }, async () => {})
else testFreshness()

function testFreshness() {
  const postgresStarting = startPostgres()
  /** The trials' that leave its instances as they are. */
  const stageOpening = postgresStarting.then((postgres) => openStage({ postgres }))
  t.teardown(async () => {
    closeConnections()
    await (await stageOpening).close()
    await (await postgresStarting).stop()
  })

  /** Thousands of reads in each trial; the long form asks twice as often. */
  const requestsPerSecond = 300

  const describe = ({ reads, commits, staleness, fills, failed, stale }: TrialResult) =>
    `${reads} reads, ${commits} commits, staleness p99 ${staleness.p99.toFixed(0)} ms, worst ${staleness.worst.toFixed(0)} ms, ${fills.fills} fills, ${failed} failed, ${stale} said stale`
  const objectionsTo = (result: TrialResult) => Object.fromEntries(findObjections(result))

  t.test('Redis killed, Redis paused, a writer left open: every answer is fresh, none fails', async (t) => {
    const nemesis = inTurn([
      [nemeses.redisKilled, 2_000],
      [nemeses.redisPaused, 1_500],
      [nemeses.shortOpenWriter, 0],
    ])
    const result = await runTrialWithin(await stageOpening, { nemesis, seconds: 0, requestsPerSecond })
    t.comment(describe(result))
    t.same(objectionsTo(result), {}, JSON.stringify(result.violations.slice(0, 3)))
    t.equal(result.failed, 0)
    t.ok(result.fills.mostFillsAtOnce <= 20, `${result.fills.mostFillsAtOnce} fills at once`)
    t.equal(result.differing.length, 0, `of ${result.keys} keys`)
  })

  t.test('all backends terminated: every answer that comes is fresh', async (t) => {
    const nemesis = nemeses.backendsTerminated
    const result = await runTrialWithin(await stageOpening, { nemesis, seconds: 3, requestsPerSecond })
    t.comment(describe(result))
    t.same(objectionsTo(result), {}, JSON.stringify(result.violations.slice(0, 3)))
  })

  t.test("the poller's backend hanging: no answer calls the database away", async (t) => {
    const nemesis = nemeses.pollerHanging
    const result = await runTrialWithin(await stageOpening, { nemesis, seconds: 4, requestsPerSecond })
    t.comment(describe(result))
    t.same(objectionsTo(result), {}, JSON.stringify(result.violations.slice(0, 3)))
  })

  t.test('with a standby to read from every answer is fresh, and many are its', async (t) => {
    const primary = await startPostgres()
    t.teardown(() => primary.stop())
    const standby = await primary.createStandby()
    t.teardown(() => standby.stop())
    const result = await runTrial({
      ...{ postgres: primary, standby, nemesis: nemeses.none },
      ...{ seconds: 2.5, requestsPerSecond },
    })
    t.comment(describe(result))
    t.same(objectionsTo(result), {}, JSON.stringify(result.violations.slice(0, 3)))
    t.equal(result.failed, 0)
    t.ok(result.fills.fromStandby > result.fills.fills, `${result.fills.fromStandby} fills from the standby`)
  })

  t.test('a standby that stayed with a former primary is not read, but by a planted fault', async (t) => {
    const { sound, faulty } = await askOnOtherTimeline()
    t.ok(sound.answers > 0)
    t.equal(sound.phantoms, 0, `of ${sound.answers} answers`)
    t.ok(faulty.phantoms > 0, 'foreign-standby')
  })

  /** So few are enough to see what is broken for everybody. */
  const atFault = { nemesis: nemeses.none, seconds: 2.5, requestsPerSecond: 250 }

  t.test('the checker finds a planted fault: trigger-dropped', async (t) => {
    const stage = await stageOpening
    await stage.victims.owner.query('drop trigger products_log_update on products')
    const result = await runTrialWithin(stage, { fault: 'trigger-dropped', ...atFault })
    t.ok(findObjections(result).has('late'), JSON.stringify(objectionsTo(result)))
  })

  t.test('the checker finds a planted fault: fence-off', async (t) => {
    const result = await runTrial({ postgres: await postgresStarting, fault: 'fence-off', ...atFault })
    t.ok(findObjections(result).has('late'), JSON.stringify(objectionsTo(result)))
  })

  t.test('500 requests at once for a cold key read the database once, without Redis twice', async (t) => {
    const postgres = await postgresStarting
    const keys = 3
    const shared = await askColdKeys({ postgres }, keys)
    // One may be read twice where the machine is so busy that the other instance loses patience.
    t.ok(shared.fillsPerKey.filter((fills) => fills === 1).length >= keys - 1, `${shared.fillsPerKey}`)
    t.equal(shared.failed, 0)
    t.same(await askColdKeys({ postgres, withoutRedis: true }, keys), { fillsPerKey: [2, 2, 2], failed: 0 })
  })
}
