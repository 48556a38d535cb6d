import assert from 'node:assert/strict'
import t from 'tap'
import {
  type ChainedEntry,
  type ChainFault,
  type ChainHead,
  genesis,
  type Link,
  type Seal,
  type Sealable,
  sealEntries,
  signAnchor,
  verifyAnchor,
} from '../../app/audit/chain.ts'
import { formatHead, parseHead } from '../../app/audit/head.ts'
import { erasure } from '../../app/audit/record.ts'
import { createVerifier } from '../../app/audit/verifier.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { cases, fc } from '../random.ts'

const key = createSecrets(['k'.repeat(32)])
const stranger = createSecrets(['s'.repeat(32)])

const refs = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', null]

const sealable = fc.record({
  at: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  actor: fc.constantFrom('key', 'operator', 'system'),
  customerRef: fc.constantFrom(...refs),
  action: fc.constantFrom('login', 'reads', 'import'),
  outcome: fc.constantFrom('ok', 'refused'),
  requestId: fc.option(fc.uuid()),
  personalSha256: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
  number: fc.constant(null),
})

/** Ids have gaps, as rolled back transactions leave them. */
const entries = (minLength: number) =>
  fc
    .array(fc.tuple(sealable, fc.integer({ min: 1, max: 5 })), { minLength, maxLength: 30 })
    .map((list): Sealable[] => {
      let entryId = 0
      return list.map(([each, step]) => {
        entryId += step
        return { entryId, ...each }
      })
    })

const toLinks = (given: readonly Sealable[], seals: readonly Seal[]): Link[] =>
  given.map(({ personalSha256, number, ...entry }, index) => ({
    seal: seals[index] as Seal,
    entry,
    personalSha256,
  }))

const chain = (given: readonly Sealable[], head = genesis): Link[] =>
  toLinks(given, sealEntries(key, head, given))

const verify = (links: readonly Link[], from = genesis): ChainFault | undefined => {
  const verifier = createVerifier(key, from)
  for (const link of links) verifier.check(link)
  return verifier.finish()
}

const getHead = (links: readonly Link[]): ChainHead => (links.at(-1) as Link).seal
const at = <T>(list: readonly T[], index: number) => list[index] as T
const place = (links: readonly Link[], index: number) => {
  const { seal } = at(links, index)
  return { sealNo: seal.sealNo, entryId: seal.entryId }
}

/** A chain and an index into it. */
const withPlace = (minLength = 1) =>
  entries(minLength).chain((given) => fc.tuple(fc.constant(chain(given)), fc.nat(given.length - 1)))

const replaced = (links: readonly Link[], index: number, link: Link) =>
  links.map((each, i) => (i === index ? link : each))

/** Closes gaps, as an attacker would. */
const renumbered = (links: readonly Link[], from = genesis) =>
  links.map((link, index) => ({ ...link, seal: { ...link.seal, sealNo: from.sealNo + index + 1 } }))

/** Throws on a difference, as fast-check needs it. */
const expectFault = (
  fault: ChainFault | undefined,
  { reason = /./, ...where }: { sealNo?: number; entryId?: number | null | undefined; reason?: RegExp },
) => {
  assert.ok(fault, 'no fault was found')
  assert.deepEqual({ ...fault, ...where }, fault)
  assert.match(fault.reason, reason)
}

t.test('an untouched chain verifies, sealed in one step or several', async () => {
  fc.assert(
    fc.property(entries(0), fc.nat(30), (given, cut) => {
      const whole = chain(given)
      const first = chain(given.slice(0, cut))
      const second = chain(given.slice(cut), first.length > 0 ? getHead(first) : genesis)
      assert.deepEqual([...first, ...second], whole)
      if (verify(whole) !== undefined) throw new Error('an untouched chain was refused')
    }),
    { numRuns: cases(50) },
  )
})

