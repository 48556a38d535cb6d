import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { page, type Stage } from './stage.ts'

export const protocols = ['HTTP/1.1', 'HTTP/2'] as const
type Protocol = (typeof protocols)[number]

type Order = { port: number; authorization: string; protocol: Protocol; count: number }

/** Clients that connect, send one request, and stay connected without another. */
export type Crowd = {
  count(): Promise<number>
  leave(): Promise<void>
}

/** Number of clients that connect at the same time. */
const atOnce = 50
const openWithinMs = 60_000

const openHttp1 = async ({ port, authorization }: Order, onClose: () => void): Promise<void> => {
  const to = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
  const socket = connectTls(to).on('error', () => {})
  socket.once('close', onClose)
  await once(socket, 'secureConnect')
  socket.write(`GET ${page} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`)
  const [head] = await once(socket, 'data')
  if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(String(head))
  socket.resume()
}

const openHttp2 = async ({ port, authorization }: Order, onClose: () => void): Promise<void> => {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  session.on('error', () => {}).once('close', onClose)
  const stream = session.request({ ':path': page, authorization })
  const [{ ':status': status }] = await once(stream, 'response')
  if (status !== 200) throw new Error(`status ${status}`)
  await stream.toArray()
}

const runAsProcess = async (order: Order): Promise<void> => {
  let open = 0
  let left = order.count
  const onClose = () => {
    open -= 1
  }
  const connectInTurn = async () => {
    while (left > 0) {
      left -= 1
      open += 1
      await (order.protocol === 'HTTP/2' ? openHttp2 : openHttp1)(order, onClose)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, connectInTurn))
  process.on('message', () => process.send?.(open))
  process.send?.(open)
}

const hear = async (child: ChildProcess): Promise<number> => {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(openWithinMs)])
  const gone = once(child, 'exit', { signal }).then(() =>
    Promise.reject(new Error('the process of the crowd has exited')),
  )
  try {
    const [count] = await Promise.race([once(child, 'message', { signal }), gone])
    return count
  } finally {
    // Nothing awaits the other event any more.
    gone.catch(() => {})
    over.abort()
  }
}

/** Opens this many connections from a separate process. Resolves when each has received its answer. */
export const openCrowd = async (
  { port, authorization }: Pick<Stage, 'port' | 'authorization'>,
  protocol: Protocol,
  count: number,
): Promise<Crowd> => {
  const child = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.send({ port, authorization, protocol, count } satisfies Order)
  await hear(child)
  return {
    async count() {
      child.send('count')
      return hear(child)
    },
    async leave() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit(0))
  process.once('message', (order: Order) => {
    runAsProcess(order).catch((error: unknown) => {
      process.stderr.write(`crowd: ${error}\n`)
      process.exit(1)
    })
  })
}
