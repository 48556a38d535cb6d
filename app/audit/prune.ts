import { sql } from 'kysely'
import type { Secrets } from '../config/secrets.ts'
import type { Db } from '../db/schema.ts'
import { type ChainFault, type ChainHead, signAnchor } from './chain.ts'
import { recordEvents } from './record.ts'
import { sealLock } from './sealer.ts'
import { verifyAudit } from './verify.ts'

export type Pruning = {
  pruned: number
  /** The last pruned seal. 0 if never pruned. */
  through: number
  /** If set, nothing was pruned: it might delete the evidence. */
  fault: ChainFault | null
}

/** An advisory lock. Erasures share it; a pruning holds it alone. */
const pruneLock = 7_305_281_117

/** Blocks prunings until this transaction ends, because they must not see half of an erasure. */
export const holdOffPruning = async (trx: Db): Promise<void> => {
  await sql`select pg_advisory_xact_lock_shared(${pruneLock}::bigint)`.execute(trx)
}

const findEnd = async (db: Db, before: string): Promise<ChainHead | undefined> => {
  const { rows } = await sql<ChainHead>`
    select seal_no as "sealNo", mac from audit_seals
    where seal_no < coalesce((
      select min(s.seal_no) from audit_entries e join audit_seals s on s.entry_id = e.entry_id
      where e.at >= ${before}::timestamptz), 'Infinity'::float8)
    order by seal_no desc limit 1`.execute(db)
  return rows[0]
}

const remove = async (trx: Db, { sealNo, mac }: ChainHead, anchorMac: Buffer): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    with seals as (delete from audit_seals where seal_no <= ${sealNo} returning entry_id),
    persons as (delete from audit_persons p using seals s where p.entry_id = s.entry_id),
    entries as (delete from audit_entries e using seals s where e.entry_id = s.entry_id),
    copies as (delete from audit_copies c using seals s where c.entry_id = s.entry_id),
    anchored as (
      insert into audit_anchor (seal_no, seal_mac, mac) values (${sealNo}, ${mac}, ${anchorMac})
      on conflict (only_one) do update set seal_no = excluded.seal_no, seal_mac = excluded.seal_mac,
        mac = excluded.mac, anchored_at = clock_timestamp()
    )
    select count(*) as n from seals`.execute(trx)
  return rows[0]?.n ?? 0
}

/**
 * Deletes the oldest sealed entries, up to the first one that is not older than `before` (an instant), unless
 * verification finds a fault. Later verifications start from the anchor that it stores. `db`: of the owner.
 */
export const pruneAudit = (
  db: Db,
  secrets: Secrets,
  before: string,
  actor: 'operator' | 'system' = 'operator',
): Promise<Pruning> =>
  db.transaction().execute(async (trx) => {
    // In this order, so that sealing continues while the pruning waits for an erasure.
    await sql`select pg_advisory_xact_lock(${pruneLock}::bigint)`.execute(trx)
    await sql`select pg_advisory_xact_lock(${sealLock}::bigint)`.execute(trx)
    const { fault, anchor } = await verifyAudit(trx, secrets)
    if (fault) return { pruned: 0, through: anchor, fault }
    const end = await findEnd(trx, before)
    const pruned = end ? await remove(trx, end, signAnchor(secrets, end)) : 0
    const through = end?.sealNo ?? anchor
    await recordEvents(trx, [{ actor, action: 'audit.prune', details: { before, pruned, through } }])
    return { pruned, through, fault: null }
  })
