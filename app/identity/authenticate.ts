import { timingSafeEqual } from 'node:crypto'
import type { ApiError } from '../errors.ts'
import { toEndedTokenError, toTokenError } from './credential-errors.ts'
import type { KeyFacts } from './facts.ts'
import { type CustomerFacts, demoCustomerId, type Principal } from './principal.ts'
import type { Principals } from './principals.ts'
import { checkNetwork, isUsable } from './rights.ts'
import { expandScopes, intersectScopes, listScopes } from './scopes.ts'
import { readBearer, type VerifiedToken } from './tokens.ts'

export type AuthenticationRequest = {
  headers: { authorization?: string | undefined }
  /** The token, if already parsed. Pass the same string each time: V8 caches a string's hash. */
  bearer?: string
  /** Without it, a key that is limited to networks is refused. */
  readonly clientAddress?: string
  /** Set for the audit trail if the token is valid, but was revoked or its key may not be used. */
  refusedKeyId?: string | undefined
}

type Admitted = Principal | Promise<Principal>
export type Authenticate = (request: AuthenticationRequest) => Admitted

/** Without custom endpoints: errors must not reveal them. */
const allScopes = listScopes()

/** Reuses a token's principal until the facts about its key change. */
const createPrincipalMaker = () => {
  const made = new WeakMap<VerifiedToken, { facts: KeyFacts; principal: Principal }>()
  return (verified: VerifiedToken, facts: KeyFacts): Principal => {
    const last = made.get(verified)
    if (last?.facts === facts) return last.principal
    const { customerId, keyId, summary: key, expiringWithin, plan, suspended } = facts
    if (customerId !== verified.customerId) throw toTokenError('invalid_token')
    const scopes = intersectScopes(verified.scopes, facts.scopes)
    const expiresAtMs = Math.min(verified.expiresAtMs, facts.expiresAtMs)
    const keyScopes = verified.scopes && new Set(expandScopes(facts.scopes, allScopes))
    const common = {
      kind: 'live' as const,
      customerId,
      keyId,
      key,
      scopes,
      expiringWithin,
      plan,
      expiresAtMs,
      ...(keyScopes ? { keyScopes } : {}),
    }
    const principal: Principal = suspended ? { ...common, isSuspended: true } : common
    made.set(verified, { facts, principal })
    return principal
  }
}

// The demo customer may have any plan. It does not exist without example data.
const createDemoPrincipal = (facts: CustomerFacts | undefined): Principal => {
  if (!facts || facts.suspended) throw toTokenError('invalid_token')
  const { customerId, expiringWithin, plan } = facts
  return { kind: 'demo', customerId, keyId: demoCustomerId, scopes: undefined, expiringWithin, plan }
}

const createDemoCheck = (demoToken: string) => {
  const expected = Buffer.from(demoToken, 'latin1')
  return (token: string) =>
    token.length === expected.length && timingSafeEqual(Buffer.from(token, 'latin1'), expected)
}

type AuthenticateOptions = {
  principals: Principals
  verify: (token: string) => VerifiedToken
  demoToken: string
  now: () => number
}

/** The returned function throws or rejects with 401, 403 `network_not_allowed` or 503. It ignores plans. */
export const createAuthenticate = (options: AuthenticateOptions): Authenticate => {
  const { principals, verify, demoToken, now } = options
  const isDemo = createDemoCheck(demoToken)
  const createPrincipal = createPrincipalMaker()

  const admit = (
    request: AuthenticationRequest,
    verified: VerifiedToken,
    facts: KeyFacts | undefined,
  ): Admitted => {
    const noteKey = (denied: ApiError): ApiError => {
      request.refusedKeyId = verified.keyId
      return denied
    }
    if (!isUsable(facts, now())) throw noteKey(toEndedTokenError(facts))
    const decide = (isRevoked: boolean): Principal => {
      if (isRevoked) throw noteKey(toTokenError('token_revoked'))
      const principal = createPrincipal(verified, facts)
      const denied = facts.isAllowedFrom && checkNetwork(facts, request.clientAddress)
      if (denied) throw noteKey(denied)
      return principal
    }
    if (!facts.hasRevokedTokens) return decide(false)
    const isRevoked = principals.isTokenRevoked(verified)
    return isRevoked instanceof Promise ? isRevoked.then(decide) : decide(isRevoked)
  }

  return (request: AuthenticationRequest): Admitted => {
    const token = request.bearer ?? readBearer(request.headers.authorization)
    if (isDemo(token)) {
      const facts = principals.findCustomer(demoCustomerId)
      return facts instanceof Promise ? facts.then(createDemoPrincipal) : createDemoPrincipal(facts)
    }
    const verified = verify(token)
    const facts = principals.findKey(verified.keyId)
    return facts instanceof Promise
      ? facts.then((found) => admit(request, verified, found))
      : admit(request, verified, facts)
  }
}
