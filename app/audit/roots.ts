import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import type { ChainKey } from './chain.ts'
import {
  buildTree,
  getProofPath,
  getRoot,
  hashBytes,
  type MerkleTree,
  shuffledIndexes,
  sizeFor,
} from './merkle.ts'
import { takeSealLock } from './sealer.ts'
import { type RootJwk, type RootSigner, signStatement } from './statement.ts'

/** Of one tree, hashed within 3 ms. A minute with more seals gets several roots. */
const maxLeaves = 1_024
const proofsPerBatch = 200

const purpose = 'audit-root-key'

const keyText = ({ kid, x }: RootJwk) => JSON.stringify([1, kid, x])

/** False if the key was not stored by the service. See docs/decisions/0101-a-signed-root-a-minute.md. */
export const isOwnKey = (key: ChainKey, jwk: RootJwk, mac: Buffer): boolean =>
  key.verifyMac(purpose, keyText(jwk), mac)

type UnrootedSeal = { sealNo: number; entryId: number; leaf: Buffer; mac: Buffer }
type HeadRow = { rootNo: number; lastSeal: number; digest: Buffer | null; at: string }
type LeafPosition = Readonly<{ entryId: number; index: number }>

const readHead = async (trx: Db): Promise<HeadRow> => {
  const { rows } = await sql<HeadRow>`
    select root_no as "rootNo", last_seal as "lastSeal", digest, ${selectInstant('clock_timestamp()')} as at
    from audit_root_state()`.execute(trx)
  return rows[0] as HeadRow
}

const listUnrooted = async (trx: Db, which: 'due' | 'all'): Promise<UnrootedSeal[]> => {
  const { rows } = await sql<UnrootedSeal>`
    select seal_no as "sealNo", entry_id as "entryId", leaf, mac
    from list_unrooted_audit(${which === 'all'}, ${maxLeaves}::integer)`.execute(trx)
  return rows
}

/** Puts leaves at random positions among random hashes, so that customers cannot count the entries of others. */
const mixLeaves = (seals: readonly UnrootedSeal[]) => {
  const indexes = shuffledIndexes(sizeFor(seals.length))
  const leaves: Buffer[] = indexes.map(() => randomBytes(hashBytes))
  const positions = seals.map(({ entryId, leaf }, i): LeafPosition => {
    const index = indexes[i] as number
    leaves[index] = leaf
    return { entryId, index }
  })
  return { leaves, positions }
}

const storeProofs = async (trx: Db, rootNo: number, positions: readonly LeafPosition[], tree: MerkleTree) => {
  for (let at = 0; at < positions.length; at += proofsPerBatch) {
    const proofs = positions.slice(at, at + proofsPerBatch).map(({ entryId, index }) => ({
      entry_id: entryId,
      leaf_index: index,
      path: Buffer.concat(getProofPath(tree, index)).toString('base64'),
    }))
    await sql`select place_audit_copies(${rootNo}, ${JSON.stringify(proofs)}::json)`.execute(trx)
  }
}

const signRoot = (db: Db, key: ChainKey, signer: RootSigner, which: 'due' | 'all'): Promise<number> =>
  db.transaction().execute(async (trx) => {
    if (!(await takeSealLock(trx, which === 'all'))) return 0
    const head = await readHead(trx)
    const seals = await listUnrooted(trx, which)
    const last = seals.at(-1)
    if (!last) return 0
    const { leaves, positions } = mixLeaves(seals)
    const tree = buildTree(leaves)
    const rootNo = head.rootNo + 1
    const statement = signStatement(signer, {
      number: rootNo,
      at: head.at,
      root: getRoot(tree).toString('base64url'),
      size: leaves.length,
      head: last.mac.toString('base64url'),
      previous: head.digest?.toString('base64url') ?? null,
    })
    const root = {
      ...{ root_no: rootNo, at: head.at, first_seal: head.lastSeal + 1, last_seal: last.sealNo },
      ...{ leaves: Buffer.concat(leaves).toString('base64'), statement },
      ...{ kid: signer.kid, public_jwk: signer.jwk },
      key_mac: key.mac(purpose, keyText(signer.jwk)).toString('base64'),
    }
    await sql`select append_audit_root(${JSON.stringify(root)}::json)`.execute(trx)
    await storeProofs(trx, rootNo, positions, tree)
    return seals.length
  })

/**
 * Signs and stores roots over entries sealed in past minutes (`due`) or over all sealed entries. While another
 * instance seals, `due` does nothing and `all` waits up to 2 s. Rejects with the driver's errors.
 */
export const signRoots = async (
  db: Db,
  key: ChainKey,
  signer: RootSigner,
  which: 'due' | 'all',
): Promise<void> => {
  while ((await signRoot(db, key, signer, which)) === maxLeaves);
}
