import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import type { ChainFault, ChainKey } from './chain.ts'
import { buildTree, computeRoot, getRoot, hashBytes, splitHashes } from './merkle.ts'
import { isOwnKey } from './roots.ts'
import { hashStatement, type RootJwk, type RootStatement, readStatement } from './statement.ts'

const pageSize = 20

type RootRow = Readonly<{
  rootNo: number
  at: string
  kid: string
  firstSeal: number
  lastSeal: number
  leaves: Buffer
  statement: string
}>
type LeafRow = Readonly<{
  rootNo: number
  mac: Buffer
  leaf: Buffer | null
  copyRoot: number | null
  copyIndex: number | null
  copyPath: Buffer | null
  isCopied: boolean
}>
type KeyRow = { kid: string; jwk: RootJwk; mac: Buffer }
type HeadRow = { rootNo: number; lastSeal: number; digest: Buffer | null }

const loadKeys = async (db: Db, key: ChainKey): Promise<Map<string, RootJwk>> => {
  const { rows } = await sql<KeyRow>`select kid, public_jwk as jwk, mac from audit_root_keys`.execute(db)
  return new Map(rows.flatMap(({ kid, jwk, mac }) => (isOwnKey(key, jwk, mac) ? [[kid, jwk]] : [])))
}

const readRoots = async (db: Db, after: number): Promise<RootRow[]> => {
  const { rows } = await sql<RootRow>`
    select root_no as "rootNo", ${selectInstant('at')} as at, kid, first_seal as "firstSeal",
      last_seal as "lastSeal", leaves, statement
    from audit_roots where root_no > ${after} order by root_no limit ${pageSize}`.execute(db)
  return rows
}

const readLeaves = async (db: Db, first: number, last: number): Promise<LeafRow[]> => {
  const { rows } = await sql<LeafRow>`
    select r.root_no as "rootNo", s.mac, s.leaf, c.root_no as "copyRoot", c.leaf_index as "copyIndex",
      c.path as "copyPath", c.entry_id is not null as "isCopied"
    from audit_roots r
    join audit_seals s on s.seal_no between r.first_seal and r.last_seal
    left join audit_copies c on c.entry_id = s.entry_id
    where r.root_no between ${first} and ${last} order by s.seal_no`.execute(db)
  return rows
}

const placeReason = (row: LeafRow, leaves: ReadonlySet<string>, root: Buffer): string | undefined => {
  const { leaf, isCopied, copyRoot, copyIndex, copyPath, rootNo } = row
  if (!leaf) return undefined
  if (!leaves.has(leaf.toString('latin1'))) return 'an entry is not in its tree'
  if (!isCopied) return undefined
  const isPlaced =
    copyRoot === rootNo &&
    copyIndex !== null &&
    copyPath !== null &&
    computeRoot(leaf, copyIndex, splitHashes(copyPath))?.equals(root)
  return isPlaced ? undefined : 'the proof of an entry does not lead to the root'
}

const rootReason = (
  row: RootRow,
  said: RootStatement | undefined,
  before: RootRow | undefined,
  entries: readonly LeafRow[],
): string | undefined => {
  if (!said) return 'its signature is not by a key of the service'
  if (said.number !== row.rootNo || said.at !== row.at) return 'it differs from its statement'
  if (before && said.previous !== hashStatement(before.statement).toString('base64url')) {
    return 'it does not name the root before it'
  }
  if (before && row.firstSeal !== before.lastSeal + 1) return 'seals before it are in no root'
  const leaves = splitHashes(row.leaves)
  const isWhole = row.leaves.length === said.size * hashBytes
  const root = isWhole ? getRoot(buildTree(leaves)) : undefined
  if (!root || root.toString('base64url') !== said.root) return 'its leaves were changed'
  if (entries.at(-1)?.mac.toString('base64url') !== said.head) return 'it belongs to another chain'
  const known = new Set(leaves.map((leaf) => leaf.toString('latin1')))
  return entries.map((each) => placeReason(each, known, root)).find((reason) => reason !== undefined)
}

