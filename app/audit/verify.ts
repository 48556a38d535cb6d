import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { type ChainFault, type ChainHead, type ChainKey, genesis, verifyAnchor } from './chain.ts'
import { readLinks } from './links.ts'
import { erasure } from './record.ts'
import { createVerifier } from './verifier.ts'

/** `verified`: seals. `anchor`: the last pruned seal, or 0. `erased`: entries without a personal part. */
export type Verification = {
  fault: ChainFault | null
  verified: number
  head: ChainHead
  anchor: number
  erased: number
  unsealed: number
}

type AnchorRow = { sealNo: number; sealMac: Buffer; mac: Buffer }

const findAnchor = async (db: Db): Promise<AnchorRow | undefined> => {
  const { rows } = await sql<AnchorRow>`
    select seal_no as "sealNo", seal_mac as "sealMac", mac from audit_anchor`.execute(db)
  return rows[0]
}

const strayReasons = {
  unsealed: 'the entry has no seal and does not wait for one: inserted by hand, or its seal was deleted',
  gone: 'the entry was deleted before it was sealed',
  copied: "the customer's copy of the entry was inserted: no seal has this entry",
  alive: 'the entry records an erasure of its customer, but the customer still exists',
} as const

const findStray = async (db: Db, sealNo: number): Promise<ChainFault | undefined> => {
  const { rows } = await sql<{ entryId: number; reason: keyof typeof strayReasons }>`
    select entry_id as "entryId", reason from (
      select e.entry_id, 'unsealed' as reason from audit_entries e
      where not exists (select from audit_seals s where s.entry_id = e.entry_id)
        and not exists (select from audit_pending q where q.entry_id = e.entry_id)
      union all
      select q.entry_id, 'gone' from audit_pending q
      where not exists (select from audit_entries e where e.entry_id = q.entry_id)
      union all
      select c.entry_id, 'copied' from audit_copies c
      where not exists (select from audit_seals s where s.entry_id = c.entry_id)
      union all
      select e.entry_id, 'alive' from audit_entries e join customers u on u.audit_ref = e.customer_ref
      where e.action = ${erasure}
    ) stray order by entry_id limit 1`.execute(db)
  const [stray] = rows
  return stray && { sealNo, entryId: stray.entryId, reason: strayReasons[stray.reason] }
}

const listUnsealedErasures = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ ref: string }>`
    select e.customer_ref::text as ref from audit_pending q join audit_entries e on e.entry_id = q.entry_id
    where e.action = ${erasure} and e.customer_ref is not null`.execute(db)
  return rows.map(({ ref }) => ref)
}

const countUnsealed = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from audit_pending`.execute(db)
  return rows[0]?.n ?? 0
}

const badAnchor = (sealNo: number): ChainFault => ({
  sealNo,
  entryId: null,
  reason: 'the anchor of the pruned part was changed, or made with another SECRET_KEY',
})

/**
 * Returns the first fault of the chain, else of stray entries. Needs operator or owner rights and `inSnapshot`
 * or the locks of `pruneAudit`. Only a `published` head after the anchor reveals a cut end.
 */
export const verifyAudit = async (db: Db, key: ChainKey, published?: ChainHead): Promise<Verification> => {
  const anchorRow = await findAnchor(db)
  const anchor: ChainHead = anchorRow ? { sealNo: anchorRow.sealNo, mac: anchorRow.sealMac } : genesis
  const verifier = createVerifier(key, anchor, published, await listUnsealedErasures(db))
  const isForged = anchorRow !== undefined && !verifyAnchor(key, anchor, anchorRow.mac)
  let fault = isForged ? badAnchor(anchor.sealNo) : undefined
  for (let after = anchor.sealNo; !fault; ) {
    const links = await readLinks(db, after)
    const last = links.at(-1)
    if (!last) break
    for (const link of links) fault ??= verifier.check(link)
    after = last.seal.sealNo
  }
  fault = isForged ? fault : (verifier.finish() ?? (await findStray(db, verifier.head.sealNo + 1)))
  const { head, erased } = verifier
  const verified = head.sealNo - anchor.sealNo
  return {
    fault: fault ?? null,
    verified,
    head,
    anchor: anchor.sealNo,
    erased,
    unsealed: await countUnsealed(db),
  }
}

export const inSnapshot = <T>(db: Db, use: (trx: Db) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').execute(use)
