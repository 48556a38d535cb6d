import {
  type ChainFault,
  type ChainHead,
  type ChainKey,
  isCommittedTo,
  type Link,
  type Seal,
  verifySeal,
} from './chain.ts'
import { erasure } from './record.ts'

const otherChain = 'the chain is not the one whose head was published'

const findPersonalFault = (key: ChainKey, { seal, personalSha256, copyFault }: Link) => {
  if (!personalSha256) return copyFault
  const isSame = isCommittedTo(key, seal, personalSha256)
  return isSame ? copyFault : 'the personal part of the entry was changed'
}

const findFault = (key: ChainKey, before: ChainHead, link: Link): ChainFault | undefined => {
  const { seal, entry } = link
  const { sealNo, entryId } = seal
  const expected = before.sealNo + 1
  if (sealNo !== expected) {
    return { sealNo: expected, entryId: null, reason: `seals ${expected} to ${sealNo - 1} are missing` }
  }
  const fault = (reason: string) => ({ sealNo, entryId, reason })
  if (!entry) return fault('the entry was deleted')
  if (!verifySeal(key, before, entry, seal)) {
    return fault('the entry or its seal was changed, or SECRET_KEY lacks the key that sealed it')
  }
  const reason = findPersonalFault(key, link)
  return reason === undefined ? undefined : fault(reason)
}

/**
 * Verifies the chain after `from`. A missing personal part is a fault unless the chain has an erasure of its
 * customer, or `unsealedErasures` its pseudonym. A `published` head not before `from` must be in the chain.
 */
export const createVerifier = (
  key: ChainKey,
  from: ChainHead,
  published?: ChainHead,
  unsealedErasures: readonly string[] = [],
) => {
  let head = from
  let fault: ChainFault | undefined =
    published?.sealNo === from.sealNo && !published.mac.equals(from.mac)
      ? { sealNo: from.sealNo, entryId: null, reason: otherChain }
      : undefined
  let erased = 0
  /** The first entry without a personal part, by the customer's pseudonym. */
  const bare = new Map<string | null, ChainFault>()
  const erasures = new Set<string | null>(unsealedErasures)
  const numbers = new Map<string, number>()

  const differsFrom = (expected: ChainHead, { sealNo, entryId, mac }: Seal) =>
    sealNo === expected.sealNo && !mac.equals(expected.mac)
      ? { sealNo, entryId, reason: otherChain }
      : undefined

  /** A customer's numbers start at 1 and have no gaps. After a pruning, the first remaining number is unknown. */
  const findGap = ({ seal: { sealNo, entryId, number }, entry }: Link): ChainFault | undefined => {
    if (!number || !entry?.customerRef) return undefined
    const last = numbers.get(entry.customerRef) ?? (from.sealNo === 0 ? 0 : undefined)
    numbers.set(entry.customerRef, number)
    return last === undefined || number === last + 1
      ? undefined
      : { sealNo, entryId, reason: `the entry has the number ${number} of its customer after ${last}` }
  }

  const note = ({ seal, entry, personalSha256 }: Link) => {
    if (entry?.action === erasure && entry.customerRef) erasures.add(entry.customerRef)
    if (personalSha256 || !entry) return
    erased += 1
    if (bare.has(entry.customerRef)) return
    const { sealNo, entryId } = seal
    const reason = 'the personal part of the entry was deleted without an erasure'
    bare.set(entry.customerRef, { sealNo, entryId, reason })
  }

  return {
    /** Call it with each link in turn. Returns the first fault, also in later calls. */
    check(link: Link): ChainFault | undefined {
      fault ??=
        findFault(key, head, link) ?? (published && differsFrom(published, link.seal)) ?? findGap(link)
      if (fault) return fault
      head = { sealNo: link.seal.sealNo, mac: link.seal.mac }
      note(link)
      return undefined
    },
    /** Call it after the last link, which may reveal more faults. Returns the fault with the lowest seal. */
    finish(): ChainFault | undefined {
      // After a fault, the erasures in the rest of the chain are unknown.
      const first = fault ?? [...bare].find(([ref]) => !erasures.has(ref))?.[1]
      if (first || !published || head.sealNo >= published.sealNo) return first
      const missing = head.sealNo + 1
      const reason = `the chain was cut: its published head is seal ${published.sealNo}`
      return { sealNo: missing, entryId: null, reason }
    },
    get head(): ChainHead {
      return head
    },
    get erased() {
      return erased
    },
  }
}
