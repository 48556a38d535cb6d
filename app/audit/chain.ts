import type { Secrets } from '../config/secrets.ts'
import { erasure } from './record.ts'

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

/** `personalSha256` null: there is no personal part (any more). */
export type Sealable = Leaf & { entry: ChainedEntry; personalSha256: Buffer | null }

/** A seal and what is found for it. */
export type Link = {
  seal: Seal
  entry: ChainedEntry | null
  personalSha256: Buffer | null
  /** Of the entry as it is found; absent: erased. */
  foundLeaf?: Buffer | undefined
  /** Of what the customer is shown; null: a copy is missing; absent: none is due. */
  shownLeaf?: Buffer | null | undefined
}

const otherChain = 'the chain is not the one whose head was published'

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

const anchorText = ({ sealNo, mac }: ChainHead) => JSON.stringify([1, sealNo, mac.toString('hex')])

/** Signs the head of what is pruned, from where verification goes on. */
export const signAnchor = (key: ChainKey, head: ChainHead): Buffer =>
  key.mac(purposes.anchor, anchorText(head))

export const isAnchor = (key: ChainKey, head: ChainHead, mac: Buffer): boolean =>
  key.verifyMac(purposes.anchor, anchorText(head), mac)

type Verifier = {
  /** Takes the next link by seal number. Returns the first fault, from then on always the same. */
  check(link: Link): ChainFault | undefined
  /** All links came: what only the end shows. */
  finish(): ChainFault | undefined
  /** The last good place. */
  readonly head: ChainHead
  /** Entries whose personal part was erased. */
  readonly erased: number
}

/** What is wrong with the leaf, beside what its seal tells. */
const leafReason = ({ seal: { leaf }, foundLeaf, shownLeaf }: Link): string | undefined => {
  if (!leaf) return undefined
  if (foundLeaf && !leaf.equals(foundLeaf)) return 'the number or the salt of the entry was changed'
  if (shownLeaf === null) return "the customer's copy of the entry was deleted"
  return shownLeaf?.equals(leaf) === false ? "the customer's copy of the entry was changed" : undefined
}

const faultOf = (key: ChainKey, before: ChainHead, link: Link): ChainFault | undefined => {
  const { seal, entry, personalSha256 } = link
  const { sealNo, entryId, commitment } = seal
  const expected = before.sealNo + 1
  if (sealNo !== expected) {
    return { sealNo: expected, entryId: null, reason: `seals ${expected} to ${sealNo - 1} are missing` }
  }
  const fault = (reason: string) => ({ sealNo, entryId, reason })
  if (!entry) return fault('the entry was deleted')
  if (!key.verifyMac(purposes.seal, sealText(before.mac, sealNo, entry, seal), seal.mac)) {
    return fault('the entry or its seal was changed, or SECRET_KEY lacks the key that sealed it')
  }
  if (!personalSha256) return undefined
  const isCommitted =
    commitment && key.verifyMac(purposes.commitment, commitmentText(entryId, personalSha256), commitment)
  const reason = isCommitted ? leafReason(link) : 'the personal part of the entry was changed'
  return reason === undefined ? undefined : fault(reason)
}

/**
 * Follows a chain from where it begins. A missing personal part is a fault unless the chain holds the erasure
 * of its customer. `published`: a head that was noted outside the database; the chain must go through it. One
 * from before `from` cannot be compared.
 */
export const createVerifier = (key: ChainKey, from: ChainHead, published?: ChainHead): Verifier => {
  let head = from
  let fault: ChainFault | undefined =
    published?.sealNo === from.sealNo && !published.mac.equals(from.mac)
      ? { sealNo: from.sealNo, entryId: null, reason: otherChain }
      : undefined
  let erased = 0
  /** By pseudonym: the first entry without its personal part. */
  const bare = new Map<string | null, ChainFault>()
  const erasures = new Set<string | null>()

  const differsFrom = (expected: ChainHead, { sealNo, entryId, mac }: Seal) =>
    sealNo === expected.sealNo && !mac.equals(expected.mac)
      ? { sealNo, entryId, reason: otherChain }
      : undefined

  const note = ({ seal, entry, personalSha256 }: Link) => {
    if (entry?.action === erasure && entry.customerRef) erasures.add(entry.customerRef)
    if (personalSha256 || !entry) return
    erased += 1
    if (bare.has(entry.customerRef)) return
    const { sealNo, entryId } = seal
    const reason = 'the personal part of the entry was deleted, and no erasure says so'
    bare.set(entry.customerRef, { sealNo, entryId, reason })
  }

  return {
    check(link) {
      fault ??= faultOf(key, head, link) ?? (published && differsFrom(published, link.seal))
      if (fault) return fault
      head = { sealNo: link.seal.sealNo, mac: link.seal.mac }
      note(link)
      return undefined
    },
    finish() {
      const unexplained = [...bare].filter(([ref]) => !erasures.has(ref)).map(([, each]) => each)
      const first = [fault, ...unexplained]
        .filter((each) => each !== undefined)
        .sort((a, b) => a.sealNo - b.sealNo)[0]
      if (first || !published || head.sealNo >= published.sealNo) return first
      const missing = head.sealNo + 1
      const reason = `the chain was cut: its published head is seal ${published.sealNo}`
      return { sealNo: missing, entryId: null, reason }
    },
    get head() {
      return head
    },
    get erased() {
      return erased
    },
  }
}
