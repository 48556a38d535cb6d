import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import pLimit from 'p-limit'

/** Encoded forms are created on first use. */
export type Representation = Readonly<{ body: Buffer; etag: string; encoded: Map<string, Promise<Buffer>> }>

export const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Encoding smaller bodies saves no packet. */
const smallestBytes = 1024

const brotli = promisify(zlib.brotliCompress)
const zstd = promisify(zlib.zstdCompress)
const gzip = promisify(zlib.gzip)

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  // The default quality, 11, is for files that are compressed once.
  br: (body) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (body) => zstd(body),
  gzip: (body) => gzip(body),
}

/** Whether the body is large enough to encode. */
export const isEncodable = (entry: Representation): boolean => entry.body.length >= smallestBytes

/** Each encoding keeps a thread busy. One core stays free for the event loop. */
const atOnce = pLimit(Math.max(1, availableParallelism() - 1))

/** zlib returns a part of a 16 KiB buffer, all of which would stay in memory. */
const exact = (encoded: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(encoded.length)
  encoded.copy(copy)
  return copy
}

/** Returns the body in an encoding. Concurrent callers share one result. */
export const encodedBody = (entry: Representation, encoding: Encoding): Promise<Buffer> => {
  let encoded = entry.encoded.get(encoding)
  if (!encoded) {
    encoded = atOnce(async () => exact(await compress[encoding](entry.body)))
    entry.encoded.set(encoding, encoded)
  }
  return encoded
}
