import { resourceNames } from '../../schemas/resource-name.ts'

/** Scope of the change feed. Each resource in the feed also needs its own scope. */
export const changesScope = 'changes:read'

export const auditScope = 'audit:read'

/**
 * Scopes that even a key without limits has only if they were named.
 * See docs/decisions/0103-audit-read-must-be-named.md.
 */
export const onlyNamedScopes: readonly string[] = [auditScope]

/** Scope of a custom endpoint. */
export const customScopeOf = (name: string): string => `custom:${name}`

/** Every scope of a key without limits: each resource, the change feed, and the given custom endpoints. */
export const listScopes = (endpoints: readonly string[] = []): string[] => [
  ...resourceNames.map((name) => `${name}:read`),
  changesScope,
  ...endpoints.map(customScopeOf),
]

/** Limits of one token. A longer token would not pass proxies that limit headers to 8 KiB. */
const maxScopes = 100
const maxScopeBytes = 4096

/** True if the scopes exceed the limits of one token or key. */
export const areTooMany = (scopes: readonly string[]): boolean =>
  scopes.length > maxScopes || scopes.join(' ').length > maxScopeBytes

export const tooManyScopes = `A token holds at most ${maxScopes} scopes and ${maxScopeBytes / 1024} KiB of them`

/** Scopes that a key may be limited to, except scopes of custom endpoints. */
export const namedScopes: readonly string[] = [...listScopes(), ...onlyNamedScopes]

const customScope = /^custom:[a-z0-9][a-z0-9-]{0,63}$/

/** True for existing scopes, and for any well-formed scope of a custom endpoint. */
export const isScope = (text: string): boolean => namedScopes.includes(text) || customScope.test(text)

type Scopes = ReadonlySet<string> | undefined

/** Scopes in both sets; undefined = every scope. */
export const intersectScopes = (a: Scopes, b: Scopes): Scopes =>
  a && b ? new Set([...a].filter((scope) => b.has(scope))) : (a ?? b)
