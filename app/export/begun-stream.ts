import type { Readable } from 'node:stream'
import type { Ending } from '../limits/concurrency.ts'

/**
 * The stream once it has something to give, or its end: what fails before is an error like any other, and rejects,
 * so that it is answered and not cut. The stream is destroyed when `ending` closes before it has ended.
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
