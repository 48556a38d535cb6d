import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createFlush } from '../../app/audit/flush.ts'
import { maskQuery } from '../../app/audit/mask-query.ts'
import {
  createReadCounts,
  fingerprintQuery,
  type ReadCounts,
  type Reader,
} from '../../app/audit/read-counts.ts'
import type { AuditEvent } from '../../app/audit/record.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { truncateAddress } from '../../app/http/client-address.ts'
import { fc } from '../random.ts'

const secrets = createSecrets(['k'.repeat(32)])
const clock = { ms: Date.parse('2026-11-21T12:34:56Z') }
const open = () =>
  createReadCounts({ now: () => clock.ms, fingerprint: (target) => fingerprintQuery(secrets, target) })
const drain = async (counts: ReadCounts): Promise<AuditEvent[]> => {
  const all: AuditEvent[] = []
  for await (const events of counts.drain()) all.push(...events)
  return all
}
const live = (keyId: string): Reader => ({ kind: 'live', keyId })
const demo: Reader = { kind: 'demo', customerId: 'demo', keyId: 'demo' }
const list = '/v1/certificates'

t.test('reads are counted by key, resource, query and status', async (t) => {
  const counts = open()
  const url = '/v1/certificates?number=4711'
  counts.add(live('k1'), { target: url, status: 200, rows: 3, route: list })
  counts.add(live('k1'), { target: url, status: 200, rows: 2, route: list })
  counts.add(live('k1'), { target: url, status: 304, rows: 0, route: list })
  counts.add(live('k2'), { target: url, status: 200, rows: 1, route: list })
  counts.add(live('k1'), { target: '/v1/products', status: 200, rows: 50, route: '/v1/products' })
  const events = await drain(counts)
  const minute = '2026-11-21T12:34Z'
  const query = fingerprintQuery(secrets, url)
  const entry = (keyId: string, details: object) => ({
    actor: 'key',
    action: 'reads',
    outcome: 'ok',
    // Looked up later, when the event is written.
    customer: undefined,
    keyId,
    details: { minute, resource: 'certificates', query, ...details },
  })
  t.strictSame(events.slice(0, 2), [
    entry('k1', { status: 200, count: 2, rows: 5 }),
    entry('k1', { status: 304, count: 1, rows: 0 }),
  ])
  t.match(events[2], { details: { resource: 'products', rows: 50 } })
  t.strictSame(events[3], entry('k2', { status: 200, count: 1, rows: 1 }))
  t.strictSame(await drain(counts), [], 'no count is returned twice')
})

t.test('every status of an error counts as a refusal', async (t) => {
  const counts = open()
  const statuses = [200, 206, 304, 400, 401, 403, 404, 406, 410, 429, 500, 503]
  for (const status of statuses) counts.add(live('k'), { target: list, status, rows: 0, route: list })
  const outcomes = (await drain(counts)).map(({ outcome }) => outcome)
  t.same(
    outcomes,
    statuses.map((status) => (status < 400 ? 'ok' : 'refused')),
  )
})

t.test('a fingerprint is stable for a query and reveals none of its values', async (t) => {
  const of = (target: string) => fingerprintQuery(secrets, target)
  t.equal(of('/v1/lab?a=1&b=2'), of('/v1/lab?b=2&a=1'))
  t.equal(of('/v1/lab?a=1&cursor=xyz'), of('/v1/lab?a=1'))
  const different = ['/v1/lab', '/v1/lab?a=1', '/v1/lab?a=2', '/v1/lab/1', '/v1/lab/2', '/v1/products']
  t.equal(new Set(different.map(of)).size, different.length)
  const other = createSecrets(['o'.repeat(32)])
  t.not(of('/v1/lab'), fingerprintQuery(other, '/v1/lab'), 'without the key nobody can try values')
})

