import type { Db } from '../db/schema.ts'
import { putCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { importRecords } from '../import/index.ts'
import { listApprovals } from './example-data/approvals.ts'
import type { ExampleLine } from './example-data/calendar.ts'
import { listCertificates } from './example-data/certificates.ts'
import { listReports } from './example-data/lab.ts'
import { listProducts } from './example-data/products.ts'
import { listProjects } from './example-data/projects.ts'

/**
 * The records of an invented maker of radio devices as import lines, as of a day (YYYY-MM-DD). The same day
 * gives the same lines; on any day every resource, state and computed value occurs.
 */
export const listExampleData = (day: string): ExampleLine[] => {
  const certificates = listCertificates(day)
  return [
    ...listProducts(),
    ...listProjects(day),
    ...certificates,
    ...listApprovals(day, certificates),
    ...listReports(day),
  ]
}

/**
 * Loads the demo customer's records as of `day` (YYYY-MM-DD) and replaces earlier ones. Records of other customers
 * do not change. Writes nothing if the records are already right. `db` must act as the operator's role. Throws if a
 * line is bad, which is a fault of the example data.
 */
export const loadExampleData = async (db: Db, day: string): Promise<void> => {
  await putCustomer(db, { customerId: demoCustomerId, name: 'Example Devices GmbH', plan: 'premium' })
  const lines = listExampleData(day).map(
    (line) => `${JSON.stringify({ customer: demoCustomerId, ...line })}\n`,
  )
  const source = ReadableStream.from([Buffer.from(lines.join(''))])
  const { badLines } = await importRecords(db, source, { replace: true, force: true, allowDemo: true })
  const [bad] = badLines
  if (bad) throw new Error(`the example data, line ${bad.line}: ${bad.reason}`)
}
