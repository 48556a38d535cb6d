import { readFileSync } from 'node:fs'

const file = new URL('example-data.ndjson', import.meta.url)

export type ExampleRecord = Readonly<{ resource: string; id: string; [field: string]: unknown }>

/**
 * `at`: the hour (YYYY-MM-DDTHH, UTC) at which these fields replace those of the record's earlier lines.
 * `deleted`: the record does not exist from then on.
 * See docs/decisions/0116-example-records-go-through-stages.md.
 */
type Line = ExampleRecord & Readonly<{ at?: string; deleted?: boolean }>

const millisecondsPerDay = 86_400_000
const roundDays = 28

/** Returns the current hour as YYYY-MM-DDTHH, UTC. */
export const utcHour = (): string => new Date().toISOString().slice(0, 13)

const toDate = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10)
const toDay = (hour: string): number => Date.parse(hour.slice(0, 10)) / millisecondsPerDay
const toKey = ({ resource, id }: ExampleRecord) => `${resource} ${id}`

/** Lines of the file, with dates relative to the day of `hour`. */
const readLines = (hour: string): Line[] => {
  const today = toDay(hour)
  const marker = /<(?<year>Y*)(?<grid>~?)(?<days>[+-]\d+)(?<more>[+-]\d+)?>/g
  const text = readFileSync(file, 'utf8').replace(
    marker,
    (_, year: string, grid: string, days: string, more = '0') => {
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

/** The records that exist at that hour, by resource and id. */
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
 * Returns the records of a fictional manufacturer of radio devices as of an hour (YYYY-MM-DDTHH, UTC) or the
 * beginning of a day (YYYY-MM-DD). Unknown fields are null or omitted. In the file, `<-30>` is the date 30
 * days before that day. `<~-300-3>` is 300 days before, rounded down to a round of 28 days, minus 3 days: so
 * most records do not change from one day to the next. `<YYYY…>` and `<YY…>` are the year of such a date. A
 * few records go through stages in each round. The same hour gives the same records. At any time every
 * resource, state and computed value occurs.
 */
export const listExampleData = (hour: string): ExampleRecord[] => [
  ...mergeLines(hour, readLines(hour)).values(),
]

/** The records that are written and deleted at an hour (YYYY-MM-DDTHH, UTC). */
export type ExampleStage = { hour: string; written: ExampleRecord[]; deleted: ExampleRecord[] }

/**
 * Returns the stages of the four weeks before `hour`, oldest first. The first one writes all records, also
 * those without stages, with the dates that they have at `hour`.
 */
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
