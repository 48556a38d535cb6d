import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import pLimit from 'p-limit'

/** A body, its tag and its encoded forms. Each form is made once, on first use. */
export type Representation = Readonly<{ body: Buffer; etag: string; encoded: Map<string, Promise<Buffer>> }>

/** In order of preference where a client likes several equally. */
export const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Below this an encoded body saves no packet. */
const smallestBytes = 1024

const brotli = promisify(zlib.brotliCompress)
const zstd = promisify(zlib.zstdCompress)
const gzip = promisify(zlib.gzip)

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  // The default, 11, is meant for files compressed once and served for months.
  br: (body) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (body) => zstd(body),
  gzip: (body) => gzip(body),
}

/** Whether it is worth encoding this entry at all. */
export const isEncodable = (entry: Representation): boolean => entry.body.length >= smallestBytes

/**
 * How many bodies are encoded at a time. Each encoding keeps one thread busy. With one thread for every core, the
 * event loop would lose its own. A body that waits here has allocated no buffers yet.
 */
const atOnce = pLimit(Math.max(1, availableParallelism() - 1))

/** A copy of its own size: what zlib returns is the beginning of 16 KiB, all of which would be kept with it. */
const exact = (encoded: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(encoded.length)
  encoded.copy(copy)
  return copy
}

/** The entry's body in an encoding, made once however many ask. */
export const encodedBody = (entry: Representation, encoding: Encoding): Promise<Buffer> => {
  let encoded = entry.encoded.get(encoding)
  if (!encoded) {
    encoded = atOnce(async () => exact(await compress[encoding](entry.body)))
    entry.encoded.set(encoding, encoded)
  }
  return encoded
}
