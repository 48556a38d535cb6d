import { Readable } from 'node:stream'
import type { OpenSnapshot } from './snapshot.ts'

/** A client that takes nothing for so long is given up: it holds a connection. */
const stallMs = 60_000

/**
 * The snapshot as bytes, read as fast as they are taken and no faster. Closed at its end, on an error, and when
 * it is destroyed, which is what a client's disconnection does. An error destroys the stream, so that the answer
 * is cut and no client takes a part for the whole.
 */
export const streamSnapshot = (snapshot: OpenSnapshot, patienceMs = stallMs): Readable => {
  let patience: NodeJS.Timeout | undefined
  const stream = new Readable({
    read() {
      clearTimeout(patience)
      snapshot.next().then(
        (lines) => {
          if (stream.destroyed) return
          patience = setTimeout(() => stream.destroy(new Error('the client takes nothing')), patienceMs)
          stream.push(lines ?? null)
        },
        (error: Error) => stream.destroy(error),
      )
    },
    destroy(error, callback) {
      clearTimeout(patience)
      snapshot.close().then(
        () => callback(error),
        (cause: Error) => callback(error ?? cause),
      )
    },
  })
  return stream
}
