import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { type ChainHead, type ChainKey, genesis, type Sealable, sealEntries } from './chain.ts'

/** An advisory lock, held by one sealer or pruning at a time. */
export const sealLock = 7_305_281_116

/** Entries sealed in one transaction. Sealing them blocks the event loop for 3 ms. */
const batchSize = 200
/** A batch takes about 5 ms. After this, a closing instance leaves the entries to the instance that seals. */
const lockWaitMs = 2_000

const readHead = async (db: Db): Promise<ChainHead> => {
  const { rows } = await sql<ChainHead>`select seal_no as "sealNo", mac from audit_head()`.execute(db)
  return rows[0] ?? genesis
}

/** False if the lock is taken. With `isWaited`, waits for `lockWaitMs` and then rejects. */
const takeSealLock = async (trx: Db, isWaited: boolean): Promise<boolean> => {
  if (isWaited) {
    await sql`select set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`.execute(trx)
    await sql`select pg_advisory_xact_lock(${sealLock}::bigint)`.execute(trx)
    return true
  }
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${sealLock}::bigint) as mine`.execute(trx)
  return rows[0]?.mine ?? false
}

type Batch = { head: ChainHead; count: number }

// `prepare_audit_seals` also copies the entries. See docs/decisions/0017-pending-audit-entries-have-rows.md and
// docs/decisions/0100-customers-read-copies-of-sealed-entries.md.
const sealBatch = (db: Db, key: ChainKey, isWaited: boolean): Promise<Batch | undefined> =>
  db.transaction().execute(async (trx) => {
    if (!(await takeSealLock(trx, isWaited))) return undefined
    const head = await readHead(trx)
    const { rows } = await sql<Sealable>`
      select entry_id as "entryId", at, actor, customer_ref as "customerRef", action, outcome,
        request_id as "requestId", personal_sha256 as "personalSha256", number
      from prepare_audit_seals(${batchSize}::integer)`.execute(trx)
    const seals = sealEntries(key, head, rows)
    const last = seals.at(-1)
    if (!last) return { head, count: 0 }
    const input = seals.map(({ sealNo, entryId, commitment, number, mac }) => ({
      seal_no: sealNo,
      entry_id: entryId,
      number,
      commitment: commitment?.toString('hex'),
      mac: mac.toString('hex'),
    }))
    await sql`select append_audit_seals(${JSON.stringify(input)}::json)`.execute(trx)
    return { head: { sealNo: last.sealNo, mac: last.mac }, count: seals.length }
  })

/**
 * Seals visible entries in atomic batches. Returns the new head; `undefined` if another instance is sealing.
 * `isWaited` waits up to 2 s for it, because it may miss the last entries. Rejects with the driver's errors.
 * Skips a customer in erasure. See docs/decisions/0113-entries-wait-for-an-erasure.md.
 */
export const sealPending = async (
  db: Db,
  key: ChainKey,
  isWaited = false,
): Promise<ChainHead | undefined> => {
  for (;;) {
    const sealed = await sealBatch(db, key, isWaited)
    if (!sealed || sealed.count < batchSize) return sealed?.head
  }
}

type ChainState = {
  head: ChainHead
  isWaiting: boolean
}

/** One cheap statement. `isWaiting`: entries need a seal. */
export const readChainState = async (db: Db): Promise<ChainState> => {
  const { rows } = await sql<Partial<ChainHead> & { waiting: boolean }>`
    select h.seal_no as "sealNo", h.mac, exists (select from list_unsealed_audit(1)) as waiting
    from (select) one left join audit_head() h on true`.execute(db)
  const { sealNo, mac, waiting } = rows[0] ?? { waiting: false }
  return { head: sealNo && mac ? { sealNo, mac } : genesis, isWaiting: waiting }
}
