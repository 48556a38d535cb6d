import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import t from 'tap'
import { createFairQueue } from '../../app/overload/fair-queue.ts'
import { createQueue } from '../../app/overload/queue.ts'
import { repeat } from '../../app/overload/repeat.ts'
import { until } from '../helper.ts'
import { createSimulation } from '../limits/simulation.ts'

const patientMs = 60_000
const always = () => true

/** A queue of work that runs until `end(name)`. `begun`: names of started work. */
const open = (options: Partial<Parameters<typeof createQueue>[0]> = {}) => {
  const queue = createQueue({ turns: 5, longestWaitMs: patientMs, ...options })
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const ask = (owner: string, name: string) =>
    queue
      .run(owner, () => {
        begun.push(name)
        return new Promise<void>((resolve) => running.set(name, resolve))
      })
      .then(
        () => 'answered',
        ({ code }) => code as string,
      )
  const end = async (name: string) => {
    await until(`${name} runs`, () => running.has(name))
    running.get(name)?.()
    running.delete(name)
  }
  const askMany = (owner: string, count: number) =>
    Array.from({ length: count }, (_, n) => ask(owner, `${owner} ${n}`))
  return { queue, begun, ask, askMany, end }
}

t.test('owners take turns, and the items of one owner stay in their order', async (t) => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item)
  queue.push('b', 'b1')
  t.same(
    Array.from({ length: 5 }, () => queue.shift(always)),
    ['a1', 'b1', 'a2', 'a3', undefined],
  )
})

t.test('a site has two items in a round, for any number of networks', async (t) => {
  const queue = createFairQueue<string>()
  const at = (network: string) => ({ network, site: 'site' })
  for (const n of [1, 2, 3, 4, 5]) queue.push(at(`n${n}`), `n${n}`)
  queue.push(at('n1'), 'n1 again')
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item)
  t.same(
    Array.from({ length: 9 }, () => queue.shift(always)),
    ['n1', 'a1', 'n2', 'n3', 'a2', 'n4', 'n5', 'a3', 'n1 again'],
  )
  t.equal(queue.size, 0)
})

t.test('a full queue drops an item of the largest site, also if each of its networks has few', async (t) => {
  const queue = createFairQueue<string>()
  const at = (network: string) => ({ network, site: 'site' })
  for (const item of ['a1', 'a2']) queue.push('a', item)
  for (const n of [1, 2, 3]) queue.push(at(`n${n}`), `n${n}`)
  t.equal(queue.popOfLongest(), 'n1')
  queue.remove(at('n2'), 'n2')
  queue.remove(at('n2'), 'n2')
  t.equal(queue.popOfLongest(), 'a2')
  t.same([queue.shift(always), queue.shift(always), queue.size], ['a1', 'n3', 0])
})

t.test('an owner that is not allowed to run keeps its place', async (t) => {
  const queue = createFairQueue<string>()
  queue.push('a', 'a1')
  queue.push('b', 'b1')
  queue.push('c', 'c1')
  t.equal(
    queue.shift((owner) => owner !== 'a'),
    'b1',
  )
  t.equal(
    queue.shift((owner) => owner === 'd'),
    undefined,
  )
  t.equal(queue.shift(always), 'a1')
  t.equal(queue.size, 1)
})

t.test('work runs immediately while turns are free, and otherwise waits for one', async (t) => {
  const { queue, begun, askMany, end } = open()
  const answers = askMany('a', 6)
  await until('four run', () => begun.length === 4)
  t.equal(queue.waiting, 2, 'an owner has four of five turns at most')
  for (const n of [0, 1, 2, 3, 4, 5]) await end(`a ${n}`)
  t.same(new Set(await Promise.all(answers)), new Set(['answered']))
  t.same(begun, ['a 0', 'a 1', 'a 2', 'a 3', 'a 4', 'a 5'])
})

t.test('the next request of another owner finds a turn during the slow work of one owner', async (t) => {
  const { begun, ask, askMany, end } = open()
  const slow = askMany('slow', 100)
  const quick = ask('quick', 'quick')
  await end('quick')
  t.equal(await quick, 'answered')
  t.equal(begun.length, 5, 'no more of the slow work has begun')
  for (let n = 0; n < 100; n += 1) await end(`slow ${n}`)
  await Promise.all(slow)
})

