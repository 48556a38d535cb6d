import { parseArgs } from 'node:util'
import { isDisturbed, listFailures, readFloors, writeFloors } from './floors.ts'
import { cpuMs } from './lib/cpu.ts'
import { takeCore } from './lib/machine.ts'
import { say } from './lib/progress.ts'
import { createWorld } from './lib/world.ts'
import { plants } from './plants.ts'
import { describeMachine, printTable, writeReport } from './report.ts'
import { measureScenarios, type Result } from './rounds.ts'
import { createScenarios, type Scenario } from './scenarios.ts'

/**
 * Measures the processor time of an answer, of the service and of a bare server that sends the same bytes, in paired
 * rounds. `--gate` exits with 1 if a request fails or a ratio is twice below its floor. `--prove` plants regressions and
 * exits with 1 if the gate does not fail. `--write-floors` measures three times and writes the floors.
 */
const { values: options } = parseArgs({
  options: {
    gate: { type: 'boolean', default: false },
    prove: { type: 'boolean', default: false },
    'write-floors': { type: 'boolean', default: false },
    /** See lib/generators.ts. */
    autocannon: { type: 'boolean', default: false },
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

const floors = readFloors()
const only = new RegExp(options.only)
const isNamed = ({ name }: Scenario) => only.test(name)

const measureWorld = async (isWanted: (scenario: Scenario) => boolean, execArgv: readonly string[] = []) => {
  const world = await createWorld({ certificates: 10_000, crowdSize: 0, say, isWhole: true, execArgv })
  try {
    const wanted = (await createScenarios(world)).filter(isWanted)
    if (wanted.length === 0) throw new Error(`No scenario has a name like ${options.only}`)
    const mostRounds = 2 * rounds - 1
    const results = await measureScenarios(wanted, { seconds, rounds, mostRounds, limitSeconds, floors })
    const notes = [`Database: ${world.database.label}.`, `Redis: ${world.redis?.store.label ?? 'none'}.`]
    return { ...describeMachine(), notes: [...notes, `Measured ${core}.`], rounds, seconds, floors, results }
  } finally {
    await world.close()
  }
}

/**
 * Measures scenarios below their floor once more, with new servers. A regression is in every process, but one
 * process over HTTP/2 may cost a quarter more than another one of the same build.
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

const judge = (results: readonly Result[]): void => {
  const failures = results.map((result) => listFailures(result, floors[result.name]))
  for (const each of failures.flat()) say(`FAILED  ${each}`)
  const good = failures.filter((each) => each.length === 0).length
  const missing = Object.keys(floors).filter((name) => only.test(name)).length - results.length
  say(`${good} of ${results.length} scenarios within bounds${missing > 0 ? `, ${missing} not measured` : ''}`)
  if (results.some(({ generator }) => generator === 'autocannon'))
    say(
      'autocannon sends fewer small requests than the service can answer, so rates are its own, not the service’s',
    )
  if (good < results.length) process.exitCode = 1
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
  if (options.prove) return prove()
  if (options['write-floors']) return measureFloors()
  if (options.gate) return judge(await measureTwice(isNamed))
  const report = await measureWorld(isNamed)
  printTable(report)
  writeReport(report)
  say('bench/report.html and bench/report.json have every sample.')
}

if (cpuMs(process.pid) === 0)
  throw new Error('The bench reads processor times from /proc, which does not exist here')
const core = takeCore()
await main()
