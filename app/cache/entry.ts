import { hash } from 'node:crypto'
import type { Representation } from '../http/encodings.ts'
import type { Stamped } from './stamped.ts'

/** An answer as it is stored and sent: bytes, never an object. What it depends on is judged by the fence. */
export type Entry = Stamped &
  Readonly<{
    key: string
    /** The database's clock when it was read: every commit before it is in this answer. Absent: not known. */
    at?: string | undefined
    /** There is no such record: as much an answer as any, and without a body. */
    isAbsent: boolean
    body: Buffer
    /** Weak, over the identity body and its media type: the same for every content encoding. */
    etag: string
    /** Path and query of the next page, canonical; absent on the last and on records. */
    next?: string | undefined
    /** Records in it, for the audit trail. */
    rows?: number | undefined
    /** Revision of the custom endpoint's document that it follows. */
    definition?: number | undefined
    /** Encoded bodies, made once when first asked. */
    encoded: Map<string, Promise<Buffer>>
  }>

/** What a fill yields; the cache adds what the question says, and the epoch. */
export type Filled = Omit<Entry, 'customerId' | 'key' | 'dependsOn' | 'encoded' | 'freshAt' | 'epoch'> & {
  /** When the primary that was asked was started; absent: a standby was asked. */
  server?: string | undefined
  /** The newest mark that the standby shows which was asked; absent: a primary was asked. */
  standby?: string | undefined
}

/** What is hashed before a body, so that two media types never share a tag. */
export const tagPrefix = (mediaType: string): string => `${mediaType}\0`

/**
 * Weak entity tag (RFC 9110 §8.8.3) of 132 bits: no two bodies of a service's life share one. `tagged`: the
 * media type's `tagPrefix`, then the body.
 */
export const tagOf = (tagged: Buffer): string => `W/"${hash('sha256', tagged, 'base64url').slice(0, 22)}"`

/** The same of a body by itself. */
export const createEtag = (mediaType: string, body: Buffer): string =>
  tagOf(Buffer.concat([Buffer.from(tagPrefix(mediaType)), body]))

/** Text as it is sent: its bytes, their tag, and encodings made once when first asked. */
export const createRepresentation = (type: string, text: string): Representation => {
  const body = Buffer.from(text)
  return { body, etag: createEtag(type, body), encoded: new Map() }
}