t.test('finds a change of any entry, its seal or its personal part', async () => {
  const changed = (change: (entry: ChainedEntry) => Partial<ChainedEntry>) => (link: Link) => {
    const entry = link.entry as ChainedEntry
    return { ...link, entry: { ...entry, ...change(entry) } }
  }
  const edits: ((link: Link) => Link)[] = [
    changed(({ entryId }) => ({ entryId: entryId + 1000 })),
    changed(({ at }) => ({ at: `${at}0` })),
    changed(() => ({ actor: 'anonymous' })),
    changed(() => ({ customerRef: '33333333-3333-4333-8333-333333333333' })),
    changed(() => ({ action: 'keys.issue' })),
    changed(({ outcome }) => ({ outcome: outcome === 'ok' ? 'refused' : 'ok' })),
    changed(({ requestId }) => ({ requestId: `${requestId}-` })),
    (link) => ({ ...link, personalSha256: Buffer.alloc(32, 7) }),
    (link) => ({ ...link, seal: { ...link.seal, number: 1 } }),
    ...[0, 15, 31].map((byte) => (link: Link) => {
      const mac = Buffer.from(link.seal.mac)
      mac[byte] = (mac[byte] as number) ^ 1
      return { ...link, seal: { ...link.seal, mac } }
    }),
  ]
  fc.assert(
    fc.property(withPlace(), fc.constantFrom(...edits), ([links, index], edit) => {
      expectFault(verify(replaced(links, index, edit(at(links, index)))), place(links, index))
    }),
  )
})

t.test('finds a deleted entry, also without its seal or with the rest renumbered', async () => {
  fc.assert(
    fc.property(withPlace(2), ([links, index]) => {
      const { sealNo, entryId } = place(links, index)
      const emptied = replaced(links, index, { ...at(links, index), entry: null, personalSha256: null })
      expectFault(verify(emptied), { sealNo, entryId, reason: /deleted/ })
      fc.pre(index < links.length - 1)
      const shortened = links.filter((_, i) => i !== index)
      expectFault(verify(shortened), { sealNo, entryId: null, reason: /missing/ })
      expectFault(verify(renumbered(shortened)), { sealNo })
    }),
  )
})

t.test('finds swapped entries or seals at their first position', async () => {
  fc.assert(
    fc.property(withPlace(2), fc.nat(29), ([links, first], other) => {
      const second = other % links.length
      fc.pre(first !== second)
      const [i, j] = [Math.min(first, second), Math.max(first, second)]
      const [a, b] = [at(links, i), at(links, j)]
      const contents = replaced(replaced(links, i, { ...b, seal: a.seal }), j, { ...a, seal: b.seal })
      expectFault(verify(contents), { sealNo: a.seal.sealNo })
      const rows = renumbered(replaced(replaced(links, i, b), j, a))
      expectFault(verify(rows), { sealNo: a.seal.sealNo })
    }),
  )
})

t.test('finds an entry that was inserted without the key', async () => {
  fc.assert(
    fc.property(withPlace(), sealable, ([links, index], each) => {
      const before = index === 0 ? genesis : at(links, index - 1).seal
      const forged = [{ entryId: 9999, ...each }]
      const inserted = toLinks(forged, sealEntries(stranger, before, forged))
      const fault = verify(renumbered([...links.slice(0, index), ...inserted, ...links.slice(index)]))
      expectFault(fault, { sealNo: before.sealNo + 1, entryId: 9999 })
    }),
  )
})

t.test('erased personal parts verify only if the chain contains the erasure', async () => {
  const [ref] = refs as [string]
  fc.assert(
    fc.property(entries(1), (given) => {
      const mine = given.filter(({ customerRef }) => customerRef === ref)
      fc.pre(mine.length > 0)
      const last = at(given, given.length - 1)
      const erase = { ...last, entryId: last.entryId + 1, action: erasure, customerRef: ref }
      const bare = (links: readonly Link[]) =>
        links.map((link) =>
          link.entry?.customerRef === ref && link.entry.action !== erasure
            ? { ...link, personalSha256: null }
            : link,
        )
      assert.equal(verify(bare(chain([...given, erase]))), undefined)
      const entryId = mine[0]?.entryId
      expectFault(verify(bare(chain(given))), { entryId, reason: /without an erasure/ })
      const elsewhere = { ...erase, customerRef: refs[1] as string }
      expectFault(verify(bare(chain([...given, elsewhere]))), { entryId })
      const next = { ...last, entryId: last.entryId + 1, customerRef: null }
      const links = bare(chain([...given, next, { ...erase, entryId: last.entryId + 2 }]))
      const broken = at(links, given.length)
      const entry = { ...(broken.entry as ChainedEntry), actor: 'anonymous' }
      const fault = verify(replaced(links, given.length, { ...broken, entry }))
      expectFault(fault, { entryId: next.entryId, reason: /seal was changed/ })
    }),
  )
})

