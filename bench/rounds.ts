import { setTimeout as delay } from 'node:timers/promises'
import type { Target } from './lib/generators.ts'
import { getGenerator } from './lib/generators.ts'
import { measure, type Sample } from './lib/load.ts'
import { watchNeighbours } from './lib/neighbours.ts'
import { describeRest, say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'
import type { Scenario } from './scenarios.ts'

/** The samples of one scenario: two per server and round. */
export type Result = Pick<Scenario, 'name' | 'against'> & {
  generator: string
  /** PostgreSQL queries per answer of the service, see `getQueries`. `undefined` if they are not counted. */
  queries?: number
  /** Share of all cores, 0 to 1, that other processes used during the rounds. */
  neighbours: number
  subject: Sample[]
  reference: Sample[]
}

export type RoundsOptions = {
  seconds: number
  /** Normal rounds of each scenario. `mostRounds` if they differ or if the result is close to the floor. */
  rounds: number
  mostRounds: number
  /** The longest time for all scenarios. After its share of it, a scenario gets no extra round. */
  limitSeconds: number
  floors: Readonly<Record<string, number>>
  /** The own processes, without the references: this one and those of the stores. */
  roots: readonly number[]
}

/** Requests in progress at the same time. More of them mean more TLS handshakes, which are not measured here. */
export const connections = 8
/** Rounds that differ by more than this share of their median are followed by extra rounds. */
const mostSpread = 1 / 3
/** Answers may differ by this share of their bytes, because `Server-Timing` has a varying number of digits. */
const mostBytesApart = 0.02

/** Other processes may use this share of the cores. Above it, ratios are not judged. */
const mostNeighbours = 0.1

/** Whether other processes used too much of the machine to judge the ratio. */
export const isCrowded = ({ neighbours }: Result): boolean => neighbours > mostNeighbours

/** Processor time of an answer in milliseconds, including the time of its store. */
export const getCost = ({ cpuMs, storeMs }: Sample): number => cpuMs + storeMs

/** Returns the sum of a server's two costs in each round. */
const listCosts = (samples: readonly Sample[]): number[] =>
  samples.flatMap((second, index) => {
    const first = samples[index - 1]
    return first && index % 2 === 1 ? [getCost(first) + getCost(second)] : []
  })

/** Returns each round's ratio: the reference's processor time divided by the service's. */
export const listRatios = ({ subject, reference }: Result): number[] => {
  const ours = listCosts(subject)
  return listCosts(reference).map((cost, round) => cost / (ours[round] ?? Number.NaN))
}

export const getRatio = (result: Result): number => median(listRatios(result))

/** Whether more rounds can change the verdict or make the result clearer. */
export const needsMore = (ratios: readonly number[], floor: number | undefined): boolean => {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  if (most - least > mostSpread * median(ratios)) return true
  return floor !== undefined && median(ratios) < floor && most >= floor
}

/** Throws if the two sent different numbers of bytes. HTTP/2 does not repeat fields, so it is not compared. */
const requireSameBytes = ({ name, subject, reference }: Result): void => {
  const bytes = (samples: Sample[]) => median(samples.map(({ bytes, answers }) => bytes / answers))
  const [ours, theirs] = [bytes(subject), bytes(reference)]
  if (Math.abs(ours - theirs) <= mostBytesApart * theirs) return
  throw new Error(`${name}: the service sent ${ours} bytes an answer, the reference ${theirs}`)
}

/** Time in which the queries of services without requests are counted. */
const idleMs = 3_000

/** Counts queries while a scenario is measured. The reference sends one for each of its answers. */
const watchQueries = async (
  { countQueries }: Scenario,
  idlePerSecond: number,
): Promise<(result: Result) => Promise<void>> => {
  const [before, startedAt] = [await countQueries?.(), performance.now()]
  return async (result) => {
    if (!countQueries || before === undefined) return
    const total = (await countQueries()) - before
    result.queries = getQueries(result, { total, idlePerSecond, ms: performance.now() - startedAt })
  }
}

/** Returns the queries of an idle second: services poll the change log, their signing keys and the audit trail. */
const countIdleQueries = async ({ countQueries }: Scenario): Promise<number> => {
  if (!countQueries) return 0
  const [before, startedAt] = [await countQueries(), performance.now()]
  await delay(idleMs)
  return (1_000 * ((await countQueries()) - before)) / (performance.now() - startedAt)
}

type Counted = Readonly<{ total: number; idlePerSecond: number; ms: number }>

/** Returns the queries of an answer of the service, without those that services send without requests. */
export const getQueries = (
  { subject, reference }: Pick<Result, 'subject' | 'reference'>,
  { total, idlePerSecond, ms }: Counted,
): number => {
  const sum = (samples: readonly Sample[]) => samples.reduce((answers, each) => answers + each.answers, 0)
  return (total - (idlePerSecond * ms) / 1_000 - sum(reference)) / sum(subject)
}

/** V8 has compiled the code of an uncached page after about 10,000 answers. Then a page costs a sixth less. */
const warmAnswers = 10_000
const mostWarmLoads = 20

/** Loads a server until its code is compiled. */
export const warmUp = async (load: () => Promise<Pick<Sample, 'answers'>>): Promise<void> => {
  let answers = 0
  for (let loads = 0; loads < mostWarmLoads && answers < warmAnswers; loads += 1)
    answers += (await load()).answers
}

const measureScenario = async (
  scenario: Scenario,
  { seconds, rounds, mostRounds, floors, roots }: RoundsOptions,
  isInTime: () => boolean,
): Promise<Result> => {
  const { name, against, startReference, subject, stores = [], referenceStores = stores } = scenario
  const reference = await startReference().catch((error: Error) => {
    throw new Error(`${name}: the reference does not start or answers differently: ${error.message}`)
  })
  const result: Result = {
    name,
    against,
    generator: getGenerator(subject)?.name ?? '',
    neighbours: 0,
    subject: [],
    reference: [],
  }
  const load = (target: Target) =>
    measure(target, { seconds, connections, stores: target === subject ? stores : referenceStores })
  const isOpen = () => isInTime() && needsMore(listRatios(result), floors[name])
  try {
    const idlePerSecond = await countIdleQueries(scenario)
    await warmUp(() => load(reference))
    await warmUp(() => load(subject))
    const noteQueries = await watchQueries(scenario, idlePerSecond)
    const readNeighbours = watchNeighbours(roots)
    for (let round = 0; round < rounds || (round < mostRounds && isOpen()); round++) {
      // A server costs up to a fifth more after a second without requests, and a machine becomes slower or faster.
      // In this order each server is measured once after itself and once after the other, around the same instant.
      result.reference.push(await load(reference))
      result.subject.push(await load(subject), await load(subject))
      result.reference.push(await load(reference))
    }
    result.neighbours = readNeighbours()
    await noteQueries(result)
  } finally {
    await reference.server.stop()
  }
  // Late answers have longer times in their `Server-Timing`.
  if (!subject.isHttp2 && !scenario.mayDiffer && !isCrowded(result)) requireSameBytes(result)
  return result
}

/** Measures the scenarios one after another. Skips scenarios without an installed generator. */
export const measureScenarios = async (
  scenarios: readonly Scenario[],
  options: RoundsOptions,
): Promise<Result[]> => {
  const results: Result[] = []
  const startedAt = performance.now()
  const usable = scenarios.filter(({ subject }) => getGenerator(subject))
  if (usable.length < scenarios.length)
    say(`${scenarios.length - usable.length} scenarios over HTTP/2 are left out: h2load is not installed`)
  for (const [index, scenario] of usable.entries()) {
    say(
      `${index + 1} of ${usable.length}: ${scenario.name}  ${describeRest(startedAt, index / usable.length)}`,
    )
    const isInTime = () =>
      performance.now() - startedAt < (1000 * options.limitSeconds * (index + 1)) / usable.length
    results.push(await measureScenario(scenario, options, isInTime))
  }
  return results
}
