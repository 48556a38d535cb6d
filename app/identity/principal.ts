import type { Plan } from '../db/schema.ts'

/** Default number of days before its end in which a certificate counts as expiring. */
export const defaultExpiringWithin = 90

/** Current facts about a customer, always from the database and never from the token. */
export type CustomerFacts = Readonly<{
  customerId: string
  plan: Plan
  suspended: boolean
  /** Days before its end in which a certificate counts as expiring, 1–365. */
  expiringWithin: number
}>

export type Principal = Readonly<{
  /** `demo`: the published token, limited to example data. */
  kind: 'live' | 'demo'
  customerId: string
  keyId: string
  /** Scopes of the token; undefined = every scope. */
  scopes: ReadonlySet<string> | undefined
  /** Scopes of the key. Optional. Not set if the token has all of them. */
  keyScopes?: ReadonlySet<string>
  expiringWithin: number
  plan: Plan
  /** Earlier expiry of token and key, in milliseconds since 1970. Optional. Never expires by default. */
  expiresAtMs?: number
  /** Only set for a suspended customer. */
  isSuspended?: true
}>

/** Customer that owns the example data. No key is ever issued for it. */
export const demoCustomerId = 'demo'