t.test('reads with the demo token are not separated by query, because it is public', async (t) => {
  const counts = open()
  for (let i = 0; i < 50; i++)
    counts.add(demo, { target: `/v1/certificates?limit=${i}`, status: 200, rows: 2, route: list })
  t.match(await drain(counts), [
    { actor: 'demo', customer: 'demo', details: { query: null, count: 50, rows: 100 } },
  ])
})

t.test('reads of single records are counted by resource, with any query', async (t) => {
  const counts = open()
  for (let i = 0; i < 300; i++) {
    counts.add(live('k'), {
      target: `/v1/products/p${i}?include=parent`,
      status: 200,
      rows: 1,
      route: '/v1/products/:id',
    })
    counts.add(live('k'), {
      target: `/v1/lab/l${i}`,
      status: 404,
      rows: 0,
      route: '/v1/lab/:id',
    })
    counts.add(live('k'), { target: `/v1/things/c${i}`, status: 404, rows: 0, route: '/v1/things/:name' })
  }
  t.match(await drain(counts), [
    { details: { resource: 'products/:id', query: null, status: 200, count: 300, rows: 300 } },
    { details: { resource: 'lab/:id', query: null, status: 404, count: 300 } },
    { details: { resource: 'things/:name', query: null, status: 404, count: 300 } },
  ])
})

t.test('all pages of a list are one query', async (t) => {
  const counts = open()
  for (let i = 0; i < 300; i++) {
    counts.add(live('k'), { target: `${list}?tags=a&cursor=c${i}`, status: 200, rows: 50, route: list })
    counts.add(live('k'), { target: `/v1/custom/x?after=${i % 2}`, status: 200, rows: 1, route: 'custom/x' })
  }
  counts.add(live('k'), { target: `${list}?tags=a`, status: 200, rows: 50, route: list })
  const found = (await drain(counts)).map(({ details }) => [details?.resource, details?.count])
  t.same(found, [
    ['certificates', 301],
    ['custom/x', 150],
    ['custom/x', 150],
  ])
})

t.test('a flood of refusals hides no read of its key, and writes few entries', async (t) => {
  const counts = open()
  const flood = (key: string, status: number, route: string) => {
    for (let i = 0; i < 1_000; i++)
      counts.add(live(key), { target: `${route}?name=${i}`, status, rows: 0, route })
  }
  for (const status of [429, 404]) flood('k', status, list)
  flood('k', 429, '/v1/products')
  flood('other', 429, list)
  const read = `${list}?name=read`
  counts.add(live('k'), { target: read, status: 200, rows: 1, route: list })
  const events = await drain(counts)
  const ofRead = events.filter(({ outcome, details }) => outcome === 'ok' && details?.status === 200)
  t.match(ofRead, [{ keyId: 'k', details: { query: fingerprintQuery(secrets, read), count: 1 } }])
  t.equal(ofRead.length, 1)
  const together = events.filter(({ details }) => details?.query === null)
  const told = (key: string) => events.filter(({ keyId }) => keyId === key).length
  t.strictSame(
    together.map(({ keyId, details }) => [keyId, details?.status, details?.resource, details?.count]),
    [
      ['k', 429, 'certificates', 950],
      ['k', 404, 'certificates', 1_000],
      ['k', 429, 'products', 1_000],
      ['other', 429, 'certificates', 950],
    ],
  )
  t.same([told('k'), told('other')], [54, 51])

  const long = 'x'.repeat(16_000)
  for (let i = 0; i < 40; i++)
    counts.add(live('k'), { target: `${list}?name=${i}&cursor=${long}`, status: 429, rows: 0, route: list })
  counts.add(live('k'), { target: `${read}&cursor=${long}`, status: 200, rows: 1, route: list })
  const afterLong = (await drain(counts)).filter(({ outcome }) => outcome === 'ok')
  t.match(afterLong, [{ details: { query: String } }], 'nor do its longest targets')
})

