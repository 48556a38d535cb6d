import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { putCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { importRecords } from '../import/index.ts'

const file = new URL('example-data.ndjson', import.meta.url)

export type ExampleRecord = Readonly<{ resource: string; id: string; [field: string]: unknown }>

/**
 * `day`: first day of this version of the record. `gone`: the record does not exist from that day on.
 * See docs/decisions/0116-example-records-go-through-stages.md.
 */
type Line = ExampleRecord & Readonly<{ day?: string; gone?: boolean }>

const millisecondsPerDay = 86_400_000
const gridDays = 28

const dateAt = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10)
const numberOf = (day: string): number => Date.parse(day) / millisecondsPerDay

/** Lines of the file, with dates relative to `day`. */
const readLines = (day: string): Line[] => {
  const today = numberOf(day)
  const marker = /<(?<year>Y*)(?<grid>~?)(?<days>[+-]\d+)(?<more>[+-]\d+)?>/g
  const text = readFileSync(file, 'utf8').replace(
    marker,
    (_, year: string, grid: string, days: string, more = '0') => {
      const at = today + Number(days)
      const date = dateAt(at - (grid ? at % gridDays : 0) + Number(more))
      return year === '' ? date : date.slice(4 - year.length, 4)
    },
  )
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Records that exist on that day: the last line of each record that has started. */
const standOn = (day: string, lines: readonly Line[]): ExampleRecord[] => {
  const begun = lines.filter((line) => (line.day ?? day) <= day)
  const last = new Map(begun.map((line) => [`${line.resource} ${line.id}`, line]))
  return [...last.values()].flatMap(({ day, gone, ...record }) => (gone ? [] : [record]))
}

/**
 * Returns the records of a fictional manufacturer of radio devices as of a day (YYYY-MM-DD). Unknown fields
 * are omitted. In the file, `<-30>` is the date 30 days before that day. `<~-300-3>` is 300 days before,
 * rounded down to a grid of 28 days, minus 3 days: so most records do not change from one day to the next.
 * `<YYYY…>` and `<YY…>` are the year of such a date. A few records cycle through stages in 28 days: each
 * stage has a line with its first `day`. The same day gives the same records. On any day every resource,
 * state and computed value occurs.
 */
export const listExampleData = (day: string): ExampleRecord[] => standOn(day, readLines(day))

/** Records with stages on each of the 28 previous days, skipping days without a change. */
const listEarlierStages = (day: string): ExampleRecord[][] => {
  const days = Array.from({ length: gridDays }, (_, i) => dateAt(numberOf(day) - gridDays + i))
  const stages = days.map((each) =>
    standOn(
      each,
      readLines(each).filter((line) => line.day !== undefined),
    ),
  )
  return stages.filter((stage, i) => JSON.stringify(stage) !== JSON.stringify(stages[i - 1]))
}

const replaceRecords = async (db: Db, records: readonly ExampleRecord[]): Promise<void> => {
  const source = ReadableStream.from([Buffer.from(records.map((each) => JSON.stringify(each)).join('\n'))])
  const options = { customer: demoCustomerId, replace: true, force: true, allowDemo: true }
  const { badLines } = await importRecords(db, source, options)
  const [bad] = badLines
  if (bad) throw new Error(`the example data, line ${bad.line}: ${bad.reason}`)
}

const trimHistories = (db: Db) =>
  sql`select trim_demo_history(h.resource, h.record_id) from (
    select distinct resource, record_id from record_history where customer_id = ${demoCustomerId}) h`.execute(
    db,
  )

/**
 * Loads the demo customer's records as of `day` (YYYY-MM-DD) and replaces earlier ones. Records of other
 * customers do not change. The examples belong to a customer, so that the demo runs the same code as every
 * request. Writes nothing if the records are up to date. In a new database it first writes the stages of the
 * previous four weeks in order, so that records have a history, with the times of the load. `db` must act as
 * the operator's role. Rejects if a line is bad, which is a fault of the example data.
 */
export const loadExampleData = async (db: Db, day: string): Promise<void> => {
  await putCustomer(db, { customerId: demoCustomerId, name: 'Example Devices GmbH', plan: 'premium' })
  const { rows } = await sql`select from approvals where customer_id = ${demoCustomerId} limit 1`.execute(db)
  const stages = rows.length > 0 ? [] : listEarlierStages(day)
  for (const records of [...stages, listExampleData(day)]) await replaceRecords(db, records)
  await trimHistories(db)
}
