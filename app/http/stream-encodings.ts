import { pipeline, type Readable } from 'node:stream'
import zlib from 'node:zlib'
import type { Encoding } from './encodings.ts'

/** Levels for what is compressed once and sent once: where more effort begins to cost more time than it saves. */
const create = {
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: () => zlib.createZstdCompress(),
  gzip: () => zlib.createGzip({ level: 3 }),
} satisfies Record<Encoding, () => unknown>

/**
 * Returns the stream in a content coding. Memory is bounded by the coding's window. An error of the source ends the
 * answer with that error. Destroying the answer destroys the source.
 */
export const encodeStream = (source: Readable, encoding: Encoding | undefined): Readable => {
  if (!encoding) return source
  return pipeline(source, create[encoding](), () => {})
}
