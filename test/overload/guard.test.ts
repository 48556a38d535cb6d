import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { guardServer } from '../../app/overload/guard.ts'
import { createTurns, ofRequests } from '../../app/overload/turns.ts'

/** A service in which there is room for nobody, and how many it holds while each of its requests waits. */
const openFull = async (hasRoom: boolean) => {
  const held: number[] = []
  let holding = 0
  // The guard's own part is done by then.
  const server = createServer((_request, response) => {
    setImmediate(() => {
      held.push(holding)
      response.end('answered')
    })
  })
  const admission = {
    hasRoom: () => hasRoom,
    judge: () => 'shed' as const,
    hold: () => {
      holding += 1
      let isHeld = true
      return () => {
        if (isHeld) holding -= 1
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
  // As it is written: a URL of fetch has no absolute form.
  const ask = async (path: string) => {
    const [answer] = (await once(get({ port, path, agent: false }), 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  return { held, ask }
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
