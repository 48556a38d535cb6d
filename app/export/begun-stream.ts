import type { Readable } from 'node:stream'
import type { Ending } from '../limits/concurrency.ts'

/**
 * Resolves once the stream has its first bytes or its end. Rejects on an earlier error, which can then still become
 * a problem document. Destroys the stream when `ending` closes.
 */
export const begunStream = (stream: Readable, ending: Ending): Promise<Readable> => {
  if (ending.destroyed) stream.destroy()
  else ending.once('close', () => stream.destroy())
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) => {
      stream.off('readable', settle).off('error', settle).off('close', settle)
      if (error) reject(error)
      else resolve(stream)
    }
    stream.on('readable', settle).on('error', settle).on('close', settle)
  })
}