t.test('reads beyond the limit are counted without their query, and no read is lost', async (t) => {
  const counts = open()
  for (let i = 0; i < 5_000; i++)
    counts.add(live('k'), { target: `/v1/certificates?number=${i}`, status: 200, rows: 1, route: list })
  clock.ms += 60_000
  const events = await drain(counts)
  t.equal(events.length, 101)
  t.equal(events.filter(({ details }) => details?.query === null).length, 1)
  const sum = (name: string) => events.reduce((total, { details }) => total + Number(details?.[name]), 0)
  t.same([sum('count'), sum('rows')], [5_000, 5_000])
})

t.test('long queries are counted separately, but take little memory', async (t) => {
  const counts = open()
  setFlagsFromString('--expose_gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const measure = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const long = 'x'.repeat(8_000)
  const before = measure()
  for (let n = 0; n < 2 * 5_000; n++) {
    counts.add(live(`k${n % 50}`), {
      target: `/v1/lab?tags=${long}${Math.floor(n / 50) % 100}`,
      status: 200,
      rows: 1,
      route: '/v1/lab',
    })
  }
  const grownBytes = measure() - before
  t.ok(grownBytes < 5_000 * long.length * 0.5, `${grownBytes} bytes`)
  const events = await drain(counts)
  t.equal(events.length, 5_000)
  t.ok(events.every(({ details }) => details?.query !== null && details?.count === 2))
})

t.test('many keys together take bounded memory, and no read is lost', async (t) => {
  const counts = open()
  const ask = () => {
    for (let i = 0; i < 60_000; i++)
      counts.add(live(`k${i % 1_000}`), { target: `${list}?number=${i}`, status: 200, rows: 1, route: list })
  }
  ask()
  clock.ms += 60_000
  const events = await drain(counts)
  t.equal(events.filter(({ details }) => details?.query !== null).length, 50_000)
  t.equal(
    events.reduce((sum, { details }) => sum + Number(details?.count), 0),
    60_000,
  )
  counts.add(live('k'), { target: list, status: 200, rows: 1, route: list })
  t.match(await drain(counts), [{ details: { query: String } }], 'the next minute has room again')
})

t.test('the limits apply to a minute, although its counts are written several times', async (t) => {
  const counts = open()
  const ask = (from: number) => {
    for (let i = from; i < from + 80; i++)
      counts.add(live('k'), { target: `${list}?number=${i}`, status: 200, rows: 1, route: list })
  }
  ask(0)
  t.equal((await drain(counts)).length, 80)
  ask(40)
  const events = await drain(counts)
  const together = events.filter(({ details }) => details?.query === null)
  t.match(together, [{ details: { count: 20 } }], '100 of 120 queries are counted separately')
  t.equal(events.length, 61)
  t.same([counts.size, await drain(counts)], [0, []], 'and nothing is written twice')
})

t.test('a read between two batches is counted in the next drain', async (t) => {
  const counts = createReadCounts({ now: () => clock.ms, fingerprint: (target) => target })
  for (const key of ['k1', 'k2'])
    for (let i = 0; i < 100; i++)
      counts.add(live(key), {
        target: `/v1/products?number=${i}`,
        status: 200,
        rows: 1,
        route: '/v1/products',
      })
  const pieces = counts.drain()
  t.equal(pieces.next().value?.length, 100, 'one key')
  counts.add(live('k1'), { target: '/v1/products?number=new', status: 200, rows: 1, route: '/v1/products' })
  t.equal(pieces.next().value?.length, 100)
  t.same(pieces.next(), { value: undefined, done: true })
  t.match(await drain(counts), [{ keyId: 'k1', details: { count: 1 } }])
})

t.test('an address keeps its network and loses its host', async (t) => {
  const cases: [string, string | undefined][] = [
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:0DB8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['', undefined],
    ['unix:', undefined],
  ]
  for (const [address, network] of cases) t.equal(truncateAddress(address), network, address)
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(255), (address, last) => {
      const neighbour = address.replace(/\d+$/, String(last))
      return truncateAddress(address) === truncateAddress(neighbour)
    }),
  )
  fc.assert(
    fc.property(fc.ipV6(), (address) =>
      /^(([0-9a-f]{1,4}:){3}:\/48|[\d.]+\/24)$/.test(truncateAddress(address) ?? ''),
    ),
  )
})

