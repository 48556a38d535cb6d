import { resourceNames } from '../resources/index.ts'

/** Every scope that a key without limits has: one a resource. */
export const listScopes = (): string[] => resourceNames.map((name) => `${name}:read`)

/** Scopes that a key may be limited to, less those of custom endpoints. */
export const namedScopes: readonly string[] = [...new Set([...listScopes(), 'changes:read'])]

const customScope = /^custom:[a-z0-9][a-z0-9-]{0,63}$/

/** Whether the text is a scope that there is or may be. */
export const isScope = (text: string): boolean => namedScopes.includes(text) || customScope.test(text)

type Scopes = ReadonlySet<string> | undefined

/** The scopes of both; undefined = every scope. */
export const intersectScopes = (a: Scopes, b: Scopes): Scopes =>
  a && b ? new Set([...a].filter((scope) => b.has(scope))) : (a ?? b)
