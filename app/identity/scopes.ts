import type { Plan } from '../db/schema.ts'
import { resourceNames } from '../records/resources/index.ts'

/** For the feed. Each resource in it also needs its own scope. */
export const changesScope = 'changes:read'

export const auditScope = 'audit:read'

/** For a customer's own keys, usage and webhooks. */
export const accountScope = 'account:read'

/** For a key that may be exchanged for a new one. Of no use in a token. */
export const rotateScope = 'keys:rotate'

/** A key without limits does not have these. See docs/decisions/0103-audit-read-must-be-named.md. */
export const onlyNamedScopes: readonly string[] = [auditScope, accountScope, rotateScope]

/** In the list of a key: every scope except `onlyNamedScopes`. No token contains it. */
export const everyScope = '*'

/** The list of a new key without limits. `null` means the same as `*` alone. See docs/decisions/0267-a-star-in-the-list-of-scopes.md. */
export const listNewScopes = (plan: Plan): string[] | null =>
  plan === 'basic' ? null : [everyScope, accountScope]

/** `name`: of a custom endpoint. */
export const toCustomScope = (name: string): string => `custom:${name}`

/** Every scope of a key without limits. `endpoints`: the custom endpoints that its customer was granted. */
export const listScopes = (endpoints: readonly string[] = []): string[] => [
  ...resourceNames.map((name) => `${name}:read`),
  changesScope,
  ...endpoints.map(toCustomScope),
]

/** A longer token would not pass proxies that limit headers to 8 KiB. */
const maxScopes = 100
const maxScopeBytes = 4096

/** The limit applies to tokens and keys. */
export const areTooMany = (scopes: readonly string[]): boolean =>
  scopes.length > maxScopes || scopes.join(' ').length > maxScopeBytes

export const tooManyScopes = `A token holds at most ${maxScopes} scopes and ${maxScopeBytes / 1024} KiB of them`

/** All scopes except scopes of custom endpoints. */
export const namedScopes: readonly string[] = [...listScopes(), ...onlyNamedScopes]

const customScope = /^custom:[a-z0-9][a-z0-9-]{0,63}$/

/** True even if the custom endpoint does not exist. */
export const isScope = (text: string): boolean => namedScopes.includes(text) || customScope.test(text)

type Scopes = ReadonlySet<string> | undefined

/** Whether these are all scopes except `onlyNamedScopes`, some of which may be named in addition. */
export const hasEveryScope = (scopes: Scopes): boolean => scopes?.has(everyScope) ?? true

/** `undefined` scopes of a principal = every scope except `onlyNamedScopes`. */
export const hasScope = ({ scopes }: { scopes: Scopes }, scope: string): boolean =>
  scopes?.has(scope) || (hasEveryScope(scopes) && !onlyNamedScopes.includes(scope))

/** Names the scopes of a key one by one. `all`: the scopes of a key without limits, from `listScopes`. */
export const expandScopes = (scopes: Scopes, all: readonly string[]): string[] => {
  const named = [...(scopes ?? [])].filter((scope) => scope !== everyScope)
  return hasEveryScope(scopes) ? [...all, ...named] : named
}

/** An `undefined` side does not restrict the other one, not even in `onlyNamedScopes`. */
export const intersectScopes = (token: Scopes, key: Scopes): Scopes =>
  token && key ? new Set([...token].filter((scope) => hasScope({ scopes: key }, scope))) : (token ?? key)
