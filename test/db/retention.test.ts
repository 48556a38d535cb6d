import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { pageMark } from '../../app/db/client.ts'
import { askPage, createDb, createPool } from '../../app/db/connect.ts'
import { testPostgres } from '../servers.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void

const bodyBytes = 40_000
const connections = 4
const each = 100

/** The columns of a page's statement, and in the last of them as many bytes as a page of fifty has. */
const text = `${pageMark('page')} select '1:1:', 't1', 's', false, 1, null, null, null, repeat('x', $1::integer)`

t.test('pages that were answered are gone with the next collection of what is young', async (t) => {
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
      const { data } = await askPage(db, 'acme', text, [bodyBytes])
      if ((data?.end ?? 0) - (data?.start ?? 0) !== bodyBytes) throw new Error('it is no page')
      asked += 1
      // Often enough that a part of what is under way becomes old meanwhile.
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
