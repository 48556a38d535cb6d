import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** As much as Node reads at once otherwise. */
const readBytes = 64 * 1024

type Take = (bytes: Buffer) => void

const takers = new WeakMap<Duplex, Take>()

/**
 * A socket for the driver that reads into the same memory each time: else a long answer is new memory for each
 * read, and the process grows until the collector comes. What it emits is copied, for the driver keeps it.
 */
export const createSocket = (): Socket => {
  const callback = (size: number, memory: Uint8Array): boolean => {
    const bytes = (memory as Buffer).subarray(0, size)
    const take = takers.get(socket)
    if (take) take(bytes)
    else socket.emit('data', Buffer.from(bytes))
    return true
  }
  const socket = new Socket({ onread: { buffer: Buffer.allocUnsafeSlow(readBytes), callback } })
  return socket
}

/** The driver, which does not hear of its socket. */
type Diverted = Readonly<{
  /** Gives it bytes all the same. */
  tell: Take
  /** Gives it bytes, and all that come after them. */
  giveBack: Take
}>

/**
 * Has `take` told of what arrives in place of the driver; its bytes are good until it returns. For any socket (one
 * with TLS is not ours) that the driver alone reads.
 */
export const divert = (socket: Duplex, take: Take): Diverted => {
  const [driver, ...more] = socket.listeners('data') as Take[]
  if (!driver || more.length > 0) throw new Error('the connection is not read by the driver alone')
  takers.set(socket, take)
  socket.off('data', driver).on('data', take)
  return {
    tell: driver,
    giveBack(bytes) {
      takers.delete(socket)
      socket.off('data', take).on('data', driver)
      driver(bytes)
    },
  }
}
