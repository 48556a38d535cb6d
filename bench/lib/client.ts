import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** `head`: status line and fields, as text. */
export type Answered = { status: number; head: string; bytes: number }

export type Connection = {
  send(request: string): void
  close(): void
}

export const requestText = (path: string, headers: Readonly<Record<string, string>>): string => {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${fields.join('')}\r\n`
}

/** Shared by all connections: each read is parsed before the next. */
const readBuffer = Buffer.alloc(256 * 1024)

const headEnd = Buffer.from('\r\n\r\n')
const lengthPattern = /\r\ncontent-length: (\d+)/i

const bodyLength = (status: number, head: string): number => {
  if (status === 204 || status === 304) return 0
  const length = lengthPattern.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`)
  return Number(length)
}

/** Calls `onAnswer` for each answer. Counts and drops bodies. A head may arrive in several reads. */
const createReader = (onAnswer: (answered: Answered) => void) => {
  let begun: Buffer = Buffer.alloc(0)
  let answered: Answered | undefined
  let left = 0
  return (chunk: Buffer): void => {
    let rest = begun.length > 0 ? Buffer.concat([begun, chunk]) : chunk
    begun = Buffer.alloc(0)
    while (rest.length > 0 || (answered && left === 0)) {
      if (!answered) {
        const end = rest.indexOf(headEnd)
        if (end === -1) {
          begun = Buffer.from(rest)
          return
        }
        const head = rest.toString('latin1', 0, end)
        const status = Number(head.slice(9, 12))
        left = bodyLength(status, head)
        answered = { status, head, bytes: left }
        rest = rest.subarray(end + headEnd.length)
      }
      const taken = Math.min(left, rest.length)
      left -= taken
      rest = rest.subarray(taken)
      if (left > 0) return
      const done = answered
      answered = undefined
      onAnswer(done)
    }
  }
}

/**
 * A keep-alive HTTP/1.1 client that needs only a few microseconds per request, because generator and server
 * share the machine. Answers need a Content-Length. `onCut`: the connection ended, possibly during an answer.
 */
export const openConnection = async (
  url: string,
  onAnswer: (answered: Answered) => void,
  onCut: (error?: Error) => void,
): Promise<Connection> => {
  const { hostname, port } = new URL(url)
  let isClosed = false
  const end = (error?: Error) => {
    if (isClosed) return
    isClosed = true
    socket.destroy()
    onCut(error)
  }
  const read = createReader(onAnswer)
  // With a fixed buffer. A new one per read would make garbage collection most of the generator's cost.
  const onread = {
    buffer: readBuffer,
    callback: (bytes: number, buffer: Uint8Array) => {
      try {
        read(buffer.subarray(0, bytes) as Buffer)
      } catch (error) {
        end(error as Error)
      }
      return true
    },
  }
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
  await once(socket, 'connect')
  socket.on('error', end).on('close', () => end())
  return {
    send: (request) => void socket.write(request, 'latin1'),
    close: () => {
      isClosed = true
      socket.destroy()
    },
  }
}

/** Opens a connection for requests one after another. */
export const openAsker = async (
  url: string,
): Promise<{ ask(request: string): Promise<Answered & { ms: number }>; close(): void }> => {
  let settle: PromiseWithResolvers<Answered & { ms: number }> | undefined
  let sentAt = 0
  const connection = await openConnection(
    url,
    (answered) => settle?.resolve({ ...answered, ms: performance.now() - sentAt }),
    (error) => settle?.reject(error ?? new Error(`${url} closed the connection`)),
  )
  return {
    ask(request) {
      settle = Promise.withResolvers()
      sentAt = performance.now()
      connection.send(request)
      return settle.promise
    },
    close: connection.close,
  }
}
