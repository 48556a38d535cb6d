import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { median } from './lib/statistics.ts'
import { describeMachine, type Report } from './report.ts'
import { getRatio, isCrowded, type Result } from './rounds.ts'

const file = join(import.meta.dirname, 'floors.json')
/** A release fails if its ratio is below this share of the measured ratio. */
const share = 0.9

/** The limit for an answer that needs one query. Statistics of PostgreSQL are up to a second late. */
const mostQueries = 1.25

export type Floors = Pick<Report, 'at' | 'commit' | 'machine' | 'versions'> & {
  command: string
  ratios: Record<string, number>
}

/** One entry for each kind of processor: the ratio of one build differs by a quarter between them. */
const readAllFloors = (): Floors[] => JSON.parse(readFileSync(file, 'utf8'))

const getLowest = (all: readonly Floors[]): Record<string, number> => {
  const names = Object.keys(all[0]?.ratios ?? {})
  return Object.fromEntries(
    names.map((name) => [name, Math.min(...all.map(({ ratios }) => ratios[name] ?? Number.NaN))]),
  )
}

/** Returns the floors of this kind of processor. The lowest of all kinds if it is unknown. */
export const readFloors = (
  cpu = os.cpus()[0]?.model,
  all: readonly Floors[] = readAllFloors(),
): Record<string, number> => all.find(({ machine }) => machine.cpu === cpu)?.ratios ?? getLowest(all)

export const toFloors = (runs: readonly (readonly Result[])[]): Record<string, number> => {
  const names = runs[0]?.map(({ name }) => name) ?? []
  const listRatios = (name: string) =>
    runs.flatMap((run) => run.filter((each) => each.name === name).map(getRatio))
  return Object.fromEntries(
    names.map((name) => [name, Number((share * median(listRatios(name))).toFixed(2))]),
  )
}

export const writeFloors = (runs: readonly (readonly Result[])[], command: string): void => {
  const floors: Floors = { ...describeMachine(), command, ratios: toFloors(runs) }
  const others = readAllFloors().filter(({ machine }) => machine.cpu !== floors.machine.cpu)
  writeFileSync(file, `${JSON.stringify([...others, floors], null, 2)}\n`)
}

/** Also true for NaN. */
const isSlow = (result: Result, floor = 0): boolean => !(getRatio(result) >= floor)

/** Whether a repetition could pass. Failed requests and extra queries are not caused by disturbances. */
export const isDisturbed = (result: Result, floor: number | undefined): boolean =>
  (isSlow(result, floor) || isCrowded(result)) && listFailures(result, undefined).length === 0

/** `unjudged`: no request failed, but other processes disturbed a measurement. */
export type Verdict = 'passed' | 'failed' | 'unjudged'

/** Judges all results. Failed requests and extra queries count on a crowded machine, too; ratios do not. */
export const judgeResults = (
  results: readonly Result[],
  floors: Readonly<Record<string, number>>,
): { verdict: Verdict; failures: readonly string[]; crowded: readonly Result[] } => {
  const crowded = results.filter(isCrowded)
  const failures = results.flatMap((result) =>
    listFailures(result, isCrowded(result) ? undefined : floors[result.name]),
  )
  const verdict = failures.length > 0 ? 'failed' : crowded.length > 0 ? 'unjudged' : 'passed'
  return { verdict, failures, crowded }
}

/** Returns the reasons to refuse a release, as sentences. */
export const listFailures = (result: Result, floor: number | undefined): string[] => {
  const { name, subject, reference, queries = 1 } = result
  const failed = [...subject, ...reference].reduce((sum, sample) => sum + sample.failed, 0)
  return [
    ...(failed > 0 ? [`${name}: ${failed} requests failed`] : []),
    ...(queries > mostQueries ? [`${name}: ${queries.toFixed(2)} queries an answer instead of one`] : []),
    ...(floor !== undefined && isSlow(result, floor)
      ? [
          `${name}: ${getRatio(result).toFixed(2)} of its reference, the floor is ${floor} (bench/floors.json)`,
        ]
      : []),
  ]
}
