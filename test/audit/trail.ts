import { sql } from 'kysely'
import type { Test } from 'tap'
import type { ChainFault, ChainHead } from '../../app/audit/chain.ts'
import { sealPending } from '../../app/audit/sealer.ts'
import { verifyAudit } from '../../app/audit/verify.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import type { Db } from '../../app/db/schema.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestDatabase,
  secretKey,
  type TestDatabase,
} from '../helper.ts'

export const secrets = createSecrets([secretKey])

/** A database with an empty trail and the customers acme and globex. */
export const openTrail = async (test: Pick<Test, 'teardown'>) => {
  const database = await createTestDatabase()
  const owner = connectOwner(database, 4)
  closeAfter(test, owner, database)
  for (const customer of ['acme', 'globex']) await addCustomer(database, customer)
  const { reader, operator } = database
  const seal = () => sealPending(reader, secrets)
  const verify = (published?: ChainHead) => verifyAudit(operator, secrets, published)
  return { database, reader, operator, owner, seal, verify }
}

const rolledBack = new Error('rolled back')

/** Calls `act` in a transaction that is rolled back afterwards. */
export const inUndone = async (db: Db, act: (trx: Db) => Promise<void>): Promise<void> => {
  const attempt = db.transaction().execute(async (trx) => {
    await act(trx)
    throw rolledBack
  })
  await attempt.catch((error: unknown) => {
    if (error !== rolledBack) throw error
  })
}

/** Returns the fault that `audit verify` finds after these statements, which are rolled back. */
export const findFaultAfter = async (
  owner: Db,
  statements: string,
  published?: ChainHead,
): Promise<ChainFault | null> => {
  let fault: ChainFault | null = null
  await inUndone(owner, async (trx) => {
    await sql.raw(statements).execute(trx)
    fault = (await verifyAudit(trx, secrets, published)).fault
  })
  return fault
}

/** The number of connections to this database that wait for a lock. */
export const countWaiting = async (owner: Db): Promise<number> => {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(owner)
  return rows.length
}

/** Makes a function fail for the service. Returns the function that repairs it. */
export const revokeFunction = async (database: TestDatabase, test: Pick<Test, 'teardown'>, name: string) => {
  const owner = connectOwner(database)
  test.teardown(() => owner.destroy())
  await sql`revoke execute on function ${sql.ref(name)} from certdata_reader`.execute(owner)
  return () => sql`grant execute on function ${sql.ref(name)} to certdata_reader`.execute(owner)
}
