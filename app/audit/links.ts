import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { canonicalJson } from './canonical.ts'
import type { ChainedEntry, Link } from './chain.ts'
import { leafHash } from './merkle.ts'

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
  /** Whether the entry's customer exists. Another customer that got its slug later does not count. */
  isShown: boolean
  shownSalt: Buffer | null
  shownText: string | null
  isShownAs: boolean
}

/** Returns the text that the leaf hashes. The database's `audit_text` writes the same. */
const formatText = (row: LinkRow, personal: string): string => {
  const { at, actor, action, outcome, requestId, number } = row
  const { client, customer, details, key, subject } = JSON.parse(personal) as Record<string, unknown>
  const kept = { action, actor, at, number, outcome, request_id: requestId }
  const erasable = { client, customer, details, key, subject }
  const known = Object.entries(erasable).map(([name, value]) => [name, value ?? null])
  return canonicalJson({ ...kept, ...Object.fromEntries(known) })
}

/** An entry with a number must have a copy. `isBare`: the personal part was deleted. */
const findCopyFault = (row: LinkRow, isBare: boolean): string | undefined => {
  const { number, leaf, isShown, shownSalt, shownText, isShownAs } = row
  const isDue = number !== null && !isBare
  if (isShown && !isDue && !isBare) return "the customer's copy of the entry is missing"
  if (isDue && !isShown) return 'the customer of the entry was deleted or replaced without an erasure'
  if (!shownSalt || shownText === null)
    return isDue ? "the customer's copy of the entry was deleted" : undefined
  if (isBare) return "the personal part of the entry was deleted, but not the customer's copy"
  if (!isDue) return "the customer's copy of the entry was inserted"
  const isSame = isShownAs && leaf && leafHash(shownSalt, shownText).equals(leaf)
  return isSame ? undefined : "the customer's copy of the entry was changed"
}

const toLink = (row: LinkRow): Link => {
  const { sealNo, sealedId, commitment, mac, salt, personal, entryId, number, leaf, ...rest } = row
  const { at, actor, customerRef, action, outcome, requestId } = rest
  const seal = { sealNo, entryId: sealedId, commitment, number, leaf, mac }
  if (entryId === null) return { seal, entry: null, personalSha256: null }
  const entry = { entryId, at, actor, customerRef, action, outcome, requestId }
  if (!salt || personal === null) {
    return { seal, entry, personalSha256: null, copyFault: findCopyFault(row, true) }
  }
  return {
    ...{ seal, entry },
    personalSha256: createHash('sha256').update(salt).update(personal).digest(),
    foundLeaf: leafHash(salt, formatText(row, personal)),
    copyFault: findCopyFault(row, false),
  }
}

/** A page of links after a seal, empty at the end. Reads only tables: an attacker may have changed SQL functions. */
export const readLinks = async (db: Db, after: number): Promise<Link[]> => {
  const { rows } = await sql<LinkRow>`
    select s.seal_no as "sealNo", s.entry_id as "sealedId", s.commitment, s.mac, e.entry_id as "entryId",
      ${selectInstant('e.at')} as at, e.actor, e.customer_ref as "customerRef", e.action, e.outcome,
      e.request_id as "requestId", p.salt, p.personal::text as personal, s.number, s.leaf,
      exists (select from customers u
        where u.customer_id = p.customer and u.audit_ref = e.customer_ref) as "isShown",
      c.salt as "shownSalt", c.entry::text as "shownText",
      (c.customer_id, c.number::text, ${selectInstant('c.at')}, c.action, c.outcome) = (c.entry ->> 'customer',
        c.entry ->> 'number', c.entry ->> 'at', c.entry ->> 'action', c.entry ->> 'outcome')
        and c.key_id is not distinct from c.entry ->> 'key' as "isShownAs"
    from audit_seals s
    left join audit_entries e on e.entry_id = s.entry_id
    left join audit_persons p on p.entry_id = s.entry_id
    left join audit_copies c on c.entry_id = s.entry_id
    where s.seal_no > ${after} order by s.seal_no limit ${pageSize}`.execute(db)
  return rows.map(toLink)
}
