import type { Plan } from '../db/schema.ts'

/** Days before its end in which a certificate counts as expiring, unless the customer's setting says another. */
export const defaultExpiringWithin = 90

/** Facts of the moment about a key and its customer; read from the database, never from the token. */
export type CustomerFacts = Readonly<{
  customerId: string
  plan: Plan
  suspended: boolean
  /** Days before its end in which a certificate counts as expiring, 1–365. */
  expiringWithin: number
}>

/** Who is asking. */
export type Principal = Readonly<{
  /** `demo`: the published token, example data only. */
  kind: 'live' | 'demo'
  customerId: string
  keyId: string
  /** Scopes of the token; undefined = every scope. */
  scopes: ReadonlySet<string> | undefined
  /** Scopes of the key, known if the token lists its own. Unset: the token has every scope of the key. */
  keyScopes?: ReadonlySet<string>
  expiringWithin: number
  plan: Plan
  /** When the token or its key ends, in milliseconds since 1970. Absent: never. */
  expiresAtMs?: number
  /** Absent: the customer is not suspended. */
  isSuspended?: true
}>

/** The customer whose rows are the example data. No key is ever issued for it. */
export const demoCustomerId = 'demo'
