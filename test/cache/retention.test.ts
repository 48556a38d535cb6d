import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createEtag, type Filled } from '../../app/cache/entry.ts'
import type { Judge } from '../../app/cache/freshness.ts'
import { createMemoryCache } from '../../app/cache/memory.ts'
import { createReadThrough } from '../../app/cache/read-through.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void

const judge: Judge = {
  check: () => 'fresh',
  confirm: async () => true,
  confirmSoon: async () => true,
  checkConfirmed: () => 'fresh',
  mayBeAhead: () => false,
  noteServed: () => {},
  staleSeconds: () => 1,
  isAway: () => false,
  isUnanswered: () => false,
  readOr: async (_, known) => known,
  epoch: () => 'i s',
  mark: () => 'm',
  asOf: () => 't1',
}

const bodyBytes = 40_000
const etag = createEtag('application/json', Buffer.alloc(1))

t.test('answers that no cache stores are freed by the next young collection', async (t) => {
  const cache = createReadThrough({
    memory: createMemoryCache(0),
    shared: undefined,
    judge,
    wait: async () => {},
  })
  const snapshot = parseSnapshot('1:1:')
  const fill = async (): Promise<Filled> => {
    // Several fills run at the same time.
    for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate)
    return { snapshot, server: 's', at: 't1', isAbsent: false, body: Buffer.allocUnsafeSlow(bodyBytes), etag }
  }
  let asked = 0
  const askOn = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      asked += 1
      await cache.read({ customerId: 'acme', key: `k${asked}`, dependsOn: [], noCache: false, fill })
      if (asked % 40 === 0) collect({ type: 'minor' })
    }
  }
  collect({ type: 'major' })
  const before = process.memoryUsage().arrayBuffers
  await Promise.all(Array.from({ length: 8 }, () => askOn(250)))
  const kept = (process.memoryUsage().arrayBuffers - before) / bodyBytes
  t.ok(kept < 80, `${Math.round(kept)} of 2,000 answers are still there`)
})
