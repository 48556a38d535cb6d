import t from 'tap'
import {
  createUsageCounts,
  type UsageBatch,
  type UsageCount,
} from '../../../app/features/account/usage-counts.ts'
import type { SentAnswer } from '../../../app/observe/sent-answer.ts'

const dayMs = 86_400_000
const start = Date.parse('2026-11-28T23:59:59Z')

const createAnswer = (more: Partial<SentAnswer> & { keyId?: string } = {}): SentAnswer => {
  const { keyId = 'k1', ...rest } = more
  const answer = { route: '/v1/products', status: 200, bytes: 10, refusedKeyId: undefined, ...rest }
  return { principal: { kind: 'live', keyId, customerId: 'acme' }, ...answer } as SentAnswer
}

const open = (most?: number) => {
  const clock = { now: start }
  const counts = createUsageCounts({ now: () => clock.now, ...(most === undefined ? {} : { most }) })
  const written: UsageCount[] = []
  const write = async (batch: UsageBatch) => void written.push(...batch.counts)
  return { clock, counts, written, write }
}

t.test('requests are counted by key, day and endpoint, and only once', async (t) => {
  const { clock, counts, written, write } = open()
  counts.add(createAnswer())
  counts.add(createAnswer({ status: 304, bytes: 0 }))
  counts.add(createAnswer({ status: 400, bytes: 5 }))
  counts.add(createAnswer({ route: '/webapi/v1/api.php/products/:id' }))
  counts.add(createAnswer({ endpoint: 'custom/mine', route: '/v1/custom/:name' }))
  counts.add(createAnswer({ keyId: 'k2', route: '/v1/*', status: 404 }))
  clock.now += 1_000
  counts.add(createAnswer())
  counts.add(createAnswer({ principal: undefined, refusedKeyId: undefined }))
  t.equal(await counts.flush(write), 0)
  const count = (key_id: string, day: string, endpoint: string, ...rest: number[]) => {
    const [requests, not_modified, refused, bytes] = rest
    return { key_id, day, endpoint, requests, not_modified, refused, bytes }
  }
  t.strictSame(written, [
    count('k1', '2026-11-28', '/v1/products', 3, 1, 1, 15),
    count('k1', '2026-11-28', '/v1/products/{id}', 1, 0, 0, 10),
    count('k1', '2026-11-28', '/v1/custom/mine', 1, 0, 0, 10),
    count('k2', '2026-11-28', '/v1/*', 1, 0, 1, 10),
    count('k1', '2026-11-29', '/v1/products', 1, 0, 0, 10),
  ])
  await counts.flush(write)
  t.equal(written.length, 5)
})

t.test('counts that could not be written are kept, with those of the meantime', async (t) => {
  const { clock, counts, written, write } = open()
  counts.add(createAnswer())
  counts.add(createAnswer({ keyId: 'k2', route: '/v1/products/:id' }))
  const failure = new Error('the database is away')
  await t.rejects(
    counts.flush(async () => {
      counts.add(createAnswer({ bytes: 1 }))
      throw failure
    }),
    failure,
  )
  clock.now += dayMs
  await counts.flush(write)
  t.match(
    written.map(({ key_id, day, endpoint, requests, bytes }) => [key_id, day, endpoint, requests, bytes]),
    [
      ['k1', '2026-11-28', '/v1/products', 1, 10],
      ['k2', '2026-11-28', '/v1/products/{id}', 1, 10],
      ['k1', '2026-11-28', '/v1/products', 1, 1],
    ],
  )
})

t.test('a batch whose write failed is written again as it was, before later counts', async (t) => {
  const { counts } = open()
  const [first, other] = [open().counts, open().counts]
  const batches: UsageBatch[] = []
  let isAway = true
  const write = async (batch: UsageBatch) => {
    batches.push(batch)
    if (isAway) throw new Error('the database is away')
  }
  for (let minute = 0; minute < 3; minute++) {
    counts.add(createAnswer())
    await t.rejects(counts.flush(write))
  }
  isAway = false
  await counts.flush(write)
  const [sent] = batches
  t.strictSame(batches.slice(0, 4), [sent, sent, sent, sent])
  t.match(sent, { number: 1, counts: [{ requests: 1 }] })
  t.match(batches[4], { writer: sent?.writer, number: 2, counts: [{ requests: 2 }] })
  t.equal(batches.length, 5)
  for (const each of [first, other]) each.add(createAnswer())
  await first.flush(write)
  await other.flush(write)
  t.equal(new Set(batches.map(({ writer }) => writer)).size, 3, 'each process is a writer')
})

t.test('only the batches that failed are kept', async (t) => {
  const { counts, written, write } = open()
  for (let n = 0; n < 2_500; n++) counts.add(createAnswer({ keyId: `k${n}` }))
  const failure = new Error('the database is away')
  await t.rejects(
    counts.flush(async (batch) => {
      t.ok(batch.counts.length <= 1_000)
      if (written.length > 0) throw failure
      await write(batch)
    }),
    failure,
  )
  await counts.flush(write)
  t.equal(written.length, 2_500)
  t.equal(new Set(written.map(({ key_id }) => key_id)).size, 2_500)
})

t.test('memory is bounded, and lost requests are reported', async (t) => {
  const { counts, written, write } = open(2)
  for (const keyId of ['k1', 'k2', 'k3', 'k3', 'k1']) counts.add(createAnswer({ keyId }))
  t.equal(await counts.flush(write), 2)
  t.match(written, [
    { key_id: 'k1', requests: 2 },
    { key_id: 'k2', requests: 1 },
  ])
  counts.add(createAnswer({ keyId: 'k3' }))
  t.equal(await counts.flush(write), 0)
  t.match(written.at(-1), { key_id: 'k3', requests: 1 })
})
