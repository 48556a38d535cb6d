import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { parseUniqueJson } from '../http/unique-json.ts'
import type { ChainedEntry, Link } from './chain.ts'

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
  /** Whether the entry's customer exists. Another customer that got its slug later does not count. */
  isShown: boolean
  shownText: string | null
  isShownAs: boolean
}

/** Returns the entry as the database's `prepare_audit_seals` copies it for the customer. */
const toShown = (row: LinkRow, personal: string): Record<string, unknown> => {
  const { at, actor, action, outcome, requestId, number } = row
  const { client, customer, details, key, subject } = JSON.parse(personal) as Record<string, unknown>
  return {
    action,
    actor,
    at,
    client: client ?? null,
    customer: customer ?? null,
    details: details ?? null,
    key: key ?? null,
    number,
    outcome,
    request_id: requestId,
    subject: subject ?? null,
  }
}

/** A name that is there twice is a difference, because a customer's parser may take either. */
const isJsonOf = (text: string, expected: unknown): boolean => {
  try {
    return isDeepStrictEqual(parseUniqueJson(text), expected)
  } catch {
    return false
  }
}

/** An entry with a number must have a copy. `personal`: null if it was deleted. */
const findCopyFault = (row: LinkRow, personal: string | null): string | undefined => {
  const { number, isShown, shownText, isShownAs } = row
  const isBare = personal === null
  const isDue = number !== null && !isBare
  if (isShown && !isDue && !isBare) return "the customer's copy of the entry is missing"
  if (isDue && !isShown) return 'the customer of the entry was deleted or replaced without an erasure'
  if (shownText === null) return isDue ? "the customer's copy of the entry was deleted" : undefined
  if (isBare) return "the personal part of the entry was deleted, but not the customer's copy"
  if (!isDue) return "the customer's copy of the entry was inserted"
  const isSame = isShownAs && isJsonOf(shownText, toShown(row, personal))
  return isSame ? undefined : "the customer's copy of the entry was changed"
}

const toLink = (row: LinkRow): Link => {
  const { sealNo, sealedId, commitment, mac, salt, personal, entryId, number, ...rest } = row
  const { at, actor, customerRef, action, outcome, requestId } = rest
  const seal = { sealNo, entryId: sealedId, commitment, number, mac }
  if (entryId === null) return { seal, entry: null, personalSha256: null }
  const entry = { entryId, at, actor, customerRef, action, outcome, requestId }
  if (!salt || personal === null) {
    return { seal, entry, personalSha256: null, copyFault: findCopyFault(row, null) }
  }
  const personalSha256 = createHash('sha256').update(salt).update(personal).digest()
  return { seal, entry, personalSha256, copyFault: findCopyFault(row, personal) }
}

/** A page of links after a seal, empty at the end. Reads only tables: an attacker may have changed SQL functions. */
export const readLinks = async (db: Db, after: number): Promise<Link[]> => {
  const { rows } = await sql<LinkRow>`
    select s.seal_no as "sealNo", s.entry_id as "sealedId", s.commitment, s.mac, e.entry_id as "entryId",
      ${selectInstant('e.at')} as at, e.actor, e.customer_ref as "customerRef", e.action, e.outcome,
      e.request_id as "requestId", p.salt, p.personal::text as personal, s.number,
      exists (select from customers u
        where u.customer_id = p.customer and u.audit_ref = e.customer_ref) as "isShown",
      c.entry::text as "shownText",
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
