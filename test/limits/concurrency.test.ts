import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectTo } from 'node:net'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { ApiError } from '../../app/errors.ts'
import { type Concurrent, createConcurrency, leaseMs, renewEveryMs } from '../../app/limits/concurrency.ts'
import { createRedisLimits } from '../../app/limits/redis.ts'
import type { SlotStore } from '../../app/limits/slots.ts'
import { after } from '../../app/overload/timer.ts'
import { testRedis } from '../servers.ts'
import { until } from './until.ts'

const acme = { tag: 'acme', name: '' }
const bolt = { tag: 'bolt', name: '' }

const createEnding = () => Object.assign(new EventEmitter(), { destroyed: false })
type Ending = ReturnType<typeof createEnding>
const close = (ending: Ending) => {
  ending.destroyed = true
  ending.emit('close')
}

/** What stands against it; undefined: it holds. */
const refusalOf = async (held: Promise<void>): Promise<ApiError | undefined> => {
  try {
    await held
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
/** Holds so many, and says how many were let in. */
const holdMany = async (hold: () => Promise<void>, count: number): Promise<number> => {
  const refusals = await Promise.all(Array.from({ length: count }, () => refusalOf(hold())))
  return refusals.filter((each) => each === undefined).length
}

/** A manual timer: `fire` runs what is due next. */
const createTimer = () => {
  let calls: (() => void)[] = []
  return {
    after: (_ms: number, call: () => void) => {
      calls.push(call)
      return () => {
        calls = calls.filter((each) => each !== call)
      }
    },
    count: () => calls.length,
    fire: () => {
      const due = calls
      calls = []
      for (const call of due) call()
    },
  }
}

t.test('at most 2 exports and 10 long polls at once, each for itself and each customer', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  for (const [kind, quota] of [
    ['exports', 2],
    ['long_polls', 10],
  ] as const) {
    t.equal(await holdMany(() => hold(acme, kind, createEnding()), 20), quota, kind)
  }
  t.equal(await holdMany(() => hold(bolt, 'exports', createEnding()), 20), 2)
  const addresses = ['192.0.2.1', '192.0.2.2'].map((name) => ({ tag: 'demo', name }))
  for (const address of addresses) {
    t.equal(await holdMany(() => hold(address, 'exports', createEnding()), 3), 2)
  }
})

t.test('at most 100 clients of the demo wait at once, from all addresses together', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  const endings: Ending[] = []
  const wait = (index: number, tag = 'demo') => {
    const ending = createEnding()
    endings.push(ending)
    return hold({ tag, name: `192.0.2.${index}` }, 'long_polls', ending)
  }
  let next = 0
  t.equal(await holdMany(() => wait(next++), 250), 100)
  t.match(await refusalOf(wait(next)), { status: 429, extras: { violatedPolicies: ['long_polls'] } })
  t.equal(await holdMany(() => wait(next++, 'acme'), 20), 20, 'a customer has its own places')
  for (const ending of endings) close(ending)
  t.equal(await holdMany(() => wait(next++), 250), 100, 'places are free again')
})

t.test('a refusal is 429 and says what is full and when to try again', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  const refusal = async (kind: Concurrent) => {
    await holdMany(() => hold(acme, kind, createEnding()), 10)
    return refusalOf(hold(acme, kind, createEnding()))
  }
  for (const [kind, seconds] of [
    ['exports', '5'],
    ['long_polls', '1'],
  ] as const) {
    t.match(await refusal(kind), {
      code: 'quota_exceeded',
      status: 429,
      extras: { violatedPolicies: [kind], headers: { 'retry-after': seconds } },
    })
  }
})

t.test('what ends frees its place, once; what had ended before holds none', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  const [first, second] = [createEnding(), createEnding()]
  await hold(acme, 'exports', first)
  await hold(acme, 'exports', second)
  t.equal(await holdMany(() => hold(acme, 'exports', createEnding()), 1), 0)
  close(first)
  first.emit('close')
  t.equal(await holdMany(() => hold(acme, 'exports', createEnding()), 3), 1)
  const gone = createEnding()
  gone.destroyed = true
  close(second)
  for (let i = 0; i < 5; i++) await hold(acme, 'exports', gone)
  t.equal(await holdMany(() => hold(acme, 'exports', createEnding()), 3), 1)
})

