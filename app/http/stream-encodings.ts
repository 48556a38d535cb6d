import { pipeline, type Readable } from 'node:stream'
import zlib from 'node:zlib'
import type { Encoding } from './encodings.ts'

/** Higher levels cost more time than they save for a body that is sent only once. */
const create = {
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: () => zlib.createZstdCompress(),
  gzip: () => zlib.createGzip({ level: 3 }),
} satisfies Record<Encoding, () => unknown>

/** Encodes a stream. Errors of the source destroy the result, and its destruction the source. */
export const encodeStream = (source: Readable, encoding: Encoding | undefined): Readable => {
  if (!encoding) return source
  return pipeline(source, create[encoding](), () => {})
}
