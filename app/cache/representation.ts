import type { Representation } from '../http/encodings.ts'
import { createEtag } from './entry.ts'

/** Text as it is sent: its bytes, their tag, and encodings made once when first asked. */
export const createRepresentation = (type: string, text: string): Representation => {
  const body = Buffer.from(text)
  return { body, etag: createEtag(type, body), encoded: new Map() }
}
