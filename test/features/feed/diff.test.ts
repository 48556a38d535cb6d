import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { isVisible, parseSnapshot, type Snapshot } from '../../../app/cache/snapshot.ts'
import { createSecrets } from '../../../app/config/secrets.ts'
import { type Span, spansAhead, spansBetween } from '../../../app/features/feed/diff.ts'
import { createTokenCodec, type SyncToken } from '../../../app/features/feed/token.ts'
import { secretKey } from '../../helper.ts'
import { cases, fc } from '../../random.ts'

const top = 60

/** An earlier and a later snapshot of one random history. */
const pair = fc
  .record({
    ended: fc.array(fc.tuple(fc.nat(top), fc.nat(top)), { minLength: 1, maxLength: 30 }),
    first: fc.nat(top),
    later: fc.nat(top),
  })
  .map(({ ended, first, later }): [Snapshot, Snapshot] => {
    // Transaction n begins at time n and ends after `length`, or immediately.
    const endOf = new Map(ended.map(([xid, length]) => [xid, xid + length]))
    const at = (time: number): Snapshot => {
      const running = [...endOf].filter(([xid, end]) => xid <= time && end > time).map(([xid]) => xid)
      const xip = running.sort((a, b) => a - b).map((xid) => xid + 3)
      return parseSnapshot(`${xip[0] ?? time + 4}:${time + 4}:${xip.join(',')}`)
    }
    return [at(Math.min(first, later)), at(Math.max(first, later))]
  })

const lies = (xid: number, spans: readonly Span[]) =>
  spans.filter(({ low, high }) => xid >= low && xid <= (high ?? Number.POSITIVE_INFINITY)).length

t.test('the spans contain each newly visible transaction once, in ascending order', async (t) => {
  fc.assert(
    fc.property(pair, fc.nat(top), ([base, target], from) => {
      const spans = spansBetween(base, target)
      const open = spansBetween(base, undefined)
      const ahead = spansAhead({ base, diff: { target, xid: from } })
      for (let xid = 1; xid < top + 10; xid++) {
        const isNew = isVisible(xid, target) && !isVisible(xid, base)
        if (lies(xid, spans) !== Number(isNew)) return false
        if (lies(xid, open) !== Number(!isVisible(xid, base))) return false
        if (xid >= from && lies(xid, ahead) !== Number(isNew)) return false
      }
      return spans.every(({ low }, index) => index === 0 || low > (spans[index - 1]?.high ?? 0))
    }),
    { numRuns: cases(2000) },
  )
  t.pass('for 2000 pairs')
})

const defined = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

t.test('a token can be decoded only for its customer', async (t) => {
  const codec = createTokenCodec(createSecrets([secretKey]))
  fc.assert(
    fc.property(
      pair,
      fc.record({
        identity: fc.string(),
        issuedAt: fc.nat(),
        moment: fc.record({ day: fc.constant('2026-11-21'), window: fc.nat(365) }),
        after: fc.option(fc.tuple(fc.nat(9), fc.constant('2026-11-22'), fc.string()), { nil: undefined }),
        xid: fc.option(fc.nat(), { nil: undefined }),
        mark: fc.string(),
        baseAt: fc.string(),
        view: fc.option(fc.string(), { nil: undefined }),
        baseMoment: fc.option(fc.record({ day: fc.constant('2026-11-20'), window: fc.nat(365) }), {
          nil: undefined,
        }),
        targetAt: fc.string(),
      }),
      ([base, target], { after, xid, targetAt, ...rest }) => {
        const token: SyncToken = {
          ...rest,
          resources: ['products', 'lab'],
          flip: after && { to: { day: '2026-11-23', window: 3 }, after },
          base,
          diff: xid === undefined ? undefined : { target, xid, position: xid + 1, targetAt },
        }
        const text = codec.encode('acme', token)
        const isSame = isDeepStrictEqual(defined(codec.decode('acme', text)), defined(token))
        return isSame && codec.decode('acme2', text) === undefined
      },
    ),
    { numRuns: cases(500) },
  )
  t.pass('for 500 tokens')
})

t.test('a token with 500 open transactions fits the size limits of servers', async (t) => {
  const xip = Array.from({ length: 500 }, (_, n) => 4_000_000_000 + 37 * n)
  const base = parseSnapshot(`${xip[0]}:4000100000:${xip}`)
  const token: SyncToken = {
    identity: '7710660184117657000.00000001.16385.16820',
    issuedAt: 1_795_277_974,
    base,
    resources: ['certificates', 'products', 'projects', 'countries', 'lab', 'approvals'],
    moment: { day: '2026-11-21', window: 90 },
    flip: undefined,
    mark: '0b8f3f60-3f0e-4c9f-9c9d-0d6a3b0c1f4e',
    baseAt: '2026-11-21T09:30:00.000000Z',
    diff: {
      target: base,
      targetAt: '2026-11-21T09:30:00.000000Z',
      xid: 4_000_000_000,
      position: 9_000_000_000,
    },
  }
  const { length } = createTokenCodec(createSecrets([secretKey])).encode('acme', token)
  t.ok(length < 8192, `${length} bytes`)
})
