import { readFile } from 'node:fs/promises'
import type { Db } from '../db/schema.ts'
import { putCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { importRecords } from '../import/index.ts'

const file = new URL('example-data.ndjson', import.meta.url)

/**
 * Returns the records of an invented maker of radio devices as import lines, as of a day (YYYY-MM-DD). In the file,
 * `<-30>` is the date 30 days before that day, and `<YYYY-30>` or `<YY-30>` is its year. The same day gives the same
 * lines; on any day every resource, state and computed value occurs.
 */
export const readExampleData = async (day: string): Promise<string> =>
  (await readFile(file, 'utf8')).replace(/<(YY|YYYY|)([+-]\d+)>/g, (_, year: string, days: string) => {
    const date = new Date(Date.parse(day) + Number(days) * 86_400_000).toISOString().slice(0, 10)
    return year === '' ? date : date.slice(4 - year.length, 4)
  })

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
