import type { Secrets } from '../config/secrets.ts'

/**
 * Seals are MACs over the previous seal, the entry and a commitment to its personal part, which can be
 * erased. SECRET_KEY is outside the database.
 */
export type ChainKey = Pick<Secrets, 'mac' | 'verifyMac'>

/** The part of an entry that is kept forever. `at`: RFC 3339, UTC, six decimals. */
export type ChainedEntry = {
  entryId: number
  at: string
  actor: string
  customerRef: string | null
  action: string
  outcome: string
  requestId: string | null
}

/** A position in the chain. A copy kept elsewhere reveals that the end was cut off. */
export type ChainHead = { sealNo: number; mac: Buffer }

/** The entry's part of a Merkle tree. Null or `undefined` in seals of an earlier version. */
export type Leaf = {
  /** Counts the entries of a customer from 1. Null if the entry has no customer. */
  number?: number | null | undefined
  leaf?: Buffer | null | undefined
}

/** `commitment`: null if the personal part was erased before the entry was sealed. */
export type Seal = ChainHead & Leaf & { entryId: number; commitment: Buffer | null }

/**
 * `personalSha256`: null without a personal part.
 * See docs/decisions/0018-audit-chain-holds-no-personal-data.md.
 */
export type Sealable = Leaf & { entry: ChainedEntry; personalSha256: Buffer | null }

export type Link = {
  seal: Seal
  entry: ChainedEntry | null
  personalSha256: Buffer | null
  /** `undefined` if the entry or its personal part is missing. */
  foundLeaf?: Buffer | undefined
  /** `undefined` if the customer's copy is correct. */
  copyFault?: string | undefined
}

/** The first fault of the trail. `entryId`: null if the seal is missing, too. */
export type ChainFault = { sealNo: number; entryId: number | null; reason: string }

/** The start of a chain that was never pruned. */
export const genesis: ChainHead = { sealNo: 0, mac: Buffer.alloc(32) }

const purposes = { seal: 'audit-seal', commitment: 'audit-commitment', anchor: 'audit-anchor' } as const

/** The version differs with a leaf, so that adding or removing a leaf is detected. */
const sealText = (
  before: Buffer,
  sealNo: number,
  entry: ChainedEntry,
  { commitment, leaf }: Pick<Seal, 'commitment' | 'leaf'>,
) =>
  JSON.stringify([
    leaf ? 2 : 1,
    before.toString('hex'),
    sealNo,
    entry.entryId,
    entry.at,
    entry.actor,
    entry.customerRef,
    entry.action,
    entry.outcome,
    entry.requestId,
    commitment?.toString('hex') ?? null,
    ...(leaf ? [leaf.toString('hex')] : []),
  ])

/** Includes the entry's id, so that personal parts cannot be swapped. */
const commitmentText = (entryId: number, personalSha256: Buffer) =>
  JSON.stringify([1, entryId, personalSha256.toString('hex')])

/** Returns the seals of entries that follow `head`, in this order. */
export const sealEntries = (key: ChainKey, head: ChainHead, entries: readonly Sealable[]): Seal[] => {
  let { sealNo, mac } = head
  return entries.map(({ entry, personalSha256, number, leaf }) => {
    const { entryId } = entry
    const commitment = personalSha256 && key.mac(purposes.commitment, commitmentText(entryId, personalSha256))
    sealNo += 1
    mac = key.mac(purposes.seal, sealText(mac, sealNo, entry, { commitment, leaf }))
    return { sealNo, entryId, commitment, number, leaf, mac }
  })
}

/** Whether `seal` is the seal of this entry after the seal `before`. */
export const verifySeal = (key: ChainKey, before: ChainHead, entry: ChainedEntry, seal: Seal): boolean =>
  key.verifyMac(purposes.seal, sealText(before.mac, seal.sealNo, entry, seal), seal.mac)

/** Whether the seal's commitment is to this personal part. */
export const isCommittedTo = (
  key: ChainKey,
  { entryId, commitment }: Seal,
  personalSha256: Buffer,
): boolean =>
  commitment !== null &&
  key.verifyMac(purposes.commitment, commitmentText(entryId, personalSha256), commitment)

const anchorText = ({ sealNo, mac }: ChainHead) => JSON.stringify([1, sealNo, mac.toString('hex')])

/** Signs the last seal of the pruned part, from which verification continues. */
export const signAnchor = (key: ChainKey, head: ChainHead): Buffer =>
  key.mac(purposes.anchor, anchorText(head))

export const isAnchor = (key: ChainKey, head: ChainHead, mac: Buffer): boolean =>
  key.verifyMac(purposes.anchor, anchorText(head), mac)
