import type { Secrets } from '../config/secrets.ts'

/**
 * The chain over the audit entries: each seal is a MAC over the one before it, its own number, the entry and a
 * commitment to the entry's personal part. Pure; the key comes from SECRET_KEY and so from outside the
 * database. The personal part itself is never chained: it may be erased, and the chain still verifies.
 */
export type ChainKey = Pick<Secrets, 'mac' | 'verifyMac'>

/** What of an entry stays for good. `at`: RFC 3339, UTC, six decimals. */
export type ChainedEntry = {
  entryId: number
  at: string
  actor: string
  customerRef: string | null
  action: string
  outcome: string
  requestId: string | null
}

/** A place in the chain; comparing it with one noted elsewhere shows a tail that was cut off. */
export type ChainHead = { sealNo: number; mac: Buffer }

/** The entry's part of a Merkle tree. Null or absent where an earlier version made the seal. */
export type Leaf = {
  /** Counts the entries of a customer from 1; null for an entry of nobody. */
  number?: number | null | undefined
  leaf?: Buffer | null | undefined
}

/** `commitment` null: the personal part was erased before its entry was sealed. */
export type Seal = ChainHead & Leaf & { entryId: number; commitment: Buffer | null }

/**
 * `personalSha256` null: there is no personal part (any more).
 * See docs/decisions/0018-audit-chain-holds-no-personal-data.md.
 */
export type Sealable = Leaf & { entry: ChainedEntry; personalSha256: Buffer | null }

/** A seal and what is found for it. */
export type Link = {
  seal: Seal
  entry: ChainedEntry | null
  personalSha256: Buffer | null
  /** Of the entry as it is found; absent: erased. */
  foundLeaf?: Buffer | undefined
  /** What is wrong with the customer's copy; absent: nothing. */
  copyFault?: string | undefined
}

/** The first place where the trail is not as it was sealed. `entryId` null: it is gone, seal and all. */
export type ChainFault = { sealNo: number; entryId: number | null; reason: string }

/** Where a chain begins that was never pruned. */
export const genesis: ChainHead = { sealNo: 0, mac: Buffer.alloc(32) }

const purposes = { seal: 'audit-seal', commitment: 'audit-commitment', anchor: 'audit-anchor' } as const

/** A text of another version where there is a leaf: one that is taken away or put in is seen. */
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

/** The entry's number belongs to it, so that personal parts cannot change places. */
const commitmentText = (entryId: number, personalSha256: Buffer) =>
  JSON.stringify([1, entryId, personalSha256.toString('hex')])

/** The seals of entries that follow on `head`, in this order. */
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

/** Whether this is the seal of the entry behind the seal `before`. */
export const isSealOf = (key: ChainKey, before: ChainHead, entry: ChainedEntry, seal: Seal): boolean =>
  key.verifyMac(purposes.seal, sealText(before.mac, seal.sealNo, entry, seal), seal.mac)

/** Whether this is the personal part to which the seal is committed. */
export const isCommittedTo = (
  key: ChainKey,
  { entryId, commitment }: Seal,
  personalSha256: Buffer,
): boolean =>
  commitment !== null &&
  key.verifyMac(purposes.commitment, commitmentText(entryId, personalSha256), commitment)

const anchorText = ({ sealNo, mac }: ChainHead) => JSON.stringify([1, sealNo, mac.toString('hex')])

/** Signs the head of what is pruned, from where verification goes on. */
export const signAnchor = (key: ChainKey, head: ChainHead): Buffer =>
  key.mac(purposes.anchor, anchorText(head))

export const isAnchor = (key: ChainKey, head: ChainHead, mac: Buffer): boolean =>
  key.verifyMac(purposes.anchor, anchorText(head), mac)
