import type { Plan } from '../db/schema.ts'

/** Days before its end in which a certificate counts as expiring. */
export const defaultExpiringWithin = 90

/** From the database, not from the token. */
export type CustomerFacts = Readonly<{
  customerId: string
  plan: Plan
  suspended: boolean
  expiringWithin: number
}>

/** A key as its customer sees it. `expires_at`: RFC 3339, UTC, six decimals; null = never. */
export type KeySummary = Readonly<{ id: string; name: string | null; expires_at: string | null }>

export type Principal = Readonly<{
  /** `demo`: the published token, which sees example data only. */
  kind: 'live' | 'demo'
  customerId: string
  keyId: string
  /** Not set for the demo, which has no key. */
  key?: KeySummary
  /** `undefined` = every scope except `onlyNamedScopes`. */
  scopes: ReadonlySet<string> | undefined
  /** Scopes of the key, for error messages. Not set if the token was issued for every scope. */
  keyScopes?: ReadonlySet<string>
  expiringWithin: number
  plan: Plan
  /** The earlier expiry of token and key, in milliseconds since 1970. Not set for the demo. */
  expiresAtMs?: number
  isSuspended?: true
}>

/** Owns the example data and has no keys. */
export const demoCustomerId = 'demo'
