import { hash } from 'node:crypto'
import type { Representation } from '../http/encodings.ts'
import type { Stamped } from './stamped.ts'

/** An answer as it is stored and sent: bytes, never an object. */
export type Entry = Stamped &
  Readonly<{
    key: string
    /** The database's clock at the read: every commit before it is in this answer. `undefined` if unknown. */
    at?: string | undefined
    /** Whether the record does not exist; the body is then empty. */
    isAbsent: boolean
    body: Buffer
    /** Weak, over the identity body and its media type: the same for every content encoding. */
    etag: string
    /** Canonical path and query of the next page. `undefined` on the last page and on records. */
    next?: string | undefined
    /** Number of records, for the audit trail. */
    rows?: number | undefined
    /** Revision of the custom endpoint's document. */
    definition?: number | undefined
    encoded: Map<string, Promise<Buffer>>
  }>

/** The result of a fill. The cache adds the fields of the question and the epoch. */
export type Filled = Omit<Entry, 'customerId' | 'key' | 'dependsOn' | 'encoded' | 'freshAt' | 'epoch'> & {
  /** Start time of the primary that answered. `undefined` if a standby answered. */
  server?: string | undefined
  /** The newest mark that the standby shows. `undefined` if a primary answered. */
  standby?: string | undefined
}

/** Prefix hashed before a body, so that two media types never share a tag. */
export const tagPrefix = (mediaType: string): string => `${mediaType}\0`

/**
 * Returns a weak entity tag (RFC 9110 §8.8.3) of 132 bits, enough to avoid collisions over a service's
 * lifetime. `tagged`: the media type's `tagPrefix`, then the body.
 */
export const tagOf = (tagged: Buffer): string => `W/"${hash('sha256', tagged, 'base64url').slice(0, 22)}"`

/** Returns the entity tag of a body, see `tagOf`. */
export const createEtag = (mediaType: string, body: Buffer): string =>
  tagOf(Buffer.concat([Buffer.from(tagPrefix(mediaType)), body]))

/** Creates the representation of a text or file: bytes and entity tag. Encodings are added on first use. */
export const createRepresentation = (type: string, content: string | Buffer): Representation => {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  return { body, etag: createEtag(type, body), encoded: new Map() }
}
