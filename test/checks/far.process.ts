import t from 'tap'
import { createChangeSource } from '../../app/cache/changes.ts'
import { readerRole } from '../../app/db/connect.ts'
import { openStage } from '../../checks/connections/stage.ts'
import { getAddress, openDistance } from '../../checks/far/proxy.ts'
import { visitByClient, visitByHttp1, visitByHttp2 } from '../../checks/far/visits.ts'
import { createTestDatabase } from '../helper.ts'

/** Longer than an answer takes on a busy machine, so that a time divided by it counts the round trips. */
const oneWayMs = 75

/** For `fetch`. The other clients have an option. */
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

t.test(
  'a client far away logs in and has its first page after four round trips, and a page after one',
  async (t) => {
    const stage = await openStage()
    t.teardown(() => stage.close())
    const distance = await openDistance({ port: stage.port, host: '127.0.0.1' }, oneWayMs)
    t.teardown(() => distance.close())
    for (const [name, visit] of Object.entries({ visitByHttp1, visitByHttp2, visitByClient })) {
      const { first, kept, pageBytes, connections } = await visit(distance, stage.apiKey)
      t.equal(first.byTurns, 4, `${name}: TCP, TLS 1.3, login, page`)
      t.equal(kept.byTurns, 1, `${name}: a page on the kept connection`)
      t.ok(kept.byTime <= 10, `${name}: ${kept.byTime} by the clock, with time for a busy machine`)
      t.ok(pageBytes < 14_000, `${name}: ${pageBytes} bytes, which fit into the first window`)
      t.equal(connections, 1, name)
    }
    const { statuses } = await visitByClient(distance, stage.apiKey)
    t.same(statuses, [200, 200, 304], 'the client has its second page from its own cache')
  },
)

t.test('works with a database so far away that connecting takes longer than a poll may', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  const { to, reach } = getAddress(database.url)
  const distance = await openDistance(to, oneWayMs)
  t.teardown(() => distance.close())
  const far = reach(distance.port)
  const turns = () =>
    distance.passages.map((passage) => passage.turns).reduce((total, each) => total + each, 0)
  const poll = async () => {
    const source = createChangeSource({ url: far, role: readerRole, reachSeconds: 600 })
    try {
      const { snapshot } = await source.poll(await source.begin())
      const before = turns()
      await source.poll(snapshot)
      return { xmax: snapshot.xmax, turns: turns() - before }
    } catch (error) {
      return { error }
    } finally {
      await source.close()
    }
  }
  const polled = await poll()
  t.match(polled, { xmax: Number, turns: 1 }, 'a poll is one round trip')
})
