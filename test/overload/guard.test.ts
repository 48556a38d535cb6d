import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { guardServer } from '../../app/overload/guard.ts'

/** A service in which there is room for nobody, and whom it holds. */
const openFull = async (hasRoom: boolean) => {
  const held: string[] = []
  const server = createServer((_request, response) => response.end('answered'))
  const admission = {
    hasRoom: () => hasRoom,
    judge: () => 'shed' as const,
    hold: (holder: string) => {
      held.push(holder)
      return () => {}
    },
    active: 0,
  }
  const rest = { publicUrl: 'http://api.test', demoToken: 'demo', headers: () => ({}), onShed: () => {} }
  guardServer(server, { admission, ...rest, isHeld: () => false })
  // Nothing is held for what has ended at once.
  server.prependListener('request', (_request, response) => {
    const { end } = response
    response.end = ((...given: Parameters<typeof end>) => {
      setImmediate(() => end.apply(response, given))
      return response
    }) as typeof end
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { held, ask: async (path: string) => (await fetch(origin + path)).status }
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
  for (const path of ['/v1/changes?wait=25', '/changes', '/webapi/v1/api.php/changes?after=x'])
    await ask(path)
  t.equal(held.length, 0)
  const others = ['/v1/products?name=/changes', '/v1/products/changes', '/v1/changes/1', '/v1/products']
  for (const path of others) await ask(path)
  t.equal(held.length, others.length)
})
