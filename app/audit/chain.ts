import type { Secrets } from '../config/secrets.ts'

/**
 * Each entry has a seal: a MAC over the previous seal, the entry, and a commitment (another MAC) to the entry's
 * personal part. An erasure deletes the personal part; the seal stays valid. The key is not in the database.
 * See docs/decisions/0200-customers-get-no-proofs-of-the-trail.md.
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

/** A seal as a position in the chain, for example the newest one. */
export type ChainHead = { sealNo: number; mac: Buffer }

/** `personalSha256`: null if erased. See docs/decisions/0018-audit-chain-holds-no-personal-data.md. */
export type Sealable = ChainedEntry & {
  personalSha256: Buffer | null
  /** Counts a customer's entries from 1. Null if the entry has no customer. */
  number: number | null
}

/** `commitment`: null if the entry had no personal part when it was sealed. */
export type Seal = ChainHead & Pick<Sealable, 'number'> & { entryId: number; commitment: Buffer | null }

export type Link = {
  seal: Seal
  entry: ChainedEntry | null
  personalSha256: Buffer | null
  /** The difference between the entry and the copy that its customer can read. */
  copyFault?: string | undefined
}

/** `entryId`: null if unknown, for example because the seal is missing. */
export type ChainFault = { sealNo: number; entryId: number | null; reason: string }

/** The start of a chain that was never pruned. */
export const genesis: ChainHead = { sealNo: 0, mac: Buffer.alloc(32) }

const purposes = { seal: 'audit-seal', commitment: 'audit-commitment', anchor: 'audit-anchor' } as const

const sealText = (
  before: Buffer,
  sealNo: number,
  entry: ChainedEntry,
  { commitment, number }: Pick<Seal, 'commitment' | 'number'>,
) =>
  JSON.stringify([
    2,
    before.toString('hex'),
    sealNo,
    entry.entryId,
    entry.at,
    entry.actor,
    entry.customerRef,
    entry.action,
    entry.outcome,
    entry.requestId,
    commitment?.toString('hex'),
    number,
  ])

/** With the entry's id, so that swapped personal parts are detected. */
const commitmentText = (entryId: number, personalSha256: Buffer) =>
  JSON.stringify([1, entryId, personalSha256.toString('hex')])

/** Returns one seal for each entry, in the same order. The first seal follows `head`. */
export const sealEntries = (key: ChainKey, head: ChainHead, entries: readonly Sealable[]): Seal[] => {
  let { sealNo, mac } = head
  return entries.map(({ personalSha256, number, ...entry }) => {
    const { entryId } = entry
    const commitment = personalSha256 && key.mac(purposes.commitment, commitmentText(entryId, personalSha256))
    sealNo += 1
    mac = key.mac(purposes.seal, sealText(mac, sealNo, entry, { commitment, number }))
    return { sealNo, entryId, commitment, number, mac }
  })
}

/** False if `before`, `entry` or `seal` was changed. */
export const verifySeal = (key: ChainKey, before: ChainHead, entry: ChainedEntry, seal: Seal): boolean =>
  key.verifyMac(purposes.seal, sealText(before.mac, seal.sealNo, entry, seal), seal.mac)

/** False if the personal part or the commitment was changed. */
export const isCommittedTo = (
  key: ChainKey,
  { entryId, commitment }: Seal,
  personalSha256: Buffer,
): boolean =>
  commitment !== null &&
  key.verifyMac(purposes.commitment, commitmentText(entryId, personalSha256), commitment)

const anchorText = ({ sealNo, mac }: ChainHead) => JSON.stringify([1, sealNo, mac.toString('hex')])

/** The MAC of an anchor: the last pruned seal, from which verification continues. */
export const signAnchor = (key: ChainKey, head: ChainHead): Buffer =>
  key.mac(purposes.anchor, anchorText(head))

/** False if `mac` is not the MAC of this anchor. */
export const verifyAnchor = (key: ChainKey, head: ChainHead, mac: Buffer): boolean =>
  key.verifyMac(purposes.anchor, anchorText(head), mac)
