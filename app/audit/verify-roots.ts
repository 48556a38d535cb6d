import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { ChainFault, ChainKey } from './chain.ts'
import { buildTree, computeRoot, getRoot, hashBytes, splitHashes } from './merkle.ts'
import { isOwnKey } from './roots.ts'
import { hashStatement, type RootJwk, readStatement } from './statement.ts'
import { type RootRow, readRoots, type SealRow } from './stored-roots.ts'

type RootKeys = ReadonlyMap<string, RootJwk>

const loadKeys = async (db: Db, key: ChainKey): Promise<RootKeys> => {
  const { rows } = await sql<{ kid: string; jwk: RootJwk; mac: Buffer }>`
    select kid, public_jwk as jwk, mac from audit_root_keys`.execute(db)
  return new Map(rows.flatMap(({ kid, jwk, mac }) => (isOwnKey(key, jwk, mac) ? [[kid, jwk]] : [])))
}

const findProofFault = (row: SealRow, leaves: ReadonlySet<string>, root: Buffer): string | undefined => {
  const { leaf, isCopied, copyRoot, copyIndex, copyPath, rootNo } = row
  if (!leaf || !leaves.has(leaf.toString('latin1'))) return 'an entry is not in its tree'
  if (!isCopied) return undefined
  const isProved =
    copyRoot === rootNo &&
    copyIndex !== null &&
    copyPath !== null &&
    computeRoot(leaf, copyIndex, splitHashes(copyPath))?.equals(root)
  return isProved ? undefined : 'the proof of an entry does not lead to the root'
}

const findRootFault = (
  row: RootRow,
  seals: readonly SealRow[],
  previous: RootRow | undefined,
  keys: RootKeys,
): string | undefined => {
  const statement = readStatement(row.statement, (kid) => (kid === row.kid ? keys.get(kid) : undefined))
  if (!statement) return 'its signature is not by a key of the service'
  if (statement.number !== row.rootNo || statement.at !== row.at) return 'it differs from its statement'
  if (previous && statement.previous !== hashStatement(previous.statement).toString('base64url')) {
    return 'it does not name the root before it'
  }
  if (previous && row.firstSeal !== previous.lastSeal + 1) return 'seals before it are in no root'
  const leaves = splitHashes(row.leaves)
  const isWhole = row.leaves.length === statement.size * hashBytes
  const root = isWhole ? getRoot(buildTree(leaves)) : undefined
  if (!root || root.toString('base64url') !== statement.root) return 'its leaves were changed'
  if (seals.at(-1)?.mac.toString('base64url') !== statement.head) return 'it belongs to another chain'
  const known = new Set(leaves.map((leaf) => leaf.toString('latin1')))
  return seals.map((seal) => findProofFault(seal, known, root)).find((reason) => reason !== undefined)
}

/** Whether the next root will continue from `last`. `anchor`: the last pruned seal. */
const isNewest = async (db: Db, last: RootRow | undefined, anchor: number): Promise<boolean> => {
  const { rows } = await sql<{ rootNo: number; lastSeal: number; digest: Buffer | null }>`
    select root_no as "rootNo", last_seal as "lastSeal", digest from audit_root_head`.execute(db)
  const [head] = rows
  if (!head) return false
  // No root is left if none was made, or if the newest one was pruned.
  if (!last) return head.rootNo === 0 || head.lastSeal <= anchor
  const isSame = head.rootNo === last.rootNo && head.lastSeal === last.lastSeal
  return isSame && head.digest?.equals(hashStatement(last.statement)) === true
}

const findSeal = async (db: Db, condition: RawBuilder<unknown>): Promise<number | undefined> => {
  const { rows } = await sql<{ sealNo: number }>`
    select s.seal_no as "sealNo" from audit_seals s
    left join audit_entries e on e.entry_id = s.entry_id
    left join audit_copies c on c.entry_id = s.entry_id
    where ${condition} order by s.seal_no limit 1`.execute(db)
  return rows[0]?.sealNo
}

const findMissingRoot = async (
  db: Db,
  first: RootRow | undefined,
  last: RootRow | undefined,
  anchor: number,
): Promise<ChainFault | undefined> => {
  const fault = (sealNo: number, reason: string) => ({ sealNo, entryId: null, reason })
  const end = last?.lastSeal ?? anchor
  const early = first && (await findSeal(db, sql`s.seal_no < ${first.firstSeal}`))
  if (early !== undefined) return fault(early, 'the root of the entry was deleted')
  if (!(await isNewest(db, last, anchor))) return fault(end + 1, 'the newest root was deleted or replaced')
  const claimed = await findSeal(db, sql`s.seal_no > ${end} and c.root_no is not null`)
  if (claimed !== undefined) return fault(claimed, 'the root of the entry was deleted')
  // Roots are due within two minutes. `e.at` decides, because the seal's MAC does not cover `sealed_at`. An old entry
  // that was sealed recently is not late.
  const isLate = sql`s.seal_no > ${end} and e.at < now() - interval '10 minutes'
    and s.sealed_at not between now() - interval '10 minutes' and now()`
  const late = await findSeal(db, isLate)
  if (late === undefined) return undefined
  return fault(late, 'the entry has no root after ten minutes: roots were deleted, or no instance runs')
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
  let first: RootRow | undefined
  let last: RootRow | undefined
  let verified = 0
  for await (const { root, seals } of readRoots(db)) {
    const reason = findRootFault(root, seals, last, keys)
    if (reason !== undefined) {
      const fault = { sealNo: root.firstSeal, entryId: null, reason: `root ${root.rootNo}: ${reason}` }
      return { fault, verified }
    }
    first ??= root
    last = root
    verified += 1
  }
  return { fault: await findMissingRoot(db, first, last, anchor), verified }
}
