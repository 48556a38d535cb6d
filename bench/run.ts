import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measure } from './lib/load.ts'
import { residentMib } from './lib/processes.ts'
import { createWorld } from './lib/world.ts'
import {
  countUndisturbed,
  describeMachine,
  printTable,
  type Report,
  type Result,
  ratioOf,
  writeReport,
} from './report.ts'
import { createScenarios, type Scenario } from './scenarios.ts'

/**
 * Measures each scenario next to its reference, in one run, and reports the ratios. It repeats a scenario if other
 * work disturbed the machine. `--gate` is the short form. It fails if an average reaches the customers' promise, a
 * request fails, or a ratio falls below its floor.
 */
const { values: options } = parseArgs({
  options: {
    gate: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
  },
})

/** The customer's contract. */
const promisedAverageMs = 80
/** Few in the short form: its averages are judged, on machines that others use too. */
const usualConnections = options.gate ? 8 : 32
const rounds = Number(options.rounds ?? (options.gate ? 3 : 5))
const seconds = Number(options.seconds ?? (options.gate ? 2 : 3))
const warmSeconds = options.gate ? 1 : 2
/** At most so many more, where the machine was not ours in some. */
const extraRounds = options.gate ? 2 : rounds
/** And so many of what would fail the gate without enough rounds of a machine that was ours. */
const doubtRounds = options.gate ? 8 : 0

type Floors = Record<string, number>
const floors = JSON.parse(readFileSync(join(import.meta.dirname, 'floors.json'), 'utf8')) as Floors

const say = (line: string) => process.stderr.write(`${line}\n`)
const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

const connectionsOf = (scenario: Scenario) => scenario.connections ?? usualConnections

const isWanted = ({ name }: Scenario): boolean =>
  options.only ? new RegExp(options.only).test(name) : !options.gate || name in floors

const isBelowFloor = (result: Result): boolean => {
  const floor = floors[result.name]
  return floor !== undefined && !(ratioOf(result) >= floor)
}

/** What is measured, and what was found so far. */
type Measured = { scenario: Scenario; result: Result }

const runSubject = async (scenario: Scenario, duration: number) => {
  const end = scenario.beside?.()
  try {
    return await measure(scenario.subject, { seconds: duration, connections: connectionsOf(scenario) })
  } finally {
    end?.()
  }
}

const runReference = async (scenario: Scenario, duration: number) =>
  scenario.reference &&
  (await measure(scenario.reference, { seconds: duration, connections: connectionsOf(scenario) }))

const warm = async (scenario: Scenario): Promise<void> => {
  progress(`warming ${scenario.name}`)
  await runReference(scenario, warmSeconds)
  await runSubject(scenario, warmSeconds)
}

/** One round more. Each goes first every second time: what warms or tires the machine favours neither. */
const measurePair = async ({ scenario, result }: Measured): Promise<void> => {
  const measureReference = async () => {
    const sample = await runReference(scenario, seconds)
    if (sample) result.reference.push(sample)
  }
  const isReferenceFirst = result.subject.length % 2 === 0
  if (isReferenceFirst) await measureReference()
  result.subject.push(await runSubject(scenario, seconds))
  if (!isReferenceFirst) await measureReference()
}

const isWanting = ({ result }: Measured): boolean => countUndisturbed(result) < rounds
const isDoubtful = (measured: Measured): boolean => isWanting(measured) && isBelowFloor(measured.result)

const measureAll = async (scenarios: readonly Scenario[]): Promise<Result[]> => {
  const all = scenarios.map((scenario): Measured => {
    const { name, against, goal } = scenario
    return {
      scenario,
      result: { name, against, ...(goal === undefined ? {} : { goal }), subject: [], reference: [] },
    }
  })
  for (const scenario of scenarios) await warm(scenario)
  for (let round = 1; round <= rounds + extraRounds; round++) {
    for (const each of all) {
      if (!isWanting(each)) continue
      progress(`round ${round}, ${rounds} undisturbed ones are wanted: ${each.scenario.name}`)
      await measurePair(each)
    }
  }
  for (let round = 1; round <= doubtRounds; round++) {
    for (const each of all) {
      if (!isDoubtful(each)) continue
      progress(`again, because the machine was not ours: ${each.scenario.name}`)
      await measurePair(each)
    }
  }
  progress('')
  return all.map(({ result }) => result)
}

/** Returns the faults of one scenario that forbid a release, in words. Empty: the release may go out. */
const listFailures = (result: Result): string[] => {
  const { name, subject } = result
  const worst = Math.max(...subject.map(({ averageMs }) => averageMs))
  const failed = subject.reduce((sum, sample) => sum + sample.failed, 0)
  const failures: string[] = []
  if (worst >= promisedAverageMs)
    failures.push(`${worst.toFixed(0)} ms on average, promised are ${promisedAverageMs}`)
  if (failed > 0) failures.push(`${failed} requests failed`)
  if (isBelowFloor(result)) {
    const ratio = ratioOf(result).toFixed(2)
    failures.push(`${ratio} of its reference, the floor is ${floors[name]} (bench/floors.json)`)
  }
  return failures.map((failure) => `${name}: ${failure}`)
}

/** Says what is out of bounds, and has the process fail where anything is. */
const judge = (results: readonly Result[]): void => {
  const failures = results.map(listFailures)
  for (const each of failures.flat()) say(`FAILED  ${each}`)
  const good = failures.filter((each) => each.length === 0).length
  say(`${good} of ${results.length} scenarios within bounds`)
  if (good < results.length) process.exitCode = 1
}

const main = async (): Promise<void> => {
  const world = await createWorld({
    certificates: 10_000,
    crowdSize: options.gate ? 0 : 200,
    say,
  })
  const { scenarios, references } = await createScenarios(world).catch(async (error) => {
    await world.close()
    throw error
  })
  let results: Result[]
  let resident: number
  try {
    const wanted = scenarios.filter(isWanted)
    if (wanted.length === 0) throw new Error(`No scenario is named like ${options.only}`)
    results = await measureAll(wanted)
    resident = residentMib(world.service.pid)
  } finally {
    for (const each of references) await each.stop()
    await world.close()
  }
  const notes = [`Database: ${world.database.label}.`, `Redis: ${world.redis?.label ?? 'none'}.`]
  const report: Report = {
    ...describeMachine(),
    notes,
    options: { rounds, seconds, connections: usualConnections },
    residentMib: resident,
    results,
  }
  printTable(report)
  if (options.gate) return judge(results)
  writeReport(report)
  say('bench/report.html and bench/report.json have every sample.')
}

await main()
