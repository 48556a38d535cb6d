import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage, type RequestOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { askPage, createDb, createPool, pageMark } from '../../app/db/connect.ts'
import { createAdmission } from '../../app/overload/admission.ts'
import { guardServer } from '../../app/overload/guard.ts'
import { createTurns, ofAnswers } from '../../app/overload/turns.ts'
import { until } from '../helper.ts'
import { testPostgres } from '../servers.ts'

const begunPerTurn = ofAnswers.most as number

t.test('a turn begins a few at once and the rest later, in order', async (t) => {
  const turns = createTurns({ most: begunPerTurn })
  const begun: number[] = []
  const count = 2 * begunPerTurn + 1
  for (let n = 0; n < count; n += 1) turns.take('', () => begun.push(n))
  t.equal(begun.length, begunPerTurn)
  await turn()
  t.equal(begun.length, 2 * begunPerTurn)
  turns.take('', () => begun.push(count))
  t.equal(begun.length, 2 * begunPerTurn, 'behind those that wait')
  await turn()
  t.same(begun, [...Array(count + 1).keys()])
  await turn()
  await turn()
  turns.take('', () => begun.push(-1))
  t.equal(begun.at(-1), -1, 'at once again')
})

t.test('of what is cheap a turn begins more, until it has taken long enough', async (t) => {
  let time = 0
  const turns = createTurns({ enoughMs: 0.5, now: () => time })
  const begun: number[] = []
  const take = (n: number, takes: number) => {
    turns.take('', () => {
      begun.push(n)
      time += takes
    })
  }
  for (let n = 1; n <= 6; n += 1) take(n, 0.125)
  t.same(begun, [1, 2, 3, 4])
  await turn()
  t.same(begun, [1, 2, 3, 4, 5, 6])
  await turn()
  await turn()
  take(7, 2)
  take(8, 2)
  take(9, 2)
  t.equal(begun.at(-1), 7)
  await turn()
  t.equal(begun.at(-1), 8)
})

t.test('one that throws stops nobody behind it', async (t) => {
  const turns = createTurns({ most: begunPerTurn })
  const begun: number[] = []
  for (let n = 0; n < begunPerTurn; n += 1) {
    t.throws(() =>
      turns.take('', () => {
        throw new Error('on purpose')
      }),
    )
  }
  turns.take('', () => begun.push(1))
  await turn()
  t.same(begun, [1])
})

/** A server whose turns are given out by the test. */
const open = async (t: Test, concurrency: number) => {
  const waiting: (() => void)[] = []
  const begun: string[] = []
  const server = createServer((request, response) => {
    begun.push(request.url ?? '')
    response.end('begun')
  })
  const admission = createAdmission({ concurrency, connections: 1, lag: { level: () => 0, looks: () => 0 } })
  guardServer(server, {
    ...{ admission, publicUrl: 'http://api.test', demoToken: 'demo', headers: () => ({}) },
    ...{ onShed: () => {}, isHeld: () => false, turns: { take: (_owner, call) => void waiting.push(call) } },
    answerFast: (request, response) => {
      if (request.url !== '/fast') return false
      response.end('fast')
      return true
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const send = (path: string, options: RequestOptions = {}) =>
    ask({ ...options, host: '127.0.0.1', port, path, agent: false })
      .on('error', () => {})
      .end()
  const statusOf = async (path: string) => {
    const [answer] = (await once(send(path), 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  return { admission, waiting, begun, send, statusOf }
}

t.test('who waits for a turn fills the room; refusals, probes and memory wait for none', async (t) => {
  const { admission, waiting, begun, send, statusOf } = await open(t, 2)
  send('/first')
  await until('it waits', () => waiting.length === 1)
  t.equal(admission.active, 1)
  t.equal(await statusOf('/fast'), 200)
  send('/second')
  await until('both wait', () => waiting.length === 2)
  t.equal(await statusOf('/third'), 503)
  t.equal(await statusOf('/health/live'), 200)
  t.same(begun, ['/health/live'])
  for (const call of waiting) call()
  t.same(begun, ['/health/live', '/first', '/second'])
  t.equal(admission.active, 0)
})

t.test('who is gone before its turn is not begun, and leaves its place', async (t) => {
  const { admission, waiting, begun, send } = await open(t, 10)
  const gone = send('/gone')
  await until('it waits', () => waiting.length === 1)
  gone.destroy()
  await until('it has left', () => admission.active === 0)
  waiting[0]?.()
  t.same(begun, [])
})

t.test('answers of the database that are there at once are worked on in several turns', async (t) => {
  const server = await testPostgres()
  const connections = 10
  const pool = createPool(server.url, { max: connections, applicationName: 'test', onError: () => {} })
  const db = createDb(pool)
  t.teardown(async () => {
    await db.destroy()
    await server.stop()
  })
  const text = `${pageMark('page')} select '1:1:', 't1', 's', false, 1, null, null, null, repeat('x', $1::integer)
    from pg_sleep(0.05)`
  let turnsSeen = 0
  const askAll = () =>
    Promise.all(
      Array.from({ length: connections }, () => askPage(db, 'acme', text, [10]).then(() => turnsSeen)),
    )
  // So that all are connected.
  await askAll()
  const all = askAll()
  // Their statements go out with this turn, and take longer than that.
  await turn()
  // By then all of them are answered, and the event loop has seen none.
  const end = performance.now() + 300
  while (performance.now() < end);
  let isDone = false
  const done = all.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await turn()
    turnsSeen += 1
  }
  const inTurn = new Map<number, number>()
  for (const seen of await done) inTurn.set(seen, (inTurn.get(seen) ?? 0) + 1)
  // Where this test looks, two turns may be one.
  t.ok(Math.max(...inTurn.values()) <= 2 * begunPerTurn, [...inTurn.values()].join())
})
