import type { Plan } from '../db/schema.ts'
import { ApiError } from '../errors.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { resourceNames } from '../records/resources/index.ts'
import { bearer, toEndedTokenError } from './credential-errors.ts'
import type { KeyFacts } from './facts.ts'
import type { Principal } from './principal.ts'
import { hasScope } from './scopes.ts'

/** Throws 403 `insufficient_scope` (RFC 6750, section 3.1). */
export const requireScope = (principal: Principal, scope: string): void => {
  if (hasScope(principal, scope)) return
  throw new ApiError('insufficient_scope', {
    detail: principal.keyScopes?.has(scope)
      ? `This token was issued without the scope ${scope}, which its API key has. Log in without scope, or name it.`
      : `This needs the scope ${scope}.`,
    headers: { 'www-authenticate': `${bearer}, error="insufficient_scope", scope="${scope}"` },
  })
}

/** The resources whose scope the principal has. */
export const listReadable = (principal: Principal): readonly ResourceName[] =>
  resourceNames.filter((name) => hasScope(principal, `${name}:read`))

/** `asked` defaults to `listReadable`. Throws 403 `insufficient_scope`, also if that list is empty. */
export const chooseResources = (
  principal: Principal,
  asked: readonly ResourceName[] | undefined,
): readonly ResourceName[] => {
  const chosen = asked ?? listReadable(principal)
  for (const name of chosen.length > 0 ? chosen : resourceNames) requireScope(principal, `${name}:read`)
  return chosen
}

/** False if the key does not exist, is revoked or has expired. */
export const isUsable = (facts: KeyFacts | undefined, nowMs: number): facts is KeyFacts =>
  facts !== undefined && !facts.revoked && facts.expiresAtMs > nowMs

const checkPlan = (plan: Plan, isSuspended: boolean): ApiError | undefined => {
  if (isSuspended) {
    return new ApiError('plan_required', { detail: 'Access is suspended: contact the certification house.' })
  }
  return plan === 'basic' ? new ApiError('plan_required') : undefined
}

/** Throws 403 `plan_required` if the plan has no API access or the customer is suspended. Never for the demo. */
export const requirePlan = ({ kind, plan, isSuspended }: Principal): void => {
  const denied = kind === 'demo' ? undefined : checkPlan(plan, isSuspended === true)
  if (denied) throw denied
}

/** Returns 401 `token_revoked`, 403 `plan_required`, or `undefined` if the key gives access. */
export const authorize = (facts: KeyFacts | undefined, nowMs: number): ApiError | undefined =>
  isUsable(facts, nowMs) ? checkPlan(facts.plan, facts.suspended) : toEndedTokenError(facts)

/** Returns 403 `network_not_allowed` or `undefined`. See docs/decisions/0095-networks-are-judged-with-the-key.md. */
export const checkNetwork = (
  { isAllowedFrom }: KeyFacts,
  address: string | undefined,
): ApiError | undefined =>
  !isAllowedFrom || (address !== undefined && isAllowedFrom(address))
    ? undefined
    : new ApiError('network_not_allowed')
