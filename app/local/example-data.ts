import { sql } from 'kysely'
import { withAdvisoryLock } from '../db/advisory-lock.ts'
import type { Db } from '../db/schema.ts'
import { putCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { importRecords } from '../import/index.ts'
import { type ExampleRecord, listExampleData, listExampleStages } from './example-records.ts'

const writeRecords = async (db: Db, records: readonly ExampleRecord[], replace: boolean): Promise<void> => {
  const source = ReadableStream.from([Buffer.from(records.map((each) => JSON.stringify(each)).join('\n'))])
  const options = { customer: demoCustomerId, replace, force: true, allowDemo: true }
  const { badLines } = await importRecords(db, source, options)
  const [bad] = badLines
  if (bad) throw new Error(`the example data, line ${bad.line}: ${bad.reason}`)
}

const writeStages = async (db: Db, hour: string): Promise<void> => {
  const stages = listExampleStages(hour)
  const starts: string[] = []
  for (const [i, { written, deleted }] of stages.entries()) {
    const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db)
    starts.push(...rows.map(({ now }) => now))
    await writeRecords(db, written, i === 0)
    for (const { resource, id } of deleted)
      await sql`delete from ${sql.table(resource)} where customer_id = ${demoCustomerId} and id = ${id}`.execute(
        db,
      )
  }
  const hours = stages.map(({ hour }) => `${hour}:00Z`)
  await sql`select date_demo_history(${starts}::timestamptz[], ${hours}::timestamptz[])`.execute(db)
}

const trimHistories = (db: Db) =>
  sql`select trim_demo_history(h.resource, h.record_id) from (
    select distinct resource, record_id from record_history where customer_id = ${demoCustomerId}) h`.execute(
    db,
  )

const load = async (db: Db, hour: string): Promise<void> => {
  await putCustomer(db, { customerId: demoCustomerId, name: 'Example Devices GmbH', plan: 'premium' })
  const { rows } = await sql`select from approvals where customer_id = ${demoCustomerId} limit 1`.execute(db)
  if (rows.length === 0) await writeStages(db, hour)
  await writeRecords(db, listExampleData(hour), true)
  await trimHistories(db)
}

/**
 * Replaces the demo customer's records by the example data of `hour` (YYYY-MM-DDTHH or YYYY-MM-DD, UTC).
 * If the customer has no approvals, first writes the stages of the previous four weeks, dated back to their
 * hours. Commits in steps: a failed load may leave undated stages. `db` is the operator's or the owner's.
 */
export const loadExampleData = (db: Db, hour: string): Promise<void> =>
  withAdvisoryLock(db, 'certdata example data', (connection) => load(connection, hour))