/** Whether `head`, from which the service continues, is the root `last`. */
const isHead = (head: HeadRow | undefined, last: RootRow | undefined, anchor: number): boolean => {
  if (!head) return false
  // No root is left if none was made, or if the newest one was pruned.
  if (!last) return head.rootNo === 0 || head.lastSeal <= anchor
  const isNewest = head.rootNo === last.rootNo && head.lastSeal === last.lastSeal
  return isNewest && head.digest?.equals(hashStatement(last.statement)) === true
}

const readHead = async (db: Db): Promise<HeadRow | undefined> => {
  const { rows } = await sql<HeadRow>`
    select root_no as "rootNo", last_seal as "lastSeal", digest from audit_root_head`.execute(db)
  return rows[0]
}

const findRootless = async (db: Db, firstSeal: number): Promise<number | undefined> => {
  const { rows } = await sql<{ sealNo: number }>`
    select seal_no as "sealNo" from audit_seals where seal_no < ${firstSeal} and leaf is not null
    order by seal_no limit 1`.execute(db)
  return rows[0]?.sealNo
}

/**
 * Finds a seal without a root that is older than ten minutes; roots are due within two. `e.at` decides, because the
 * seal's MAC does not cover `sealed_at`. An old entry that was sealed recently is not late.
 */
const findLate = async (db: Db, lastSeal: number): Promise<number | undefined> => {
  const { rows } = await sql<{ sealNo: number }>`
    select s.seal_no as "sealNo" from audit_seals s join audit_entries e on e.entry_id = s.entry_id
    where s.seal_no > ${lastSeal} and s.leaf is not null and e.at < now() - interval '10 minutes'
      and s.sealed_at not between now() - interval '10 minutes' and now()
    order by s.seal_no limit 1`.execute(db)
  return rows[0]?.sealNo
}

const findClaim = async (db: Db, lastSeal: number): Promise<number | undefined> => {
  const { rows } = await sql<{ sealNo: number }>`
    select s.seal_no as "sealNo" from audit_seals s join audit_copies c on c.entry_id = s.entry_id
    where s.seal_no > ${lastSeal} and c.root_no is not null order by s.seal_no limit 1`.execute(db)
  return rows[0]?.sealNo
}

/**
 * Checks every signed root against its seals, leaves, copies and the previous root, and returns the first fault.
 * `anchor`: the last pruned seal. Call it in the transaction that verifies the chain.
 */
export const verifyRoots = async (
  db: Db,
  key: ChainKey,
  anchor: number,
): Promise<{ fault: ChainFault | undefined; verified: number }> => {
  const keys = await loadKeys(db, key)
  let before: RootRow | undefined
  let verified = 0
  const fault = (sealNo: number, reason: string) => ({ fault: { sealNo, entryId: null, reason }, verified })
  for (;;) {
    const roots = await readRoots(db, before?.rootNo ?? 0)
    const last = roots.at(-1)
    if (!last) break
    const all = await readLeaves(db, (roots[0] as RootRow).rootNo, last.rootNo)
    const entries = Map.groupBy(all, ({ rootNo }) => rootNo)
    const rootless = before ? undefined : await findRootless(db, (roots[0] as RootRow).firstSeal)
    if (rootless !== undefined) return fault(rootless, 'the root of the entry was deleted')
    for (const root of roots) {
      const said = readStatement(root.statement, (kid) => (kid === root.kid ? keys.get(kid) : undefined))
      const reason = rootReason(root, said, before, entries.get(root.rootNo) ?? [])
      if (reason !== undefined) return fault(root.firstSeal, `root ${root.rootNo}: ${reason}`)
      before = root
      verified += 1
    }
  }
  const head = await readHead(db)
  const end = before?.lastSeal ?? anchor
  if (!isHead(head, before, anchor)) return fault(end + 1, 'the newest root was deleted or replaced')
  const claim = await findClaim(db, end)
  if (claim !== undefined) return fault(claim, 'the root of the entry was deleted')
  const late = await findLate(db, end)
  if (late !== undefined) {
    return fault(late, 'the entry has no root after ten minutes: roots were deleted, or no instance runs')
  }
  return { fault: undefined, verified }
}
