import { resourceNames } from '../../schemas/resource-name.ts'
import { OAuthError } from './oauth-error.ts'

/** Each resource in the feed also needs its own scope. */
export const changesScope = 'changes:read'

export const auditScope = 'audit:read'

/** Scopes that a key has only if they were named. See docs/decisions/0103-audit-read-must-be-named.md. */
export const onlyNamedScopes: readonly string[] = [auditScope]

/** Scope of a custom endpoint. */
export const toCustomScope = (name: string): string => `custom:${name}`

/** Every scope of a key without limits. `endpoints`: names of custom endpoints. */
export const listScopes = (endpoints: readonly string[] = []): string[] => [
  ...resourceNames.map((name) => `${name}:read`),
  changesScope,
  ...endpoints.map(toCustomScope),
]

/** A longer token would not pass proxies that limit headers to 8 KiB. */
const maxScopes = 100
const maxScopeBytes = 4096

/** True if the scopes exceed the limits of a token or key. */
export const areTooMany = (scopes: readonly string[]): boolean =>
  scopes.length > maxScopes || scopes.join(' ').length > maxScopeBytes

export const tooManyScopes = `A token holds at most ${maxScopes} scopes and ${maxScopeBytes / 1024} KiB of them`

/** Scopes that a key may be limited to, except those of custom endpoints. */
export const namedScopes: readonly string[] = [...listScopes(), ...onlyNamedScopes]

const customScope = /^custom:[a-z0-9][a-z0-9-]{0,63}$/

/** True for existing scopes, and for any well-formed scope of a custom endpoint. */
export const isScope = (text: string): boolean => namedScopes.includes(text) || customScope.test(text)

/** Requested scopes; `undefined` if none. Throws `invalid_scope`. `allowed`: all scopes of the key. */
export const chooseScopes = (scope: string | undefined, allowed: readonly string[]): string[] | undefined => {
  const wanted = scope === undefined ? undefined : [...new Set(scope.split(' '))]
  const refused = wanted?.find((each) => !allowed.includes(each))
  if (refused !== undefined) {
    throw new OAuthError('invalid_scope', `The key has no scope '${refused.slice(0, 100)}'`)
  }
  if (areTooMany(wanted ?? allowed)) {
    throw new OAuthError('invalid_scope', `${tooManyScopes}: ask for fewer with scope`)
  }
  return wanted
}

type Scopes = ReadonlySet<string> | undefined

/** Scopes in both sets; undefined = every scope. */
export const intersectScopes = (a: Scopes, b: Scopes): Scopes =>
  a && b ? new Set([...a].filter((scope) => b.has(scope))) : (a ?? b)
