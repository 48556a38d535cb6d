import { createHash } from 'node:crypto'

/** An answer as it is stored and sent: bytes, never an object. */
export type Entry = {
  /** First part of every key, and checked again when an entry comes from Redis. */
  customerId: string
  key: string
  /** `pg_current_snapshot()` of the statement that read it: what the answer shows. */
  snapshot: string
  /** Monotonic milliseconds; when, at the latest, something newer may exist that it does not show. */
  staleAt: number
  body: Buffer
  /** Weak, over the identity body and its media type: the same for every content encoding. */
  etag: string
  /** Path and query of the next page, canonical; absent on the last and on records. */
  next?: string
  /** Records in the body, for the audit trail. */
  rows?: number
  /** Encoded bodies, made once when first asked. */
  encoded: Map<string, Promise<Buffer>>
}

/** What a fill yields; the cache adds key, customer and age. */
export type Filled = { snapshot: string; body: Buffer; etag: string; next?: string; rows?: number }

/** Weak entity tag (RFC 9110 §8.8.3) of 132 bits: no two bodies of a service's life share one. */
export const createEtag = (mediaType: string, body: Buffer): string =>
  `W/"${createHash('sha256').update(mediaType).update('\0').update(body).digest('base64url').slice(0, 22)}"`
