import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { canonicalJson } from './canonical.ts'
import {
  type ChainedEntry,
  type ChainFault,
  type ChainHead,
  type ChainKey,
  createVerifier,
  genesis,
  isAnchor,
  type Link,
} from './chain.ts'
import { leafHash } from './merkle.ts'
import { verifyRoots } from './verify-roots.ts'

export type Verification = {
  /** The first bad entry; null: all is as it was sealed. */
  fault: ChainFault | null
  /** Seals that were followed and good. */
  verified: number
  head: ChainHead
  /** Where the chain begins, 0 unless it was pruned. */
  anchor: number
  /** Entries whose personal part was erased. */
  erased: number
  /** Entries that no seal protects yet. */
  unsealed: number
  /** Signed roots that were followed and good. */
  roots: number
}

const pageSize = 2_000

type LinkRow = Omit<ChainedEntry, 'entryId'> & {
  sealNo: number
  sealedId: number
  commitment: Buffer | null
  mac: Buffer
  entryId: number | null
  salt: Buffer | null
  personal: string | null
  number: number | null
  leaf: Buffer | null
  /** Whether the customer is there, who was there when the entry was written. */
  isShown: boolean
  shownSalt: Buffer | null
  shownText: string | null
}

/** The text of an entry as its leaf has it; see `audit_text` of the database. */
const textOf = (row: LinkRow, personal: string): string => {
  const { at, actor, action, outcome, requestId, number } = row
  const { client, customer, details, key, subject } = JSON.parse(personal) as Record<string, unknown>
  const kept = { action, actor, at, number, outcome, request_id: requestId }
  const erasable = { client, customer, details, key, subject }
  const known = Object.entries(erasable).map(([name, value]) => [name, value ?? null])
  return canonicalJson({ ...kept, ...Object.fromEntries(known) })
}

const shownLeafOf = ({ number, isShown, shownSalt, shownText }: LinkRow): Buffer | null | undefined => {
  if (shownSalt && shownText !== null) return leafHash(shownSalt, shownText)
  return isShown && number !== null ? null : undefined
}

const toLink = (row: LinkRow): Link => {
  const { sealNo, sealedId, commitment, mac, salt, personal, entryId, number, leaf, ...rest } = row
  const { at, actor, customerRef, action, outcome, requestId } = rest
  const seal = { sealNo, entryId: sealedId, commitment, number, leaf, mac }
  if (entryId === null) return { seal, entry: null, personalSha256: null }
  const entry = { entryId, at, actor, customerRef, action, outcome, requestId }
  if (!salt || personal === null) return { seal, entry, personalSha256: null }
  return {
    ...{ seal, entry },
    personalSha256: createHash('sha256').update(salt).update(personal).digest(),
    foundLeaf: leafHash(salt, textOf(row, personal)),
    shownLeaf: shownLeafOf(row),
  }
}

// Reads plain tables and calls no function of the database: someone who changed entries may have changed the functions,
// too.
const readLinks = async (db: Db, after: number): Promise<Link[]> => {
  const { rows } = await sql<LinkRow>`
    select s.seal_no as "sealNo", s.entry_id as "sealedId", s.commitment, s.mac, e.entry_id as "entryId",
      ${selectInstant('e.at')} as at, e.actor, e.customer_ref as "customerRef", e.action, e.outcome,
      e.request_id as "requestId", p.salt, p.personal::text as personal, s.number, s.leaf,
      exists (select from customers u
        where u.customer_id = p.customer and u.audit_ref = e.customer_ref) as "isShown",
      c.salt as "shownSalt", c.entry::text as "shownText"
    from audit_seals s
    left join audit_entries e on e.entry_id = s.entry_id
    left join audit_persons p on p.entry_id = s.entry_id
    left join audit_copies c on c.entry_id = s.entry_id
    where s.seal_no > ${after} order by s.seal_no limit ${pageSize}`.execute(db)
  return rows.map(toLink)
}

type AnchorRow = { sealNo: number; sealMac: Buffer; mac: Buffer }

const findAnchor = async (db: Db): Promise<AnchorRow | undefined> => {
  const { rows } = await sql<AnchorRow>`
    select seal_no as "sealNo", seal_mac as "sealMac", mac from audit_anchor`.execute(db)
  return rows[0]
}

/** What lies outside the chain: entries that never came to the sealer, and some that vanished before. */
const findStray = async (db: Db, sealNo: number): Promise<ChainFault | undefined> => {
  const { rows } = await sql<{ entryId: number; gone: boolean }>`
    select entry_id as "entryId", gone from (
      select e.entry_id, false as gone from audit_entries e
      where not exists (select from audit_seals s where s.entry_id = e.entry_id)
        and not exists (select from audit_pending q where q.entry_id = e.entry_id)
      union all
      select q.entry_id, true from audit_pending q
      where not exists (select from audit_entries e where e.entry_id = q.entry_id)
    ) stray order by entry_id limit 1`.execute(db)
  const [stray] = rows
  if (!stray) return undefined
  const reason = stray.gone
    ? 'the entry was deleted before it was sealed'
    : 'the entry has no seal and does not wait for one: inserted by hand, or its seal was deleted'
  return { sealNo, entryId: stray.entryId, reason }
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
 * Follows the whole chain, in constant memory, and names the first entry that is not as it was sealed. Call it
 * in a REPEATABLE READ transaction, as operator or owner: sealers and prunings go on meanwhile.
 * `published`: a head from outside the database; without one a tail that was cut off cannot be seen, nor a
 * chain that was removed as a whole.
 */
export const verifyAudit = async (db: Db, key: ChainKey, published?: ChainHead): Promise<Verification> => {
  const anchorRow = await findAnchor(db)
  const anchor: ChainHead = anchorRow ? { sealNo: anchorRow.sealNo, mac: anchorRow.sealMac } : genesis
  const verifier = createVerifier(key, anchor, published)
  const isForged = anchorRow !== undefined && !isAnchor(key, anchor, anchorRow.mac)
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
  const roots = await verifyRoots(db, key, anchor.sealNo)
  fault ??= roots.fault
  const verified = head.sealNo - anchor.sealNo
  return {
    fault: fault ?? null,
    verified,
    head,
    anchor: anchor.sealNo,
    erased,
    unsealed: await countUnsealed(db),
    roots: roots.verified,
  }
}

/** Runs `use` in a transaction that sees one state of the database. */
export const inSnapshot = <T>(db: Db, use: (trx: Db) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').execute(use)