t.test('masks only the values of a query', (t) => {
  const masked = {
    'https://example.com/hook': 'https://example.com/hook',
    'https://example.com/hook?token=secret&q=a%20person': 'https://example.com/hook?token=***&q=***',
    'https://example.com/?secret': 'https://example.com/?***',
    'https://example.com/?a=b=c&=d&': 'https://example.com/?a=***&=***&***',
    'https://example.com/?': 'https://example.com/?***',
  }
  for (const [url, expected] of Object.entries(masked)) t.equal(maskQuery(url), expected)
  t.equal(maskQuery(null), null)
  t.equal(maskQuery(undefined), undefined)
  t.end()
})

const listEvents = (count: number): AuditEvent[] =>
  Array.from({ length: count }, (_, n) => ({ actor: 'key', action: 'reads', details: { n } }))

const openFlush = () => {
  const state = { counted: [] as AuditEvent[], written: [] as AuditEvent[], left: Number.POSITIVE_INFINITY }
  const lost: number[] = []
  const batches: number[] = []
  const flush = createFlush({
    drain: function* () {
      for (const counted = state.counted.splice(0); counted.length > 0; ) yield counted.splice(0, 700)
    },
    write: async (events) => {
      if (state.left-- <= 0) throw new Error('away')
      batches.push(events.length)
      state.written = state.written.concat(events)
    },
    onLost: (count) => lost.push(count),
  })
  const numbers = () => state.written.map(({ details }) => details?.n)
  return { state, flush, lost, batches, numbers }
}

t.test('all events of a busy minute are written, in batches', async (t) => {
  const { state, flush, lost, batches } = openFlush()
  // More than the arguments that a call can have in V8.
  state.counted = listEvents(200_500)
  await flush()
  t.equal(state.written.length, 200_500)
  t.ok(Math.max(...batches) <= 200)
  t.same(lost, [])
})

t.test('the number of unsent events is bounded, and losses are logged', async (t) => {
  const { state, flush, lost, numbers } = openFlush()
  state.counted = listEvents(30_000)
  state.left = 25
  await t.rejects(flush(), /away/)
  t.equal(state.written.length, 5_000)
  t.same(lost, [5_000])
  state.left = Number.POSITIVE_INFINITY
  await flush()
  t.same(
    numbers(),
    listEvents(25_000).map(({ details }) => details?.n),
    'in their order, each once',
  )
  t.same(lost, [5_000])
})

t.test('after a failed write no other batch is written before the next call', async (t) => {
  const events = listEvents(2_100)
  let writes = 0
  const flush = createFlush({
    drain: () => [events.slice(0, 700), events.slice(700, 1_400), events.slice(1_400)],
    write: async () => {
      writes += 1
      if (writes === 1) throw new Error('away')
    },
    onLost: () => t.fail('nothing is lost'),
  })
  await t.rejects(flush(), /away/)
  t.equal(writes, 1)
  t.equal(flush.unsent(), 2_100)
})

t.test('events are created batch by batch, as the database accepts them', async (t) => {
  let [made, written, most] = [0, 0, 0]
  const flush = createFlush({
    drain: function* () {
      for (; made < 10_000; made += 500) yield listEvents(500)
    },
    write: async ({ length }) => {
      most = Math.max(most, made - written)
      written += length
    },
    onLost: () => t.fail('nothing is lost'),
  })
  await flush()
  t.equal(written, 10_000)
  t.ok(most <= 1_500, `${most} at once`)
})

t.test('concurrent calls share one run', async (t) => {
  const { state, flush } = openFlush()
  state.counted = listEvents(10)
  t.equal(flush(), flush())
  await flush()
  t.equal(state.written.length, 10)
})
