import { InvalidArgumentError } from 'commander'
import { isScope, listScopes, namedScopes } from '../auth/scopes.ts'
import type { ApiKey } from '../db/queries/api-keys.ts'
import { findNearest } from '../query/nearest.ts'

/** Scopes from a comma-separated list. Throws commander's error at one that is none, with the nearest. */
export const parseScopes = (value: string): string[] => {
  const wanted = [...new Set(value.split(',').map((scope) => scope.trim()))]
  for (const scope of wanted) {
    if (isScope(scope)) continue
    const nearest = findNearest(scope, namedScopes)
    const hint = nearest ? `did you mean ${nearest}?` : `expected ${namedScopes.join(', ')} or custom:<name>`
    throw new InvalidArgumentError(`There is no scope ${JSON.stringify(scope)}: ${hint}`)
  }
  return wanted
}

/** The key with its scopes spelled out: one without limits has every scope there is, and later ones too. */
export const withScopes = <T extends Pick<ApiKey, 'scopes'>>(key: T): T & { scopes: string[] } => ({
  ...key,
  scopes: key.scopes ?? listScopes(),
})
