import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createDb, createPool, readRowInTurn } from '../../app/db/connect.ts'
import { testPostgres } from '../servers.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void

const bodyBytes = 40_000
const connections = 4
const each = 100

/** As large as a page of 50. */
const text = `select repeat('x', $1::integer) as data`

t.test('answered pages are freed by the next young collection', async (t) => {
  const server = await testPostgres()
  const pool = createPool(server.url, { max: connections, applicationName: 'test', onError: () => {} })
  const db = createDb(pool)
  t.teardown(async () => {
    await db.destroy()
    await server.stop()
  })
  let asked = 0
  const askOn = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const { data } = await readRowInTurn<{ data: string }>(db, 'acme', { text, values: [bodyBytes] })
      if (data.length !== bodyBytes) throw new Error('it is no page')
      asked += 1
      // Often enough that pages in progress survive several collections.
      if (asked % 5 === 0) collect({ type: 'minor' })
    }
  }
  const askAll = (times: number) => Promise.all(Array.from({ length: connections }, () => askOn(times)))
  await askAll(5)
  collect({ type: 'major' })
  const before = process.memoryUsage().arrayBuffers
  await askAll(each)
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  const kept = (process.memoryUsage().arrayBuffers - before) / bodyBytes
  t.ok(kept < (connections * each) / 3, `${Math.round(kept)} of ${connections * each} pages are still there`)
})
