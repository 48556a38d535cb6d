import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createEtag, type Filled } from '../../app/cache/entry.ts'
import type { FreshnessCheck } from '../../app/cache/freshness.ts'
import { createMemoryCache } from '../../app/cache/memory.ts'
import { createReadThrough } from '../../app/cache/read-through.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createDb, createPool, readRowInTurn } from '../../app/db/connect.ts'
import { testPostgres } from '../servers.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void

/** As large as a page of 50. */
const bodyBytes = 40_000

type Load = { total: number; concurrency: number; collectEvery: number }

/** Reads with minor collections in between, and returns the number of bodies that are still in memory. */
const countRetained = async (
  read: (n: number) => Promise<unknown>,
  { total, concurrency, collectEvery }: Load,
) => {
  let count = 0
  const readMany = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      count += 1
      await read(count)
      if (count % collectEvery === 0) collect({ type: 'minor' })
    }
  }
  const readAll = (times: number) => Promise.all(Array.from({ length: concurrency }, () => readMany(times)))
  await readAll(5)
  collect({ type: 'major' })
  const before = process.memoryUsage().arrayBuffers
  await readAll(total / concurrency)
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  return (process.memoryUsage().arrayBuffers - before) / bodyBytes
}

t.test('answers that no cache stores are freed by the next young collection', async (t) => {
  const freshness = {
    check: () => 'fresh',
    isDistrusted: () => false,
    isAway: () => false,
    noteServed: () => {},
    epoch: () => 'i s',
    mark: () => 'm',
  }
  const cache = createReadThrough({
    memory: createMemoryCache(0),
    shared: undefined,
    freshness: freshness as Partial<FreshnessCheck> as FreshnessCheck,
    longestWaitMs: 1_000,
    wait: async () => {},
  })
  const snapshot = parseSnapshot('1:1:')
  const etag = createEtag('application/json', Buffer.alloc(1))
  const fill = async (): Promise<Filled> => {
    // Several fills run at the same time.
    for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate)
    return { snapshot, server: 's', at: 't1', isAbsent: false, body: Buffer.allocUnsafeSlow(bodyBytes), etag }
  }
  const read = async (n: number) =>
    cache.read({ customerId: 'acme', key: `k${n}`, dependsOn: [], noCache: false, fill })
  const retained = await countRetained(read, { total: 2_000, concurrency: 8, collectEvery: 40 })
  t.ok(retained < 80, `${Math.round(retained)} of 2,000 answers are still there`)
})

t.test('pages from the database are freed by the next young collection', async (t) => {
  const server = await testPostgres()
  const db = createDb(createPool(server.url, { max: 4, applicationName: 'test', onError: () => {} }))
  t.teardown(async () => {
    await db.destroy()
    await server.stop()
  })
  const text = `select repeat('x', $1::integer) as data`
  const read = () => readRowInTurn<{ data: string }>(db, 'acme', { text, values: [bodyBytes] })
  t.equal((await read()).data.length, bodyBytes)
  // Often enough that pages in progress survive several collections.
  const retained = await countRetained(read, { total: 400, concurrency: 4, collectEvery: 5 })
  t.ok(retained < 400 / 3, `${Math.round(retained)} of 400 pages are still there`)
})
