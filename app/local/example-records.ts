import { readFileSync } from 'node:fs'
import { dayMs } from '../config/units.ts'

const file = new URL('example-data.ndjson', import.meta.url)

export type ExampleRecord = Readonly<{ resource: string; id: string; [field: string]: unknown }>

// At the hour `at` (YYYY-MM-DDTHH, UTC), the fields replace those of earlier lines, or the record is deleted.
// See docs/decisions/0116-example-records-go-through-stages.md.
type Line = ExampleRecord & Readonly<{ at?: string; deleted?: boolean }>

const roundDays = 28

/** Returns the current hour as YYYY-MM-DDTHH, UTC. */
export const utcHour = (): string => new Date().toISOString().slice(0, 13)

const toDate = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
const toDay = (hour: string): number => Date.parse(hour.slice(0, 10)) / dayMs
const toKey = ({ resource, id }: ExampleRecord) => `${resource} ${id}`

// Replaces markers by dates relative to the day of `hour`: `<-30>` is 30 days before it; `<~-300-3>` is 300 days
// before, rounded down to a round of 28 days, minus 3 days. `<YYYY…>` and `<YY…>` are the year of such a date.
// Rounded dates stay the same for 28 days, so most records do not change from day to day.
const readLines = (hour: string): Line[] => {
  const today = toDay(hour)
  const marker = /<(?<year>Y*)(?<grid>~?)(?<days>[+-]\d+)(?<more>[+-]\d+)?>/g
  const text = readFileSync(file, 'utf8').replace(
    marker,
    (_, ...[year, grid, days, more = '0']: [string, string, string, string?]) => {
      const at = today + Number(days)
      const date = toDate(at - (grid ? at % roundDays : 0) + Number(more))
      return year === '' ? date : date.slice(4 - year.length, 4)
    },
  )
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const mergeLines = (hour: string, lines: readonly Line[]): Map<string, ExampleRecord> => {
  const records = new Map<string, ExampleRecord>()
  for (const { at = '', deleted, ...record } of lines) {
    const key = toKey(record)
    if (at > hour) continue
    if (deleted) records.delete(key)
    else records.set(key, { ...records.get(key), ...record })
  }
  return records
}

/**
 * Returns a fictional manufacturer's records at an hour (YYYY-MM-DDTHH, UTC) or a day's start (YYYY-MM-DD).
 * At any time they contain every resource except countries, every state and every computed value.
 */
export const listExampleData = (hour: string): ExampleRecord[] => [
  ...mergeLines(hour, readLines(hour)).values(),
]

type ExampleStage = { hour: string; written: ExampleRecord[]; deleted: ExampleRecord[] }

/** Returns the stages of the four weeks before `hour`, in order. The first also writes all other records. */
export const listExampleStages = (hour: string): ExampleStage[] => {
  const days = Array.from({ length: roundDays + 1 }, (_, i) => toDate(toDay(hour) - roundDays + i))
  const lines = new Map(days.map((day) => [day, readLines(day)]))
  const hours = days.flatMap((day) =>
    (lines.get(day) ?? []).flatMap(({ at }) => (at?.startsWith(day) ? [at] : [])),
  )
  const start = `${days[0]}T08`
  const staged = new Set(readLines(hour).flatMap((line) => (line.at === undefined ? [] : [toKey(line)])))
  let before = new Map<string, ExampleRecord>()
  return [start, ...new Set(hours.filter((each) => each > start && each <= hour).sort())].map((each) => {
    const stages = (lines.get(each.slice(0, 10)) ?? []).filter((line) => staged.has(toKey(line)))
    const records = mergeLines(each, stages)
    const isNew = (record: ExampleRecord) =>
      JSON.stringify(record) !== JSON.stringify(before.get(toKey(record)))
    const others = each === start ? listExampleData(hour).filter((record) => !staged.has(toKey(record))) : []
    const written = [...others, ...[...records.values()].filter(isNew)]
    const deleted = [...before.values()].filter((record) => !records.has(toKey(record)))
    before = records
    return { hour: each, written, deleted }
  })
}
