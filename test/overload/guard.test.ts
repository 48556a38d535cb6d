import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { guardServer } from '../../app/overload/guard.ts'
import { createTurns, ofRequests } from '../../app/overload/turns.ts'
import { until } from '../helper.ts'

/** A service behind the guard, and how many requests it holds. */
const openGuarded = async (hasRoom: boolean, answer: RequestListener) => {
  const held = { now: 0 }
  const server = createServer(answer)
  const admission = {
    hasRoom: () => hasRoom,
    judge: () => 'shed' as const,
    hold: () => {
      held.now += 1
      let isHeld = true
      return () => {
        if (isHeld) held.now -= 1
        isHeld = false
      }
    },
    active: 0,
  }
  const rest = { publicUrl: 'http://api.test', demoToken: 'demo', headers: () => ({}), onShed: () => {} }
  const ways = { answerFast: () => false, isHeld: () => false, turns: createTurns(ofRequests) }
  guardServer(server, { admission, ...rest, ...ways })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { port, held }
}

/** One in which there is room for nobody, and how many it holds while each of its requests waits. */
const openFull = async (hasRoom: boolean) => {
  const heldAt: number[] = []
  // The guard's own part is done by then.
  const { port, held } = await openGuarded(hasRoom, (_request, response) => {
    setImmediate(() => {
      heldAt.push(held.now)
      response.end('answered')
    })
  })
  // As it is written: a URL of fetch has no absolute form.
  const ask = async (path: string) => {
    const [answer] = (await once(get({ port, path, agent: false }), 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  return { held: heldAt, ask }
}

t.test('probes and figures come through, and nothing that only looks like them', async (t) => {
  const { ask } = await openFull(false)
  for (const path of ['/health/live', '/health/ready', '/health/ready?from=haproxy', '/metrics'])
    t.equal(await ask(path), 200, path)
  for (const path of ['/health/', '/health/flood', '/health/live/flood', '/metricsflood', '/v1/products'])
    t.equal(await ask(path), 503, path)
})

t.test('only a long poll holds no room, whatever a query says', async (t) => {
  const { ask, held } = await openFull(true)
  const parked = ['/v1/changes?wait=25', '/changes', '/webapi/v1/api.php/changes?after=x', '/v1/%63hanges']
  parked.push('http://api.test/v1/changes?wait=25')
  for (const path of parked) await ask(path)
  t.same(
    held,
    parked.map(() => 0),
  )
  const others = [
    '/v1/products?name=/changes',
    '/v1/products/changes',
    '/v1/changes/1',
    '/v1/products',
    '/%zz',
    'http://api.test/v1/products',
    'http://api.test/v1/products?name=http://api.test/v1/changes',
  ]
  for (const path of others) await ask(path)
  t.same(
    held.slice(parked.length),
    others.map(() => 1),
  )
})

t.test(
  'room is given back as an answer is handed over, also where another has to go out before',
  async (t) => {
    const answers: ServerResponse[] = []
    const { port, held } = await openGuarded(true, (_request, response) => answers.push(response))
    const socket = connect(port, '127.0.0.1')
    const request = 'GET /v1/products HTTP/1.1\r\nhost: x\r\n\r\n'
    socket.write(request + request)
    await until('both have arrived', () => answers.length === 2)
    const [first, second] = answers as [ServerResponse, ServerResponse]
    t.equal(held.now, 2)
    t.notOk(
      Object.hasOwn(first, 'end'),
      'as it is: with an `end` of its own it is kept until a full collection',
    )
    second.end('second')
    t.equal(held.now, 1)
    first.end('first')
    t.equal(held.now, 0)
    socket.destroy()
  },
)
