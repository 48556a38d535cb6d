import { timingSafeEqual } from 'node:crypto'
import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Judge } from '../app/cache/freshness.ts'
import { inTurn } from '../app/db/connect.ts'
import type { Db } from '../app/db/schema.ts'
import type { ApiError } from '../app/errors.ts'
import type { Credential } from '../app/identity/credential.ts'
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
import type { LoginAttempt } from '../app/limits/logins.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'

type AuthOptions = TokensOptions & {
  /** Connections of the serving role that no data request uses. */
  db: Db
  demoToken: string
  judge: Pick<Judge, 'check' | 'epoch' | 'readOr'>
  /** Milliseconds from any start, never going back. */
  monotonicNow: () => number
}

/** Anything with the raw header: a Fastify request or Node's own. */
type Request = {
  headers: { authorization?: string | undefined }
  /** The token in it, from who has it ready: the same text each time, so that its hash is computed once. */
  bearer?: string
  /** The client's address. Absent: not known here, so that a key with networks is refused. */
  readonly clientAddress?: string
  /** Set where a good token is refused for what is known of its key: who was refused. */
  refusedKeyId?: string | undefined
}
type Authenticate = (request: Request) => Principal | Promise<Principal>

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Who is asking; whether the plan lets them is for `requirePlan`. Throws or rejects with 401, 403
     * network_not_allowed, 503 unavailable. Not a promise where token and facts are known.
     */
    authenticate: Authenticate
    /** The same for a connection that stays: its reads of rights take turns by `owner`, so that logins go on beside. */
    authenticateInTurn(request: Request, owner: string): Promise<Principal>
    /**
     * Checks a credential as a login, within the limits, and returns its facts. Rejects with 401, 403 network_not_allowed or
     * plan_required, 429 or 503.
     */
    logIn: KeyCheck
    /** The same for a client that wants no token, without the check of network and plan: only failures are limited. */
    identifyClient: KeyCheck
    /** A new access token with all the key's scopes, or some of them; it does not outlive the key. */
    signAccessToken: SignToken
    /** Calls a listener for every check by `logIn` or `identifyClient`, and for every signed token. */
    onLogin(listener: LoginListener): void
    /** What a good token says; throws 401. Whether its key and plan still count is another question. */
    verifyToken: ReturnType<typeof createTokenVerifier>
    principals: Principals
    signingKeys: SigningKeys
  }
  interface FastifyRequest {
    /** Undefined until the request is authenticated, and on routes without authentication. */
    principal: Principal | undefined
    /** The key of a valid token that was refused because it is revoked, or for its key's networks. */
    refusedKeyId: string | undefined
  }
}

/** Scopes of a key without limits, less custom endpoints: whether one exists is not for everyone to know. */
const unlimitedScopes: ReadonlySet<string> = new Set(listScopes())

type Made = { facts: KeyFacts; principal: Principal }

/** Remembers the principal made last of a token and the facts it was made from: they mostly stay the same. */
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

// The demo customer may ask on any plan. Without example data, or if the demo customer is suspended, there is no demo.
const createDemoPrincipal = (facts: CustomerFacts | undefined): Principal => {
  if (!facts || facts.suspended) throw refuseToken('invalid_token')
  const { customerId, expiringWithin, plan } = facts
  return { kind: 'demo', customerId, keyId: demoCustomerId, scopes: undefined, expiringWithin, plan }
}

// Latin-1, as Node decodes headers: one byte a character, so equal lengths stay equal.
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
      // The address is looked for only where it is needed: behind proxies it is read from a header.
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
    // Keys that it must have; which one counts is said at every use.
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
  /** Until the key is verified, only the client's network is known. */
  const toAttempt = (credential: Credential, ip: string): LoginAttempt => {
    const turn = createTurn(db, ip)
    return {
      keyId: credential.keyId,
      isKnown: () => credential.isKnown(turn),
      verify: () => credential.verify(turn),
    }
  }
  const events = createLoginEvents()
  app.decorate('onLogin', events.on)
  const logIn: KeyCheck = async (credential, { ip }) => {
    const facts = await logins.logIn(toAttempt(credential, ip), ip)
    // After the login was counted: a right key that is refused for its network or plan is limited as well.
    const denied = judgeNetwork(facts, ip) ?? authorize(facts, now())
    if (denied) throw denied
    return facts
  }
  app.decorate('logIn', events.emitChecks(true, logIn))
  const identify: KeyCheck = (credential, { ip }) => logins.identify(toAttempt(credential, ip), ip)
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
