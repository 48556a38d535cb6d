import { checkOut, pairScenarios } from './against.ts'
import { isDisturbed, judgeResults, listFailures, readFloors, writeFloors } from './floors.ts'
import { cpuMs } from './lib/cpu.ts'
import { takeCore } from './lib/machine.ts'
import { readOptions } from './lib/options.ts'
import { getPostmaster } from './lib/postgres.ts'
import { say } from './lib/progress.ts'
import { createWorld, type Release, type World } from './lib/world.ts'
import { plants } from './plants.ts'
import { describeMachine, printTable, type Report, writeReport } from './report.ts'
import { measureScenarios, type Result } from './rounds.ts'
import { createScenarios, type Scenario } from './scenarios.ts'

/**
 * Measures the processor time of an answer, of the service and of a bare server that sends the same bytes, in paired
 * rounds. `--gate` exits with 1 if a request fails or a ratio is twice below its floor, and with 75 if it cannot judge,
 * because other processes use too much of the machine. `--prove` plants regressions and exits with 1 if the gate does
 * not fail. `--write-floors` measures three times and writes the floors. `--against <commit>` compares with the service
 * of this commit instead, and reports the ratios of one run.
 */
const { values: options } = readOptions({
  options: {
    gate: { type: 'boolean', default: false },
    prove: { type: 'boolean', default: false },
    'write-floors': { type: 'boolean', default: false },
    /** See lib/generators.ts. */
    autocannon: { type: 'boolean', default: false },
    /** A commit, tag or branch of this repository. */
    against: { type: 'string' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
  },
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)
/** Time limit of all measurements after one start of the servers. */
const limitSeconds = 190
const runsForFloors = 3
/** EX_TEMPFAIL of sysexits.h: try again later. */
const unjudgedCode = 75

const floors = readFloors()
const only = new RegExp(options.only)
const isNamed = ({ name }: Scenario) => only.test(name)

const measureWorld = async (isWanted: (scenario: Scenario) => boolean, execArgv: readonly string[] = []) => {
  const world = await createWorld({ certificates: 10_000, crowdSize: 0, say, isWhole: true, execArgv })
  try {
    const wanted = (await createScenarios(world)).filter(isWanted)
    if (wanted.length === 0) throw new Error(`No scenario has a name like ${options.only}`)
    const mostRounds = 2 * rounds - 1
    const stores = [await getPostmaster(world.database.url), world.redis?.store.pid ?? Number.NaN]
    const roots = [process.pid, ...stores]
    const limits = { seconds, rounds, mostRounds, limitSeconds }
    const results = await measureScenarios(wanted, { ...limits, floors, roots })
    const notes = [`Database: ${world.database.label}.`, `Redis: ${world.redis?.store.label ?? 'none'}.`]
    return { ...describeMachine(), notes: [...notes, `Measured ${core}.`], rounds, seconds, floors, results }
  } finally {
    await world.close()
  }
}

/**
 * Measures scenarios below their floor, or next to busy programs, once more, with new servers. A regression is in every
 * process, but one process over HTTP/2 may cost a quarter more than another one of the same build.
 */
const measureTwice = async (isWanted: (scenario: Scenario) => boolean, execArgv?: readonly string[]) => {
  const report = await measureWorld(isWanted, execArgv)
  printTable(report)
  const slow = report.results.filter((result) => isDisturbed(result, floors[result.name]))
  if (slow.length === 0) return report.results
  const names = slow.map(({ name }) => name)
  say(`\nOnce more, with new servers: ${names.join('; ')}`)
  const again = await measureWorld(({ name }) => names.includes(name), execArgv)
  printTable(again)
  return report.results.map((result) => again.results.find(({ name }) => name === result.name) ?? result)
}

/** Both releases run at the same time, each with its own stores, and are measured in turn. */
const measureAgainst = async (commit: string): Promise<Report> => {
  const before = await checkOut(commit)
  const worlds: World[] = []
  const start = async (release?: Release) => {
    const world = await createWorld({
      certificates: 10_000,
      crowdSize: 0,
      say,
      isWhole: true,
      release,
    })
    worlds.push(world)
    return world
  }
  try {
    const [ours, theirs] = [await start(), await start(before)]
    const pairs = pairScenarios(await createScenarios(ours), await createScenarios(theirs), before.name)
    const wanted = pairs.filter(isNamed)
    if (wanted.length === 0) throw new Error(`No scenario has a name like ${options.only}`)
    const stores = await Promise.all(worlds.map(({ database }) => getPostmaster(database.url)))
    const redis = worlds.map((world) => world.redis?.store.pid ?? Number.NaN)
    const limits = { seconds, rounds, mostRounds: 2 * rounds - 1, limitSeconds }
    const roots = [process.pid, ...stores, ...redis]
    const results = await measureScenarios(wanted, { ...limits, floors: {}, roots })
    const notes = [`The reference is commit ${before.name}: above 1, this checkout is faster.`]
    return {
      ...describeMachine(),
      notes: [...notes, `Measured ${core}.`],
      rounds,
      seconds,
      floors: {},
      results,
    }
  } finally {
    for (const world of worlds) await world.close()
    await before.stop()
  }
}

const judge = (results: readonly Result[]): void => {
  const { verdict, failures, crowded } = judgeResults(results, floors)
  for (const each of failures) say(`FAILED  ${each}`)
  for (const { name, neighbours } of crowded)
    say(`NOT JUDGED  ${name}: other processes used ${Math.round(100 * neighbours)} % of the cores`)
  const missing = Object.keys(floors).filter((name) => only.test(name)).length - results.length
  const judged = results.length - crowded.length
  say(
    `${judged} of ${results.length} scenarios judged${missing > 0 ? `, ${missing} not measured` : ''}: ${verdict}`,
  )
  if (results.some(({ generator }) => generator === 'autocannon'))
    say(
      'autocannon sends fewer small requests than the service can answer, so rates are its own, not the service’s',
    )
  if (verdict === 'failed') process.exitCode = 1
  if (verdict === 'unjudged') {
    say(
      'The machine is too busy to judge this build. It neither passed nor failed: measure again when it is quiet',
    )
    process.exitCode = unjudgedCode
  }
}

const prove = async (): Promise<void> => {
  const verdicts: string[] = []
  for (const [name, { scenarios }] of Object.entries(plants).filter(([name]) => only.test(name))) {
    say(`\n${name}`)
    const hook = new URL(`plant.ts?${encodeURIComponent(name)}`, import.meta.url)
    const results = await measureTwice((each) => scenarios.test(each.name), ['--import', hook.href])
    const failures = results.map((result) => listFailures(result, floors[result.name]))
    const failed = failures.filter((each) => each.length > 0).length
    const verdict = failed > 0 ? 'the gate fails' : 'NOT NOTICED'
    verdicts.push(`${name}: ${verdict}, ${failed} of ${results.length} scenarios\n`)
    verdicts.push(...failures.flat().map((each) => `  ${each}\n`))
    if (failed === 0) process.exitCode = 1
  }
  console.log(`\n${verdicts.join('')}`)
}

const measureFloors = async (): Promise<void> => {
  const runs: Result[][] = []
  for (let run = 1; run <= runsForFloors; run++) {
    say(`\nRun ${run} of ${runsForFloors}`)
    const report = await measureWorld(isNamed)
    printTable(report)
    runs.push(report.results)
  }
  writeFloors(runs, 'npm run bench:gate -- --write-floors')
}

const main = async (): Promise<void> => {
  // It has no reference server, so it is a bench of its own.
  if (options.only === 'poll') return void (await import('./poll.ts'))
  if (options.against !== undefined && (options.gate || options.prove || options['write-floors']))
    throw new Error('--against compares two releases. It has no floors, so it takes none of the other modes')
  if (options.prove) return prove()
  if (options['write-floors']) return measureFloors()
  if (options.gate) return judge(await measureTwice(isNamed))
  const report = await (options.against === undefined
    ? measureWorld(isNamed)
    : measureAgainst(options.against))
  printTable(report)
  writeReport(report)
  say('bench/report.html and bench/report.json have every sample.')
}

if (cpuMs(process.pid) === 0)
  throw new Error('The bench reads processor times from /proc, which does not exist here')
const core = takeCore()
await main()
