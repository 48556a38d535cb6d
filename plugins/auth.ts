import { randomUUID, timingSafeEqual } from 'node:crypto'
import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import { type CustomerFacts, demoCustomerId, type Principal } from '../app/auth/principal.ts'
import {
  authorize,
  createPrincipals,
  type KeyFacts,
  type Principals,
  refuseToken,
  requireCredentials,
} from '../app/auth/principals.ts'
import { type SigningKeys, tokenType } from '../app/auth/signing-keys.ts'
import type { Db } from '../app/db/schema.ts'
import type { Logins } from '../app/limits/logins.ts'
import { accessTokenClaims, type tokenAnswer } from '../schemas/auth.ts'

export type AuthOptions = {
  /** Connections of the serving role. */
  db: Db
  /** Read at every use, so the object may change what it holds. */
  signingKeys: SigningKeys
  /** Origin: issuer and audience of tokens. */
  publicUrl: string
  demoToken: string
  accessTokenSeconds: number
  /** Milliseconds since 1970. */
  now: () => number
  /** Every scope there is: what a token of an unlimited key lists. */
  scopes: readonly string[]
  /** Absent: logins are not limited. */
  logins?: Logins
}

/** Anything with the raw header: a Fastify request or Node's own. */
type Request = { headers: { authorization?: string | undefined } }
type Authenticate = (request: Request) => Principal | Promise<Principal>

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Who is asking, and that the plan lets them. Throws or rejects with 401, 403 plan_required, 503
     * unavailable. Not a promise where token and facts are known.
     */
    authenticate: Authenticate
    /** The same without the look at the plan, for answers that come before it (404, 405): 401 or 503 only. */
    identify: Authenticate
    /** The key's facts, within the limits of logins; rejects with 401, 403 plan_required, 429, 503. */
    logIn(apiKey: string, ip: string): Promise<KeyFacts>
    /** A new access token with all the key's scopes; it does not outlive the key. */
    signAccessToken(key: KeyFacts): z.output<typeof tokenAnswer>
    principals: Principals
    signingKeys: SigningKeys
  }
}

type Verified = {
  header: string
  keyId: string
  customerId: string
  scopes: ReadonlySet<string> | undefined
  expiresAtMs: number
  /** The principal made last and the facts it was made from: they mostly stay the same. */
  last?: { facts: KeyFacts; principal: Principal }
}

/**
 * Tokens of about 0.7 kB: 14 MB at most. Only good ones are kept, so nobody can push them out with bad ones.
 */
const maxTokens = 20_000
/** Clocks of instances differ: a token made by one must be good on the next at once. */
const clockSkewSeconds = 10

// RFC 9110, section 11.4: the scheme's case does not count, one or more spaces follow. The first line is for
// speed.
const readToken = (authorization: string | undefined): string => {
  if (authorization?.startsWith('Bearer ') && authorization[7] !== ' ') return authorization.slice(7)
  const match = /^bearer(?: +(.*))?$/i.exec(authorization ?? '')
  if (!match) throw requireCredentials()
  return match[1] ?? ''
}

// The last character of a signature has four unused bits: without this, 16 spellings of a token would be
// good.
const isCanonical = (segment: string) => Buffer.from(segment, 'base64url').toString('base64url') === segment

const parseScopes = (scope: string) => new Set(scope.split(' ').filter((each) => each !== ''))

/** The scopes of both; undefined = every scope. */
const intersect = (a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined) =>
  a && b ? new Set([...a].filter((scope) => b.has(scope))) : (a ?? b)

