import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectTo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createConcurrency } from '../../app/limits/concurrency.ts'
import type { SlotStore } from '../../app/limits/store.ts'
import { after } from '../../app/overload/timer.ts'
import { close, createEnding, type Ending, holdMany, readRefusal } from './holding.ts'
import { until } from './until.ts'

const acme = { tag: 'acme', name: '' }
const bolt = { tag: 'bolt', name: '' }

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

t.test('at most 2 exports and 10 long polls run per kind and customer, and the next is 429', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  for (const [kind, quota, seconds] of [
    ['exports', 2, '5'],
    ['long_polls', 10, '1'],
  ] as const) {
    t.equal(await holdMany(() => hold(acme, kind, createEnding()), 20), quota, kind)
    t.match(await readRefusal(hold(acme, kind, createEnding())), {
      code: 'quota_exceeded',
      status: 429,
      extras: { violatedPolicies: [kind], headers: { 'retry-after': seconds } },
    })
  }
  t.equal(await holdMany(() => hold(bolt, 'exports', createEnding()), 20), 2)
  const addresses = ['192.0.2.1', '192.0.2.2'].map((name) => ({ tag: 'demo', name }))
  for (const address of addresses) {
    t.equal(await holdMany(() => hold(address, 'exports', createEnding()), 3), 2)
  }
})

t.test('at most 100 clients of the demo wait at the same time, for all addresses', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  const endings: Ending[] = []
  const wait = (index: number, tag = 'demo') => {
    const ending = createEnding()
    endings.push(ending)
    return hold({ tag, name: `192.0.2.${index}` }, 'long_polls', ending)
  }
  let next = 0
  t.equal(await holdMany(() => wait(next++), 250), 100)
  t.match(await readRefusal(wait(next)), { status: 429, extras: { violatedPolicies: ['long_polls'] } })
  t.equal(await holdMany(() => wait(next++, 'acme'), 20), 20, 'a customer has its own places')
  for (const ending of endings) close(ending)
  t.equal(await holdMany(() => wait(next++), 250), 100, 'places are free again')
})

t.test('the end of a request frees its slot once, and an ended request holds none', async (t) => {
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

t.test('a response frees its slot when it ends and when its client leaves', async (t) => {
  const { hold } = createConcurrency({ store: undefined, after })
  const server = createServer(async (request, response) => {
    const refusal = await readRefusal(hold(acme, 'exports', response))
    response.writeHead(refusal ? 429 : 200).flushHeaders()
    if (refusal || request.url === '/done') response.end()
  }).listen(0)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/done`)).status
  for (let i = 0; i < 4; i++) {
    let status = await ask()
    // The client may receive the whole answer before the server closes it.
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

t.test('follows a refusal of the store, and decides alone without an answer', async (t) => {
  let answer: boolean | undefined = false
  const { store } = createFakeStore(() => answer)
  const timer = createTimer()
  const { hold } = createConcurrency({ store, after: timer.after })
  t.equal(await holdMany(() => hold(acme, 'exports', createEnding()), 5), 0)
  answer = undefined
  t.equal(await holdMany(() => hold(acme, 'exports', createEnding()), 5), 2, 'and nothing was kept by the no')
})

t.test('a slot is renewed while it is held, and released when it ends', async (t) => {
  const { store, asked } = createFakeStore(() => true)
  const timer = createTimer()
  const { hold } = createConcurrency({ store, after: timer.after })
  const ending = createEnding()
  await hold(acme, 'exports', ending)
  for (let i = 0; i < 3; i++) {
    timer.fire()
    await turn()
  }
  const [first = ''] = asked
  t.same(asked, [first, first, first, first])
  close(ending)
  t.equal(timer.count(), 0)
  t.same(asked.at(-1), first.replace('hold', 'release'))
})
