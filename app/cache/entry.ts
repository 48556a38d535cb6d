import { hash } from 'node:crypto'
import type { Representation } from '../http/encodings.ts'
import type { Stamped } from './stamped.ts'

export type StoredEntry = Stamped &
  Readonly<{
    key: string
    /** The record does not exist, and the body is empty. */
    isAbsent: boolean
    body: Buffer
    etag: string
    /** Canonical path and query of the next page. */
    next?: string | undefined
    rows?: number | undefined
    definition?: number | undefined
    encoded: Map<string, Promise<Buffer>>
  }>

export type CacheEntry = StoredEntry &
  Readonly<{
    /** Reads the data again, for the probe. */
    fill: () => Promise<Filled>
  }>

export type Filled = Omit<
  StoredEntry,
  'customerId' | 'key' | 'dependsOn' | 'encoded' | 'freshAt' | 'epoch'
> & {
  /** Start time of the primary that responded. `undefined` if a standby did. */
  server?: string | undefined
  /** The newest mark that the standby shows. `undefined` if a primary responded. */
  standby?: string | undefined
}

export type ReadRequest = {
  customerId: string
  key: string
  dependsOn: readonly string[]
  fill: () => Promise<Filled>
  fillFromReplica?: (() => Promise<Filled>) | undefined
  noCache: boolean
}

/** Hashed before a body, so that two media types never share a tag. */
export const tagPrefix = (mediaType: string): string => `${mediaType}\0`

/** Returns a weak entity tag (RFC 9110 §8.8.3) of 132 bits. `tagged`: `tagPrefix()`, then the body. */
export const computeTag = (tagged: Buffer): string =>
  `W/"${hash('sha256', tagged, 'base64url').slice(0, 22)}"`

/** Returns the entity tag of a body. */
export const createEtag = (mediaType: string, body: Buffer): string =>
  computeTag(Buffer.concat([Buffer.from(tagPrefix(mediaType)), body]))

/** Creates the representation of a text or file. Compressed forms are added on first use. */
export const createRepresentation = (type: string, content: string | Buffer): Representation => {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  return { body, etag: createEtag(type, body), encoded: new Map() }
}
