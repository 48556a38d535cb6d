import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { makeCertificate } from '../../test/api/sockets.ts'
import { readRssBytes, type Stage } from './stage.ts'

type Order = { cert: string; key: string; bytes: number }
export type Bare = Pick<Stage, 'port' | 'authorization' | 'rssBytes' | 'close'>

const runAsProcess = async ({ cert, key, bytes }: Order): Promise<void> => {
  const body = 'x'.repeat(bytes)
  const files = { cert: readFileSync(cert), key: readFileSync(key), allowHTTP1: true }
  const server = createSecureServer(files, (_, response) => response.end(body))
  // Longer than a crowd stays connected.
  Object.assign(server, { keepAliveTimeout: 600_000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
}

/** Starts a plain Node server without the service's code. Its memory per connection is the minimum. */
export const openBare = async (bytes: number): Promise<Bare> => {
  const { cert, key, remove } = makeCertificate()
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--max-semi-space-size=8'] })
  child.send({ cert, key, bytes } satisfies Order)
  const [port] = await once(child, 'message')
  return {
    port,
    authorization: 'Bearer none',
    rssBytes: () => readRssBytes(child.pid as number),
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      remove()
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit(0))
  process.once('message', (order: Order) => void runAsProcess(order))
}
