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

export type Principal = Readonly<{
  /** `demo`: the published token, which sees example data only. */
  kind: 'live' | 'demo'
  customerId: string
  keyId: string
  scopes: ReadonlySet<string> | undefined
  /** Not set if the token has all scopes of its key. */
  keyScopes?: ReadonlySet<string>
  expiringWithin: number
  plan: Plan
  /** The earlier expiry of token and key, in milliseconds since 1970. Not set for the demo. */
  expiresAtMs?: number
  isSuspended?: true
}>

/** Owns the example data and has no keys. */
export const demoCustomerId = 'demo'