const createVerify = (app: FastifyInstance, { signingKeys, now }: AuthOptions) => {
  const tokens = new LRUCache<string, Verified>({ max: maxTokens })

  const verify = (token: string): Verified => {
    const [header = '', , signature = ''] = token.split('.', 3)
    const key = signingKeys.publicByHeader.get(header)
    if (key === undefined || !isCanonical(signature)) throw refuseToken('invalid_token')
    let payload: unknown
    try {
      payload = app.jwt.verify(token, { key, clockTimestamp: now() })
    } catch (error) {
      const isExpired = (error as { code?: unknown }).code === 'FAST_JWT_EXPIRED'
      throw refuseToken(isExpired ? 'token_expired' : 'invalid_token')
    }
    const { success, data: claims } = accessTokenClaims.safeParse(payload)
    if (!success) throw refuseToken('invalid_token')
    return {
      header,
      keyId: claims.sub,
      customerId: claims.customer,
      scopes: claims.every_scope ? undefined : parseScopes(claims.scope),
      expiresAtMs: claims.exp * 1000,
    }
  }

  return (token: string): Verified => {
    const known = tokens.get(token)
    const verified = known && signingKeys.publicByHeader.has(known.header) ? known : verify(token)
    if (verified.expiresAtMs <= now()) {
      tokens.delete(token)
      throw refuseToken('token_expired')
    }
    if (verified !== known) tokens.set(token, verified)
    return verified
  }
}

const createPrincipal = (verified: Verified, facts: KeyFacts): Principal => {
  if (verified.last?.facts === facts) return verified.last.principal
  const { customerId, keyId, expiringWithin, plan } = facts
  if (customerId !== verified.customerId) throw refuseToken('invalid_token')
  const scopes = intersect(verified.scopes, facts.scopes)
  const principal: Principal = { kind: 'live', customerId, keyId, scopes, expiringWithin, plan }
  verified.last = { facts, principal }
  return principal
}

// Whatever its plan, the demo customer may ask; without example data, or suspended, there is no demo.
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

const createAuthenticate = (app: FastifyInstance, options: AuthOptions, principals: Principals) => {
  const verify = createVerify(app, options)
  const isDemo = createDemoCheck(options.demoToken)

  const admit = (verified: Verified, facts: KeyFacts | undefined, needsPlan: boolean): Principal => {
    const denied = authorize(facts, options.now())
    if (!facts || (denied && (needsPlan || denied.status === 401))) throw denied
    return createPrincipal(verified, facts)
  }

  return (needsPlan: boolean): Authenticate =>
    (request) => {
      const token = readToken(request.headers.authorization)
      if (isDemo(token)) {
        const facts = principals.findCustomer(demoCustomerId)
        return facts instanceof Promise ? facts.then(createDemoPrincipal) : createDemoPrincipal(facts)
      }
      const verified = verify(token)
      const facts = principals.findKey(verified.keyId)
      return facts instanceof Promise
        ? facts.then((found) => admit(verified, found, needsPlan))
        : admit(verified, facts, needsPlan)
    }
}

const createSign =
  (app: FastifyInstance, options: AuthOptions): FastifyInstance['signAccessToken'] =>
  (key) => {
    const { signingKeys, publicUrl, accessTokenSeconds, now, scopes } = options
    const iat = Math.floor(now() / 1000)
    const expiresIn = Math.max(1, Math.min(accessTokenSeconds, Math.floor(key.expiresAtMs / 1000) - iat))
    const scope = [...(key.scopes ?? scopes)].join(' ')
    const claims = {
      iss: publicUrl,
      aud: publicUrl,
      sub: key.keyId,
      client_id: key.keyId,
      customer: key.customerId,
      iat,
      nbf: iat - clockSkewSeconds,
      exp: iat + expiresIn,
      jti: randomUUID(),
      scope,
      ...(key.scopes ? {} : { every_scope: true }),
    }
    const { kid, privatePem } = signingKeys.active
    const header = { alg: 'EdDSA', typ: tokenType, kid }
    const access_token = app.jwt.sign(claims, { algorithm: 'EdDSA', key: privatePem, header })
    return { access_token, token_type: 'Bearer', expires_in: expiresIn, scope }
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
  const principals = createPrincipals(options)
  const createAuthenticator = createAuthenticate(app, options, principals)
  app.decorate('principals', principals)
  app.decorate('logIn', (apiKey: string, ip: string) =>
    options.logins ? options.logins.logIn(principals, apiKey, ip) : principals.verifyApiKey(apiKey),
  )
  app.decorate('signingKeys', signingKeys)
  app.decorate('authenticate', createAuthenticator(true))
  app.decorate('identify', createAuthenticator(false))
  app.decorate('signAccessToken', createSign(app, options))
}

export default fp(auth, { name: 'auth', fastify: '5.x' })
