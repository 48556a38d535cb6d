import type { Representation } from '../cache/encodings.ts'
import { createEtag } from '../cache/entry.ts'

/** Text as it is sent: its bytes, their tag, and encodings made once when first asked. */
export const createRepresentation = (type: string, text: string): Representation => {
  const body = Buffer.from(text)
  return { body, etag: createEtag(type, body), encoded: new Map() }
}
