import { readFile } from 'node:fs/promises'
import type { Db } from '../db/schema.ts'
import { putCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { importRecords } from '../import/index.ts'

const file = new URL('example-data.ndjson', import.meta.url)

const millisecondsPerDay = 86_400_000
const gridDays = 28

const dateAt = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10)

/**
 * Returns the records of an invented maker of radio devices as import lines, as of a day (YYYY-MM-DD). In the file,
 * `<-30>` is the date 30 days before that day. `<~-300-3>` is 300 days before, back to the last day of a grid of 28
 * days, less 3: so most records stay as they are on the next day. `<YYYY…>` and `<YY…>` are the year of such a date.
 * The same day gives the same lines; on any day every resource, state and computed value occurs.
 */
export const readExampleData = async (day: string): Promise<string> => {
  const today = Date.parse(day) / millisecondsPerDay
  const text = await readFile(file, 'utf8')
  const marker = /<(?<year>Y*)(?<grid>~?)(?<days>[+-]\d+)(?<more>[+-]\d+)?>/g
  return text.replace(marker, (_, year: string, grid: string, days: string, more = '0') => {
    const at = today + Number(days)
    const date = dateAt(at - (grid ? at % gridDays : 0) + Number(more))
    return year === '' ? date : date.slice(4 - year.length, 4)
  })
}

/**
 * Loads the demo customer's records as of `day` (YYYY-MM-DD) and replaces earlier ones. Records of other customers
 * do not change. Writes nothing if the records are already right. `db` must act as the operator's role. Throws if a
 * line is bad, which is a fault of the example data.
 */
export const loadExampleData = async (db: Db, day: string): Promise<void> => {
  await putCustomer(db, { customerId: demoCustomerId, name: 'Example Devices GmbH', plan: 'premium' })
  const source = ReadableStream.from([Buffer.from(await readExampleData(day))])
  const options = { customer: demoCustomerId, replace: true, force: true, allowDemo: true }
  const { badLines } = await importRecords(db, source, options)
  const [bad] = badLines
  if (bad) throw new Error(`the example data, line ${bad.line}: ${bad.reason}`)
}