t.test('a personal part that was deleted before its entry was sealed cannot be restored', async (t) => {
  const [given] = fc.sample(entries(1), 1)[0] as [Sealable]
  const [link] = chain([{ ...given, entryId: 1, personalSha256: null }]) as [Link]
  t.match(verify([{ ...link, personalSha256: Buffer.alloc(32) }]), { entryId: 1, reason: /personal part/ })
})

t.test('after pruning, the chain continues from an anchor that needs the key', async () => {
  fc.assert(
    fc.property(withPlace(2), ([links, index]) => {
      const anchor: ChainHead = at(links, index).seal
      assert.equal(verify(links.slice(index + 1), anchor), undefined)
      const mac = signAnchor(key, anchor)
      assert.ok(verifyAnchor(key, anchor, mac))
      assert.ok(!verifyAnchor(key, { ...anchor, sealNo: anchor.sealNo + 1 }, mac))
      assert.ok(!verifyAnchor(key, anchor, signAnchor(stranger, anchor)))
    }),
    { numRuns: cases(30) },
  )
})

t.test('a chain continues under a new key while the previous one is configured', async (t) => {
  const former = createSecrets(['f'.repeat(32)])
  const rotated = createSecrets(['n'.repeat(32), 'f'.repeat(32)])
  const given = fc.sample(entries(4), 1)[0] as Sealable[]
  const first = sealEntries(former, genesis, given.slice(0, 2))
  const seals = [...first, ...sealEntries(rotated, first[1] as ChainHead, given.slice(2))]
  const follow = (secrets: typeof key) => {
    const verifier = createVerifier(secrets, genesis)
    for (const link of toLinks(given, seals)) verifier.check(link)
    return verifier.finish()
  }
  t.equal(follow(rotated), undefined)
  t.match(follow(createSecrets(['n'.repeat(32)])), { sealNo: 1 })
})

t.test('a formatted head parses to the same head', async (t) => {
  const head = { sealNo: 4711, mac: Buffer.alloc(32, 9) }
  t.same(parseHead(formatHead(head)), head)
  for (const bad of ['', '4711', `4711:${'A'.repeat(42)}`, `-1:${'A'.repeat(43)}`, `1:${'?'.repeat(43)}`]) {
    t.equal(parseHead(bad), undefined, bad)
  }
})

t.test('a gap in the numbers of a customer is found', (t) => {
  const getEntry = (
    entryId: number,
    number: number | null,
    customerRef = refs[0] as string | null,
  ): Sealable => ({
    entryId,
    at: 'now',
    actor: 'key',
    customerRef,
    action: 'login',
    outcome: 'ok',
    requestId: null,
    personalSha256: Buffer.alloc(32, entryId),
    number,
  })
  const numbered = (...given: (readonly [number | null, string | null])[]) =>
    verify(chain(given.map(([number, ref], i) => getEntry(i + 1, number, ref))))
  const [first, second] = refs as [string, string]
  t.equal(numbered([1, first], [1, second], [null, null], [2, first], [2, second], [3, first]), undefined)
  t.match(numbered([7, first], [8, first]), { entryId: 1, reason: /number 7 .* after 0/ })
  t.match(numbered([1, first], [3, first]), { sealNo: 2, entryId: 2, reason: /number 3 .* after 1/ })
  t.match(numbered([1, first], [1, first]), { entryId: 2 })
  t.end()
})
