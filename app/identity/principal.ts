import type { Plan } from '../db/schema.ts'

/** Days before its end in which a certificate counts as expiring. */
export const defaultExpiringWithin = 90

/** Current facts about a customer, from the database and not from the token. */
export type CustomerFacts = Readonly<{
  customerId: string
  plan: Plan
  suspended: boolean
  expiringWithin: number
}>

export type Principal = Readonly<{
  /** `demo`: the published token, limited to example data. */
  kind: 'live' | 'demo'
  customerId: string
  keyId: string
  scopes: ReadonlySet<string> | undefined
  /** Scopes of the key. Not set if the token has all of them. */
  keyScopes?: ReadonlySet<string>
  expiringWithin: number
  plan: Plan
  /** Earlier expiry of token and key, in milliseconds since 1970. Not set if they never expire. */
  expiresAtMs?: number
  isSuspended?: true
}>

/** Owns the example data and has no keys. */
export const demoCustomerId = 'demo'
