import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { putCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { importRecords } from '../import/index.ts'

const file = new URL('example-data.ndjson', import.meta.url)

/** A line of the example data. */
export type ExampleRecord = Readonly<{ resource: string; id: string; [field: string]: unknown }>

const millisecondsPerDay = 86_400_000
const gridDays = 28

const dateAt = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10)

/**
 * Returns the records of an invented maker of radio devices as import lines, as of a day (YYYY-MM-DD). In the file,
 * `<-30>` is the date 30 days before that day. `<~-300-3>` is 300 days before, back to the last day of a grid of 28
 * days, less 3: so most records stay as they are on the next day. `<YYYY…>` and `<YY…>` are the year of such a date.
 * The same day gives the same lines; on any day every resource, state and computed value occurs.
 */
export const readExampleData = (day: string): string => {
  const today = Date.parse(day) / millisecondsPerDay
  const marker = /<(?<year>Y*)(?<grid>~?)(?<days>[+-]\d+)(?<more>[+-]\d+)?>/g
  return readFileSync(file, 'utf8').replace(
    marker,
    (_, year: string, grid: string, days: string, more = '0') => {
      const at = today + Number(days)
      const date = dateAt(at - (grid ? at % gridDays : 0) + Number(more))
      return year === '' ? date : date.slice(4 - year.length, 4)
    },
  )
}

/** Returns the same records as objects. A field that is not known is absent. */
export const listExampleData = (day: string): ExampleRecord[] =>
  readExampleData(day)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/**
 * Loads the demo customer's records as of `day` (YYYY-MM-DD) and replaces earlier ones. Records of other customers
 * do not change. Writes nothing if the records are already right. Forgets old entries of histories that have become
 * long. `db` must act as the operator's role. Throws if a
 * line is bad, which is a fault of the example data.
 */
export const loadExampleData = async (db: Db, day: string): Promise<void> => {
  await putCustomer(db, { customerId: demoCustomerId, name: 'Example Devices GmbH', plan: 'premium' })
  const source = ReadableStream.from([Buffer.from(readExampleData(day))])
  const options = { customer: demoCustomerId, replace: true, force: true, allowDemo: true }
  const { badLines } = await importRecords(db, source, options)
  const [bad] = badLines
  if (bad) throw new Error(`the example data, line ${bad.line}: ${bad.reason}`)
  await sql`select trim_demo_history(h.resource, h.record_id) from (
    select distinct resource, record_id from record_history where customer_id = ${demoCustomerId}) h`.execute(
    db,
  )
}
