import { resourceNames } from '../../schemas/resource-name.ts'

/** The scope of the change feed; each resource in it needs its own as well. */
export const changesScope = 'changes:read'

/** The scope of the customer's own audit trail. */
export const auditScope = 'audit:read'

/**
 * Scopes that a key has only where they were named for it. A key without limits does not have them.
 * See docs/decisions/0103-audit-read-must-be-named.md.
 */
export const onlyNamedScopes: readonly string[] = [auditScope]

/** Returns the scope of a custom endpoint. */
export const customScopeOf = (name: string): string => `custom:${name}`

/** Every scope of a key without limits: one a resource, the change feed, and one a custom endpoint of these names. */
export const listScopes = (endpoints: readonly string[] = []): string[] => [
  ...resourceNames.map((name) => `${name}:read`),
  changesScope,
  ...endpoints.map(customScopeOf),
]

/** What a token may list at most. A longer token would not go through proxies, whose headers often end at 8 KiB. */
const maxScopes = 100
const maxScopeBytes = 4096

/** Whether one token or key can hold these scopes. */
export const areTooMany = (scopes: readonly string[]): boolean =>
  scopes.length > maxScopes || scopes.join(' ').length > maxScopeBytes

export const tooManyScopes = `A token holds at most ${maxScopes} scopes and ${maxScopeBytes / 1024} KiB of them`

/** Scopes that a key may be limited to, less those of custom endpoints. */
export const namedScopes: readonly string[] = [...listScopes(), ...onlyNamedScopes]

const customScope = /^custom:[a-z0-9][a-z0-9-]{0,63}$/

/** Whether the text is a scope that there is or may be. */
export const isScope = (text: string): boolean => namedScopes.includes(text) || customScope.test(text)

type Scopes = ReadonlySet<string> | undefined

/** The scopes of both; undefined = every scope. */
export const intersectScopes = (a: Scopes, b: Scopes): Scopes =>
  a && b ? new Set([...a].filter((scope) => b.has(scope))) : (a ?? b)
