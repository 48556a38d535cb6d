import { hash, randomInt } from 'node:crypto'

export const hashBytes = 32
/** RFC 6962, section 2.1: a leaf cannot be passed off as a node. */
const [leafPrefix, nodePrefix] = [Buffer.of(0), Buffer.of(1)]

const sha256 = (...parts: Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

/** The salt prevents guessing the text. */
export const leafHash = (salt: Uint8Array, text: string): Buffer =>
  sha256(leafPrefix, salt, Buffer.from(text))

const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(nodePrefix, left, right)

/** Level by level: first the leaves, last the root. */
export type MerkleTree = readonly (readonly Buffer[])[]

/** The number of leaves must be a power of two. */
export const buildTree = (leaves: readonly Buffer[]): MerkleTree => {
  if (leaves.length === 1) return [leaves]
  const pairs = Array.from({ length: leaves.length / 2 }, (_, i) => leaves.slice(2 * i, 2 * i + 2))
  return [leaves, ...buildTree(pairs.map(([left, right]) => nodeHash(left as Buffer, right as Buffer)))]
}

export const getRoot = (tree: MerkleTree): Buffer => tree.at(-1)?.[0] as Buffer

/** The sibling hashes on the way from a leaf to the root, lowest first. */
export const getProofPath = (tree: MerkleTree, index: number): Buffer[] =>
  tree.slice(0, -1).map((level, height) => level[(index >> height) ^ 1] as Buffer)

/** `path`: from `getProofPath`. `undefined` if a tree of this height has no such index. */
export const computeRoot = (leaf: Buffer, index: number, path: readonly Uint8Array[]): Buffer | undefined => {
  let place = index
  let node = leaf
  for (const sibling of path) {
    node = place % 2 === 1 ? nodeHash(sibling, node) : nodeHash(node, sibling)
    place = Math.floor(place / 2)
  }
  return place === 0 ? node : undefined
}

/** The smallest power of two that is not below `count`. */
export const sizeFor = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, count)))

/** The numbers below `size` in random order. See docs/decisions/0102-trees-hide-how-much-others-do.md. */
export const shuffledIndexes = (size: number): number[] => {
  const indexes = Array.from({ length: size }, (_, index) => index)
  for (let i = size - 1; i > 0; i--) {
    const j = randomInt(i + 1)
    const [a, b] = [indexes[i] as number, indexes[j] as number]
    indexes[i] = b
    indexes[j] = a
  }
  return indexes
}

/** Splits concatenated hashes of 32 bytes. */
export const splitHashes = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / hashBytes }, (_, i) =>
    bytes.subarray(i * hashBytes, (i + 1) * hashBytes),
  )