t.test('a neighbour waits for one turn of a flood, not for all of them', async (t) => {
  const { begun, ask, askMany, end } = open({ turns: 1 })
  const flood = askMany('flood', 50)
  const quiet = ask('quiet', 'quiet')
  await end('flood 0')
  await end('flood 1')
  await end('quiet')
  t.equal(await quiet, 'answered')
  t.same(begun.slice(0, 3), ['flood 0', 'flood 1', 'quiet'])
  for (let n = 2; n < 50; n += 1) await end(`flood ${n}`)
  await Promise.all(flood)
})

t.test('after a pause of the process, work with a free turn is not refused', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [theirs] = await accepted
  t.teardown(() => {
    socket.destroy()
    theirs.destroy()
    server.close()
  })
  const queue = createQueue({ turns: 1, longestWaitMs: 20 })
  const first = queue.run('a', () => once(socket, 'data'))
  const second = queue.run('a', async () => 'answered')
  theirs.write('an answer of the database')
  const end = performance.now() + 100
  while (performance.now() < end);
  await first
  t.equal(await second.catch(({ code }) => code), 'answered')
})

t.test('work that waits for longer than the deadline is refused', async (t) => {
  // The queue's timers do not keep the process alive.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  const { queue, ask, end } = open({ turns: 1, longestWaitMs: 20 })
  const first = ask('a', 'first')
  t.equal(await ask('a', 'second'), 'overloaded')
  t.equal(queue.waiting, 0)
  t.equal(queue.refused, 1)
  await end('first')
  t.equal(await first, 'answered')
  const third = ask('a', 'third')
  await end('third')
  t.equal(await third, 'answered', 'a turn is free again')
})

t.test('a request waits until the deadline, however long the work of others takes', async (t) => {
  const simulation = createSimulation()
  const { queue, ask, askMany, end } = open({ turns: 1, longestWaitMs: 1_000, after: simulation.after })
  const slow = ask('a', 'slow')
  await simulation.runTo(600_000)
  const waiting = askMany('a', 50)
  await simulation.runTo(600_999)
  t.same([queue.waiting, queue.refused], [50, 0])
  await end('slow')
  await end('a 0')
  await simulation.runTo(601_000)
  t.same([queue.waiting, queue.refused], [0, 48])
  await end('a 1')
  t.same(await Promise.all([slow, ...waiting]), [
    'answered',
    'answered',
    'answered',
    ...Array(48).fill('overloaded'),
  ])
})

t.test('above its bound the queue refuses the newest of the longest', async (t) => {
  const { queue, begun, ask, askMany, end } = open({ turns: 1, mostWaiting: 3 })
  const running = ask('a', 'running')
  const flood = askMany('flood', 3)
  const quiet = ask('quiet', 'quiet')
  t.equal(await flood[2], 'overloaded')
  t.equal(queue.waiting, 3)
  t.equal(await ask('flood', 'one more'), 'overloaded')
  for (const name of ['running', 'flood 0', 'quiet', 'flood 1']) await end(name)
  t.same(await Promise.all([running, flood[0], flood[1], quiet]), Array(4).fill('answered'))
  t.same(begun, ['running', 'flood 0', 'quiet', 'flood 1'])
})

t.test('failed work releases its turn', async (t) => {
  const { queue, ask, end } = open({ turns: 1 })
  await t.rejects(
    queue.run('a', () => Promise.reject(new Error('the database says no'))),
    { message: 'the database says no' },
  )
  const next = ask('a', 'next')
  await end('next')
  t.equal(await next, 'answered')
})

t.test(
  'repeated work reports a failure once and continues, and stopping waits for the running one',
  async (t) => {
    const outcomes = ['fails', 'fails', 'succeeds', 'fails', 'waits']
    const failures: string[] = []
    const waiting = Promise.withResolvers<void>()
    let runs = 0
    const stop = repeat({
      everyMs: 0,
      async work() {
        const outcome = outcomes[runs++]
        if (outcome === 'fails') throw new Error(`run ${runs}`)
        if (outcome === 'waits') await waiting.promise
      },
      onFailure: ({ message }) => failures.push(message),
    })
    await until('the last run waits', () => runs === 5)
    t.same(failures, ['run 1', 'run 4'])
    let hasEnded = false
    const ended = stop().then(() => {
      hasEnded = true
    })
    await new Promise(setImmediate)
    t.notOk(hasEnded)
    waiting.resolve()
    await ended
    t.equal(runs, 5)
  },
)
