import { sql } from 'kysely'
import { withAdvisoryLock } from '../db/advisory-lock.ts'
import type { Db } from '../db/schema.ts'
import { putCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { importRecords } from '../import/index.ts'
import { resources } from '../records/resources/index.ts'
import { type ExampleRecord, listExampleData, listExampleStages } from './example-records.ts'

const writeRecords = async (db: Db, records: readonly ExampleRecord[], replace: boolean): Promise<void> => {
  const source = ReadableStream.from([Buffer.from(records.map((each) => JSON.stringify(each)).join('\n'))])
  const options = { customer: demoCustomerId, replace, force: true, allowDemo: true }
  const { badLines } = await importRecords(db, source, options)
  const [bad] = badLines
  if (bad) throw new Error(`the example data, line ${bad.line}: ${bad.reason}`)
}

/** True before the first load, and if a process has died during it: `date_demo_history` is its last step. */
const lacksStages = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ hasStages: boolean }>`
    select exists (select from approvals where customer_id = ${demoCustomerId})
      and exists (select from history_begun where customer_id = ${demoCustomerId}) as "hasStages"`.execute(db)
  return !rows[0]?.hasStages
}

/** Removes the stages of a load that was interrupted, and the mark of a finished one. */
const removeStages = (db: Db): Promise<void> =>
  db.transaction().execute(async (trx) => {
    for (const { name, reference } of Object.values(resources)) {
      if (!reference)
        await sql`delete from ${sql.table(name)} where customer_id = ${demoCustomerId}`.execute(trx)
    }
    await sql`delete from record_history where customer_id = ${demoCustomerId}`.execute(trx)
    await sql`delete from history_begun where customer_id = ${demoCustomerId}`.execute(trx)
  })

const writeStages = async (db: Db, hour: string): Promise<void> => {
  await removeStages(db)
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
  if (await lacksStages(db)) await writeStages(db, hour)
  await writeRecords(db, listExampleData(hour), true)
  await trimHistories(db)
}

/**
 * Replaces the demo customer's records by the example data of `hour` (YYYY-MM-DDTHH or YYYY-MM-DD, UTC).
 * If the customer has no dated history, first writes the stages of the previous four weeks, dated back to their
 * hours. Commits in steps: after a failure, the next load begins again. `db` is the operator's or the owner's.
 */
export const loadExampleData = (db: Db, hour: string): Promise<void> =>
  withAdvisoryLock(db, 'certdata example data', (connection) => load(connection, hour))
