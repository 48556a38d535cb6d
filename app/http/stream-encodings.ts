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
 * The stream in a content coding, with as much in memory as the coding looks back. What ends one of them ends
 * the other: an error of the source is the answer's, and whoever destroys the answer destroys the source.
 */
export const encodeStream = (source: Readable, encoding: Encoding | undefined): Readable => {
  if (!encoding) return source
  return pipeline(source, create[encoding](), () => {})
}
