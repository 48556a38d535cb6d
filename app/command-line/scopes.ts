import { InvalidArgumentError } from 'commander'
import type { Db } from '../db/schema.ts'
import type { ApiKey } from '../identity/api-key-store.ts'
import { listGranted } from '../identity/granted-scopes.ts'
import {
  areTooMany,
  everyScope,
  expandScopes,
  hasEveryScope,
  isScope,
  listScopes,
  namedScopes,
  onlyNamedScopes,
  tooManyScopes,
} from '../identity/scopes.ts'
import { findNearest } from '../lists/nearest.ts'
import { Refusal } from './refusal.ts'

/** Parses a comma-separated list of scopes, in which `*` is every scope that a key without a list has by itself. Throws commander's error, which names the nearest scope. */
export const parseScopes = (value: string): string[] => {
  const wanted = [...new Set(value.split(',').map((scope) => scope.trim()))]
  for (const scope of wanted) {
    if (isScope(scope) || scope === everyScope) continue
    const nearest = findNearest(scope, namedScopes)
    const hint = nearest ? `did you mean ${nearest}?` : `expected ${namedScopes.join(', ')} or custom:<name>`
    throw new InvalidArgumentError(`There is no scope ${JSON.stringify(scope)}: ${hint}`)
  }
  if (areTooMany(wanted)) throw new InvalidArgumentError(tooManyScopes)
  return wanted
}

const toSet = (scopes: readonly string[] | null) => (scopes ? new Set(scopes) : undefined)

/** Names the scopes of keys one by one, with all custom endpoints that the customers have now. */
export const withScopes = async <T extends Pick<ApiKey, 'scopes' | 'customer'>>(
  db: Db,
  keys: readonly T[],
): Promise<(T & { scopes: string[] })[]> => {
  const granted = await listGranted(
    db,
    keys.filter(({ scopes }) => hasEveryScope(toSet(scopes))).map(({ customer }) => customer),
  )
  return keys.map((key) => ({
    ...key,
    scopes: expandScopes(toSet(key.scopes), listScopes(granted.get(key.customer))),
  }))
}

/** Adds the effective scopes to a key. */
export const withOwnScopes = async <T extends Pick<ApiKey, 'scopes' | 'customer'>>(db: Db, key: T) =>
  (await withScopes(db, [key]))[0] as T & { scopes: string[] }

/** Throws a Refusal if a scope names a custom endpoint that the customer was not granted. */
export const requireGranted = async (db: Db, customer: string, scopes: readonly string[]): Promise<void> => {
  const known = [
    ...listScopes((await listGranted(db, [customer])).get(customer)),
    ...onlyNamedScopes,
    everyScope,
  ]
  const unknown = scopes.find((scope) => !known.includes(scope))
  if (unknown === undefined) return
  const nearest = findNearest(unknown, known)
  const hint = nearest ? `: did you mean ${nearest}?` : ''
  throw new Refusal(`${customer} was not granted ${unknown}${hint}`)
}
