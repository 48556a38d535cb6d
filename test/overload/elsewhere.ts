import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

// Another service of the machine that refuses all it is asked, as late as held refusals come: says its port to whoever
// forked it. A flood that goes there costs the machine what it costs here, but for the process that others wait for.
const held = { leastMs: 250, mostMs: 1_000 }

const server = createServer(async (_request, response) => {
  await delay(held.leastMs + Math.random() * (held.mostMs - held.leastMs))
  response.writeHead(429, { 'retry-after': '1' }).end()
})
server.listen(0, 'localhost', () => process.send?.((server.address() as AddressInfo).port))

// Whoever forked it is gone.
process.once('disconnect', () => process.exit())
