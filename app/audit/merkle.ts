import { hash, randomInt } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Bytes of every hash here: SHA-256. */
export const hashBytes = 32
/** Before a leaf and before a node (RFC 6962, section 2.1), so that neither passes for the other. */
const [leafPrefix, nodePrefix] = [Buffer.of(0), Buffer.of(1)]
/** Hashed in one turn of the event loop: a tenth of a millisecond. */
const hashedAtOnce = 64

const sha256 = (...parts: Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

/** Returns the leaf of a text. Without the salt, nobody can find the text by guessing. */
export const leafHash = (salt: Uint8Array, text: string): Buffer =>
  sha256(leafPrefix, salt, Buffer.from(text))

const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(nodePrefix, left, right)

/** All hashes of a tree, the leaves first and the root alone last. */
export type MerkleTree = readonly (readonly Buffer[])[]

/** Makes a tree over leaves whose number is a power of two. Other work gets its turns meanwhile. */
export const buildTree = async (leaves: readonly Buffer[]): Promise<MerkleTree> => {
  const levels: (readonly Buffer[])[] = [leaves]
  for (let below = leaves; below.length > 1; ) {
    const level: Buffer[] = []
    for (let i = 0; i < below.length; i += 2) {
      if (i % (2 * hashedAtOnce) === 0) await nextTurn()
      level.push(nodeHash(below[i] as Buffer, below[i + 1] as Buffer))
    }
    levels.push(level)
    below = level
  }
  return levels
}

/** Returns the root of a tree. */
export const rootOf = (tree: MerkleTree): Buffer => tree.at(-1)?.[0] as Buffer

/** Returns the hashes beside the way from a leaf to the root, the lowest first. */
export const pathOf = (tree: MerkleTree, index: number): Buffer[] =>
  tree.slice(0, -1).map((level, height) => level[(index >> height) ^ 1] as Buffer)

/** Returns the root to which a leaf leads; undefined if the tree of this path has no such index. */
export const rootFrom = (leaf: Buffer, index: number, path: readonly Uint8Array[]): Buffer | undefined => {
  let place = index
  let node = leaf
  for (const sibling of path) {
    node = place % 2 === 1 ? nodeHash(sibling, node) : nodeHash(node, sibling)
    place = Math.floor(place / 2)
  }
  return place === 0 ? node : undefined
}

/** Returns the smallest power of two that holds so many leaves. */
export const sizeFor = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, count)))

/**
 * Returns the numbers below `size` in random order: a place then tells nothing of when an entry was sealed.
 * See docs/decisions/0102-trees-hide-how-much-others-do.md.
 */
export const randomPlaces = (size: number): number[] => {
  const places = Array.from({ length: size }, (_, index) => index)
  for (let i = size - 1; i > 0; i--) {
    const j = randomInt(i + 1)
    const [a, b] = [places[i] as number, places[j] as number]
    places[i] = b
    places[j] = a
  }
  return places
}

/** Returns hashes that stand one after the other in these bytes. */
export const splitHashes = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / hashBytes }, (_, i) =>
    bytes.subarray(i * hashBytes, (i + 1) * hashBytes),
  )
