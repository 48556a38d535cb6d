import { timingSafeEqual } from 'node:crypto'
import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Judge } from '../app/cache/freshness.ts'
import { inTurn, type QueuedDb } from '../app/db/connect.ts'
import type { ApiError } from '../app/errors.ts'
import type { KeyFacts } from '../app/identity/facts.ts'
import { createLoginEvents, type KeyCheck, type LoginListener } from '../app/identity/login-events.ts'
import { type CustomerFacts, demoCustomerId, type Principal } from '../app/identity/principal.ts'
import {
  authorize,
  createPrincipals,
  isUsable,
  judgeNetwork,
  type Principals,
  refuseToken,
} from '../app/identity/principals.ts'
import { intersectScopes, listScopes } from '../app/identity/scopes.ts'
import { tokenType } from '../app/identity/signing-key.ts'
import type { SigningKeys } from '../app/identity/signing-keys.ts'
import {
  createTokenSigner,
  createTokenVerifier,
  readBearer,
  type SignToken,
  type TokensOptions,
  type VerifiedToken,
} from '../app/identity/tokens.ts'
import { createTurn } from '../app/limits/address.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'

type AuthOptions = TokensOptions & {
  /** Connections of the serving role that no data request uses. */
  db: QueuedDb
  demoToken: string
  judge: Pick<Judge, 'check' | 'epoch' | 'readOr'>
  monotonicNow: () => number
}

type Request = {
  headers: { authorization?: string | undefined }
  /** The token, if already parsed. Always pass the same string, so that its hash is computed once. */
  bearer?: string
  /** The client's address. Optional. Without it, a key that is limited to networks is refused. */
  readonly clientAddress?: string
  /** Output: the id of the key, if a valid token is refused because of its key. */
  refusedKeyId?: string | undefined
}
type Authenticate = (request: Request) => Principal | Promise<Principal>

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Authenticates a request; `requirePlan` checks the plan. Throws or rejects with 401, 403
     * network_not_allowed or 503 unavailable. Synchronous if the token and the key's facts are in memory.
     */
    authenticate: Authenticate
    /** `authenticate` for long-lived connections. Reads take turns by `owner`, and do not delay logins. */
    authenticateInTurn(request: Request, owner: string): Promise<Principal>
    /**
     * Checks a credential as a login, within the limits, and returns the key's facts. Rejects with 401, 403
     * network_not_allowed or plan_required, 429 or 503.
     */
    logIn: KeyCheck
    /** Checks a credential without a login. Ignores network and plan, and limits only failures. */
    identifyClient: KeyCheck
    /** Signs a token with all or some scopes of the key. It expires no later than the key. */
    signAccessToken: SignToken
    /** Calls a listener for every check by `logIn` or `identifyClient`, and for every signed token. */
    onLogin(listener: LoginListener): void
    /** Verifies signature and claims, but neither key nor plan. Throws 401. */
    verifyToken: ReturnType<typeof createTokenVerifier>
    principals: Principals
    signingKeys: SigningKeys
  }
  interface FastifyRequest {
    /** Undefined before authentication, and on routes without it. */
    principal: Principal | undefined
    /** The key of a valid token that was refused, because it is revoked or because of the key's networks. */
    refusedKeyId: string | undefined
  }
}

/** Scopes of a key without limits. Omits custom endpoints, because their existence is confidential. */
const unlimitedScopes: ReadonlySet<string> = new Set(listScopes())

type Made = { facts: KeyFacts; principal: Principal }

/** Caches each token's last principal with the facts it was made from, which rarely change. */
const createPrincipalMaker = () => {
  const made = new WeakMap<VerifiedToken, Made>()
  return (verified: VerifiedToken, facts: KeyFacts): Principal => {
    const last = made.get(verified)
    if (last?.facts === facts) return last.principal
    const { customerId, keyId, expiringWithin, plan, suspended } = facts
    if (customerId !== verified.customerId) throw refuseToken('invalid_token')
    const scopes = intersectScopes(verified.scopes, facts.scopes)
    const expiresAtMs = Math.min(verified.expiresAtMs, facts.expiresAtMs)
    const keyScopes = verified.scopes && (facts.scopes ?? unlimitedScopes)
    const common = {
      kind: 'live' as const,
      ...{ customerId, keyId, scopes, expiringWithin, plan, expiresAtMs },
      ...(keyScopes ? { keyScopes } : {}),
    }
    const principal: Principal = suspended ? { ...common, isSuspended: true } : common
    made.set(verified, { facts, principal })
    return principal
  }
}

