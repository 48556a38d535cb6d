import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuMs, residentMib } from './lib/cpu.ts'
import { generatorOf } from './lib/generators.ts'
import { measure, type Target } from './lib/load.ts'
import { say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'
import { createWorld, type World } from './lib/world.ts'
import { describeMachine, printTable, type Report, type Result, ratioOf, writeReport } from './report.ts'
import { createScenarios, type Scenario } from './scenarios.ts'

/**
 * Measures the processor time of an answer, of the service beside a bare server that sends the same bytes, in rounds
 * that alternate. `--gate` is the short form. It fails if an average reaches the customers' promise, a request fails,
 * or a ratio falls below its floor.
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
/**
 * Requests that are under way at once; over HTTP/2 four on each connection. Few in the short form: its averages are
 * judged, on machines that others use too.
 */
const connections = options.gate ? 8 : 32
const rounds = Number(options.rounds ?? (options.gate ? 3 : 7))
const seconds = Number(options.seconds ?? (options.gate ? 1 : 2))
const warmSeconds = options.gate ? 1 : 2
/** Pairs more where the gate would fail: what other work on the machine did to a few rounds is no fault of ours. */
const doubtRounds = options.gate ? 6 : 0

const floors: Record<string, number> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'floors.json'), 'utf8'),
)

const isWanted = ({ name }: Scenario): boolean =>
  options.only ? new RegExp(options.only).test(name) : !options.gate || name in floors

const isBelowFloor = (result: Result): boolean => {
  const floor = floors[result.name]
  return floor !== undefined && !(ratioOf(result) >= floor)
}

/** More bytes apart, and the two do not send the same. A `Server-Timing` has some digits more or less. */
const mostBytesApart = 0.02

/** Throws where the two sent other bytes under load. HTTP/2 leaves out what it sent before, so it is not judged. */
const requireSameBytes = ({ name, subject, reference }: Result): void => {
  const bytes = (samples: Result['subject']) => median(samples.map(({ bytes, answers }) => bytes / answers))
  const [ours, theirs] = [bytes(subject), bytes(reference)]
  if (Math.abs(ours - theirs) <= mostBytesApart * theirs) return
  throw new Error(`${name}: the service sent ${ours} bytes an answer, the reference ${theirs}`)
}

const measureScenario = async (scenario: Scenario): Promise<Result> => {
  const { name, against, goal, subject, stores = [] } = scenario
  const reference = await scenario.startReference?.()
  const result: Result = {
    ...{ name, against, generator: generatorOf(subject)?.name ?? '', subject: [], reference: [] },
    ...(goal === undefined ? {} : { goal }),
  }
  const load = (target: Target, duration: number) =>
    measure(target, { seconds: duration, connections, stores })
  const measureReference = async () => {
    if (reference) result.reference.push(await load(reference, seconds))
  }
  try {
    if (reference) await load(reference, warmSeconds)
    await load(subject, warmSeconds)
    for (let round = 0; round < rounds + doubtRounds; round++) {
      if (round >= rounds && !isBelowFloor(result)) break
      // Each goes first every second time: what warms or tires the machine favours neither.
      if (round % 2 === 0) await measureReference()
      result.subject.push(await load(subject, seconds))
      if (round % 2 === 1) await measureReference()
    }
  } finally {
    await reference?.server.stop()
  }
  if (reference && !subject.isHttp2) requireSameBytes(result)
  return result
}

const measureAll = async (scenarios: readonly Scenario[]): Promise<Result[]> => {
  const results: Result[] = []
  for (const [index, scenario] of scenarios.entries()) {
    say(`${index + 1} of ${scenarios.length}: ${scenario.name}`)
    if (generatorOf(scenario.subject)) results.push(await measureScenario(scenario))
    else say('  left out: h2load is not installed')
  }
  return results
}

/** Returns the faults of one scenario that forbid a release, in words. Empty: the release may go out. */
const listFailures = (result: Result): string[] => {
  const { name, subject } = result
  const average = median(subject.map(({ averageMs }) => averageMs))
  const failed = subject.reduce((sum, sample) => sum + sample.failed, 0)
  const failures: string[] = []
  if (average >= promisedAverageMs)
    failures.push(`${average.toFixed(0)} ms on average, promised are ${promisedAverageMs}`)
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

const run = async (world: World): Promise<{ results: Result[]; resident: number }> => {
  const wanted = (await createScenarios(world)).filter(isWanted)
  if (wanted.length === 0) throw new Error(`No scenario is named like ${options.only}`)
  return { results: await measureAll(wanted), resident: residentMib(world.service.pid) }
}

const main = async (): Promise<void> => {
  if (cpuMs(process.pid) === 0)
    throw new Error('The bench reads processor times from /proc, which is not here')
  const world = await createWorld({ certificates: 10_000, crowdSize: 0, say, isWhole: true })
  const { results, resident } = await run(world).finally(() => world.close())
  const report: Report = {
    ...describeMachine(),
    notes: [`Database: ${world.database.label}.`, `Redis: ${world.redis?.store.label ?? 'none'}.`],
    options: { rounds, seconds, connections },
    residentMib: resident,
    results,
  }
  printTable(report)
  if (options.gate) return judge(results)
  writeReport(report)
  say('bench/report.html and bench/report.json have every sample.')
}

await main()
