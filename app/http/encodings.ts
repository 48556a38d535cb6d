import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import pLimit from 'p-limit'

/**
 * A response body with its encoded forms, which are created on first use. `isLasting`: it is the same until the service
 * ends, so that a smaller form is worth a quarter of a second.
 */
export type Representation = Readonly<{
  body: Buffer
  etag: string
  encoded: Map<string, Promise<Buffer>>
  isLasting?: true
}>

export const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** A smaller body fits into one packet anyway. */
const smallestBytes = 1024

const brotli = promisify(zlib.brotliCompress)
const zstd = promisify(zlib.zstdCompress)
const gzip = promisify(zlib.gzip)

const compress: Record<Encoding, (entry: Representation) => Promise<Buffer>> = {
  // The default, 11, takes too long for a body that changes.
  br: ({ body, isLasting }) =>
    brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: isLasting ? 11 : 5 } }),
  zstd: ({ body }) => zstd(body),
  gzip: ({ body }) => gzip(body),
}

export const isEncodable = (entry: Representation): boolean => entry.body.length >= smallestBytes

/** One core stays free for the event loop. */
const limitToCores = pLimit(Math.max(1, availableParallelism() - 1))

/** zlib's result would keep its whole 16 KiB buffer in memory. */
const exact = (encoded: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(encoded.length)
  encoded.copy(copy)
  return copy
}

/** Returns the encoded body. All callers share one result. After a failure, the next caller tries again. */
export const encodedBody = (entry: Representation, encoding: Encoding): Promise<Buffer> => {
  let encoded = entry.encoded.get(encoding)
  if (!encoded) {
    encoded = limitToCores(async () => exact(await compress[encoding](entry)))
    entry.encoded.set(encoding, encoded)
    encoded.catch(() => entry.encoded.delete(encoding))
  }
  return encoded
}