// Works on any plan, but not without example data or while the demo customer is suspended.
const createDemoPrincipal = (facts: CustomerFacts | undefined): Principal => {
  if (!facts || facts.suspended) throw refuseToken('invalid_token')
  const { customerId, expiringWithin, plan } = facts
  return { kind: 'demo', customerId, keyId: demoCustomerId, scopes: undefined, expiringWithin, plan }
}

// Latin-1, as Node decodes headers: one byte per character, so that both buffers have the same length.
const createDemoCheck = (demoToken: string) => {
  const expected = Buffer.from(demoToken, 'latin1')
  return (token: string) =>
    token.length === expected.length && timingSafeEqual(Buffer.from(token, 'latin1'), expected)
}

type Parts = { principals: Principals; verify: ReturnType<typeof createTokenVerifier> }

const createAuthenticate = ({ demoToken, now }: AuthOptions, { principals, verify }: Parts) => {
  const isDemo = createDemoCheck(demoToken)
  const createPrincipal = createPrincipalMaker()

  type Admitted = Principal | Promise<Principal>
  const admit = (request: Request, verified: VerifiedToken, facts: KeyFacts | undefined): Admitted => {
    const noteKey = (denied: ApiError): ApiError => {
      request.refusedKeyId = verified.keyId
      return denied
    }
    if (!isUsable(facts, now())) throw noteKey(refuseToken('token_revoked'))
    const decide = (isRevoked: boolean): Principal => {
      if (isRevoked) throw noteKey(refuseToken('token_revoked'))
      const principal = createPrincipal(verified, facts)
      // Read the address only if it is needed: behind proxies it is parsed from a header.
      const denied = facts.isAllowedFrom && judgeNetwork(facts, request.clientAddress)
      if (denied) throw noteKey(denied)
      return principal
    }
    if (!facts.hasRevokedTokens) return decide(false)
    const isRevoked = principals.isTokenRevoked(verified)
    return isRevoked instanceof Promise ? isRevoked.then(decide) : decide(isRevoked)
  }

  return (request: Request): Admitted => {
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

async function auth(app: FastifyInstance, options: AuthOptions): Promise<void> {
  const { signingKeys, publicUrl } = options
  const { privatePem, header } = signingKeys.active
  await app.register(fastifyJwt, {
    // @fastify/jwt requires these keys. Every signing and verification names the key it uses.
    secret: { private: privatePem, public: signingKeys.publicByHeader.get(header) ?? '' },
    sign: { algorithm: 'EdDSA' },
    verify: {
      algorithms: ['EdDSA'],
      allowedIss: publicUrl,
      allowedAud: publicUrl,
      checkTyp: tokenType,
      requiredClaims: ['exp', 'iss', 'aud', 'sub', 'jti'],
    },
  })
  const warn = throttleWarnings(app.log)
  const principals = createPrincipals({ ...options, warn })
  const verify = createTokenVerifier(app.jwt, options)
  const authenticate = createAuthenticate(options, { principals, verify })
  app.decorate('principals', principals)
  app.decorateRequest('principal', undefined)
  app.decorateRequest('refusedKeyId', undefined)
  const { db, now } = options
  const { logins } = app.limits
  const events = createLoginEvents()
  app.decorate('onLogin', events.on)
  const logIn: KeyCheck = async (credential, { ip }) => {
    const facts = await logins.logIn(credential, createTurn(db, ip), ip)
    // After the login was counted, so that a correct key is limited even if its network or plan is refused.
    const denied = judgeNetwork(facts, ip) ?? authorize(facts, now())
    if (denied) throw denied
    return facts
  }
  app.decorate('logIn', events.emitChecks(true, logIn))
  // Turns are the network's: until the key is verified, no other fact is trusted.
  const identify: KeyCheck = (credential, { ip }) => logins.identify(credential, createTurn(db, ip), ip)
  app.decorate('identifyClient', events.emitChecks(false, identify))
  app.decorate('signingKeys', signingKeys)
  app.decorate('authenticate', authenticate)
  app.decorate('authenticateInTurn', (request: Request, owner: string) =>
    inTurn(db, owner, async () => authenticate(request)),
  )
  app.decorate('verifyToken', verify)
  app.decorate(
    'signAccessToken',
    events.emitSigned(createTokenSigner(app.jwt, options, principals.listScopes)),
  )
}

export default fp(auth, { name: 'auth', dependencies: ['gate', 'quotas'], fastify: '5.x' })
