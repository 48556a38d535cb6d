import type { Collector, Sample } from './collector.ts'

type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]
/** Undefined: not known now, and then not shown. */
type Reading = number | undefined | Labelled

const toSamples = (reading: Reading): readonly Sample[] => {
  if (reading === undefined) return []
  if (typeof reading !== 'number') return reading.map(([labels, value]) => ({ labels, value }))
  return Number.isFinite(reading) ? [{ labels: {}, value: reading }] : []
}

/** A figure that goes up and down. */
export const gauge = (
  name: string,
  help: string,
  read: () => Reading | Promise<Reading>,
  aggregate: 'sum' | 'max' | 'min' = 'max',
): Collector => ({ name, help, type: 'gauge', aggregate, collect: async () => toSamples(await read()) })

/** A figure that only grows while the process lives. */
export const counter = (name: string, help: string, read: () => Reading): Collector => ({
  name,
  help,
  type: 'counter',
  collect: () => toSamples(read()),
})

/** Counts by one label, from a record or a map of them. */
export const byLabel = (
  label: string,
  counts: Readonly<Record<string, number>> | ReadonlyMap<string, number>,
): Labelled =>
  (counts instanceof Map ? [...counts] : Object.entries(counts)).map(
    ([name, value]) => [{ [label]: name }, value] as const,
  )

export type SlowFigureOptions = {
  read: () => Promise<number>
  /** Milliseconds that never go back. */
  now: () => number
  /** How old a figure may be. */
  keptMs: number
}

/**
 * Returns a function that reads a figure from the database at most once per `keptMs`. If a read fails, it returns
 * the last figure; undefined if there was none.
 */
export const createSlowFigure = ({ read, now, keptMs }: SlowFigureOptions) => {
  let known: number | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let flight: Promise<void> | undefined
  return async (): Promise<number | undefined> => {
    if (now() - askedAt >= keptMs) {
      askedAt = now()
      flight = read().then(
        (value) => {
          known = value
        },
        () => {},
      )
    }
    await flight
    return known
  }
}