t.test('an answer of Node’s frees its place when it is done and when its client leaves', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  const server = createServer(async (request, response) => {
    const refusal = await refusalOf(hold(acme, 'exports', response))
    response.writeHead(refusal ? 429 : 200).flushHeaders()
    if (refusal || request.url === '/done') response.end()
  }).listen(0)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/done`)).status
  for (let i = 0; i < 4; i++) {
    let status = await ask()
    // The client has the whole answer a moment before the server sees it closed.
    while (status !== 200) status = await ask()
  }
  const stay = async () => {
    for (;;) {
      const socket = connectTo(port, '127.0.0.1')
      socket.write('GET /stay HTTP/1.1\r\nHost: x\r\n\r\n')
      const [head] = await once(socket, 'data')
      if (String(head).startsWith('HTTP/1.1 200')) return socket
      socket.destroy()
    }
  }
  const [one, two] = [await stay(), await stay()]
  t.equal(await ask(), 429)
  one.destroy()
  await until(async () => (await ask()) === 200)
  two.destroy()
})

/** A store that answers what is said, and notes what it was asked. */
const createFakeStore = (answer: () => boolean | undefined) => {
  const asked: string[] = []
  const store: SlotStore = {
    async hold({ id }) {
      asked.push(`hold ${id}`)
      return answer()
    },
    async release({ id }) {
      asked.push(`release ${id}`)
    },
  }
  return { store, asked }
}

t.test('a store that says no is obeyed, and one that says nothing leaves it to the instance', async (t) => {
  let answer: boolean | undefined = false
  const { store } = createFakeStore(() => answer)
  const timer = createTimer()
  const { hold } = createConcurrency({ store, after: timer.after })
  t.equal(await holdMany(() => hold(acme, 'exports', createEnding()), 5), 0)
  answer = undefined
  t.equal(await holdMany(() => hold(acme, 'exports', createEnding()), 5), 2, 'and nothing was kept by the no')
})

t.test('a place is renewed as long as it is held, and given back when it ends', async (t) => {
  const { store, asked } = createFakeStore(() => true)
  const timer = createTimer()
  const { hold } = createConcurrency({ store, after: timer.after })
  const ending = createEnding()
  await hold(acme, 'exports', ending)
  for (let i = 0; i < 3; i++) timer.fire()
  const [first = ''] = asked
  t.same(asked, [first, first, first, first])
  close(ending)
  t.equal(timer.count(), 0)
  t.same(asked.at(-1), first.replace('hold', 'release'))
})

const server = await testRedis()
t.teardown(() => server?.stop())
const skip = server ? false : 'there is no redis-server'

/** Waits for Redis as long as it takes: an instance that has no answer in time judges by itself. */
const patiently = (ms: number, call: () => void) => after(ms < 100 ? 60_000 : ms, call)

const openInstance = async (t: Test) => {
  const store = createRedisLimits({ url: server?.url ?? '', after: patiently, warn: () => {} })
  t.teardown(() => store.close())
  await until(() => !store.isDown)
  return createConcurrency({ store, after })
}

t.test('instances share the places, and one’s end frees it for the other', { skip }, async (t) => {
  const [a, b] = [await openInstance(t), await openInstance(t)]
  const account = { tag: 'shared', name: '' }
  const [first, second] = [createEnding(), createEnding()]
  await a.hold(account, 'exports', first)
  await b.hold(account, 'exports', second)
  for (const { hold } of [a, b]) t.equal(await holdMany(() => hold(account, 'exports', createEnding()), 3), 0)
  const closedAt = performance.now()
  close(first)
  await until(async () => (await holdMany(() => b.hold(account, 'exports', createEnding()), 1)) === 1)
  t.ok(performance.now() - closedAt < leaseMs - renewEveryMs, 'by its end, not by that of its lease')
  t.equal(await holdMany(() => a.hold(account, 'exports', createEnding()), 3), 0)
  t.equal(await holdMany(() => a.hold(bolt, 'exports', createEnding()), 3), 2, 'others have their own')
})

t.test('the places of an instance that died come back when their leases end', { skip }, async (t) => {
  const { hold } = await openInstance(t)
  const redis = new Redis(server?.url ?? '')
  t.teardown(() => redis.disconnect())
  const key = 'certdata:{left}:running:exports'
  const left = { tag: 'left', name: '' }
  const [seconds = '0'] = await redis.time()
  const now = Number(seconds) * 1_000
  await redis.zadd(key, now + leaseMs, 'of-the-living', now - 1, 'of-the-dead')
  t.equal(await holdMany(() => hold(left, 'exports', createEnding()), 3), 1)
  const expires = await redis.pttl(key)
  t.ok(expires > 0 && expires <= leaseMs, 'and the key itself goes with the last of them')
  await redis.set('certdata:{odd}:running:exports', 'a text')
  const odd = { tag: 'odd', name: '' }
  t.equal(await holdMany(() => hold(odd, 'exports', createEnding()), 3), 2, 'what is spoilt is not believed')
})
