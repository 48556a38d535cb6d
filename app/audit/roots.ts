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
  randomPlaces,
  sizeFor,
} from './merkle.ts'
import { takeSealLock } from './sealer.ts'
import { type RootJwk, type RootSigner, signStatement } from './statement.ts'

/** Of one tree, hashed within 3 ms. A minute with more entries gets several roots. */
const maxEntries = 1_024
const placedAtOnce = 200

const purpose = 'audit-root-key'

const keyText = ({ kid, x }: RootJwk) => JSON.stringify([1, kid, x])

const signKey = (key: ChainKey, jwk: RootJwk): Buffer => key.mac(purpose, keyText(jwk))

/** False if the key was not stored by the service. See docs/decisions/0101-a-signed-root-a-minute.md. */
export const isOwnKey = (key: ChainKey, jwk: RootJwk, mac: Buffer): boolean =>
  key.verifyMac(purpose, keyText(jwk), mac)

type UnrootedRow = { sealNo: number; entryId: number; leaf: Buffer; mac: Buffer }
type StateRow = { rootNo: number; lastSeal: number; digest: Buffer | null; at: string }
type Placed = Readonly<{ entryId: number; index: number }>

const readState = async (trx: Db): Promise<StateRow> => {
  const { rows } = await sql<StateRow>`
    select root_no as "rootNo", last_seal as "lastSeal", digest, ${selectInstant('clock_timestamp()')} as at
    from audit_root_state()`.execute(trx)
  return rows[0] as StateRow
}

const listUnrooted = async (trx: Db, which: 'due' | 'all'): Promise<UnrootedRow[]> => {
  const { rows } = await sql<UnrootedRow>`
    select seal_no as "sealNo", entry_id as "entryId", leaf, mac
    from list_unrooted_audit(${which === 'all'}, ${maxEntries}::integer)`.execute(trx)
  return rows
}

/** Puts leaves at random positions among random hashes, so that customers cannot count the entries of others. */
const plant = (entries: readonly UnrootedRow[]) => {
  const places = randomPlaces(sizeFor(entries.length))
  const leaves: Buffer[] = places.map(() => randomBytes(hashBytes))
  const placed = entries.map(({ entryId, leaf }, i): Placed => {
    const index = places[i] as number
    leaves[index] = leaf
    return { entryId, index }
  })
  return { leaves, placed }
}

const placeCopies = async (trx: Db, rootNo: number, placed: readonly Placed[], tree: MerkleTree) => {
  for (let at = 0; at < placed.length; at += placedAtOnce) {
    const places = placed.slice(at, at + placedAtOnce).map(({ entryId, index }) => ({
      entry_id: entryId,
      leaf_index: index,
      path: Buffer.concat(getProofPath(tree, index)).toString('base64'),
    }))
    await sql`select place_audit_copies(${rootNo}, ${JSON.stringify(places)}::json)`.execute(trx)
  }
}

const makeRoot = (db: Db, key: ChainKey, signer: RootSigner, which: 'due' | 'all'): Promise<number> =>
  db.transaction().execute(async (trx) => {
    if (!(await takeSealLock(trx, which === 'all'))) return 0
    const state = await readState(trx)
    const entries = await listUnrooted(trx, which)
    const last = entries.at(-1)
    if (!last) return 0
    const { leaves, placed } = plant(entries)
    const tree = buildTree(leaves)
    const rootNo = state.rootNo + 1
    const statement = signStatement(signer, {
      number: rootNo,
      at: state.at,
      root: getRoot(tree).toString('base64url'),
      size: leaves.length,
      head: last.mac.toString('base64url'),
      previous: state.digest?.toString('base64url') ?? null,
    })
    const root = {
      ...{ root_no: rootNo, at: state.at, first_seal: state.lastSeal + 1, last_seal: last.sealNo },
      ...{ leaves: Buffer.concat(leaves).toString('base64'), statement },
      ...{ kid: signer.kid, public_jwk: signer.jwk, key_mac: signKey(key, signer.jwk).toString('base64') },
    }
    await sql`select append_audit_root(${JSON.stringify(root)}::json)`.execute(trx)
    await placeCopies(trx, rootNo, placed, tree)
    return entries.length
  })

/**
 * Signs and stores roots over entries sealed in past minutes (`due`) or over all sealed entries. While another
 * instance seals, `due` does nothing and `all` waits. Rejects with the driver's errors.
 */
export const publishRoots = async (
  db: Db,
  key: ChainKey,
  signer: RootSigner,
  which: 'due' | 'all',
): Promise<void> => {
  while ((await makeRoot(db, key, signer, which)) === maxEntries);
}
