import { resourceNames } from '../../schemas/resource-name.ts'

/** The scope of the change feed; each resource in it needs its own as well. */
export const changesScope = 'changes:read'

/** Every scope that a key without limits has: one a resource, and the change feed. */
export const listScopes = (): string[] => [...resourceNames.map((name) => `${name}:read`), changesScope]

/** Scopes that a key may be limited to, less those of custom endpoints. */
export const namedScopes: readonly string[] = listScopes()

const customScope = /^custom:[a-z0-9][a-z0-9-]{0,63}$/

/** Whether the text is a scope that there is or may be. */
export const isScope = (text: string): boolean => namedScopes.includes(text) || customScope.test(text)

type Scopes = ReadonlySet<string> | undefined

/** The scopes of both; undefined = every scope. */
export const intersectScopes = (a: Scopes, b: Scopes): Scopes =>
  a && b ? new Set([...a].filter((scope) => b.has(scope))) : (a ?? b)
