import type { IncomingMessage } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { FreshnessCheck } from '../app/cache/freshness.ts'
import type { Poller } from '../app/cache/poller.ts'
import { inTurn, type QueuedDb } from '../app/db/connect.ts'
import {
  type Authenticate,
  type AuthenticationRequest,
  createAuthenticate,
} from '../app/identity/authenticate.ts'
import { createKeyIds } from '../app/identity/key-ids.ts'
import {
  createLoginEvents,
  type KeyCheck,
  type LoginListener,
  type LoginSource,
} from '../app/identity/login-events.ts'
import type { Principal } from '../app/identity/principal.ts'
import { createPrincipals, type Principals } from '../app/identity/principals.ts'
import { authorize, checkNetwork } from '../app/identity/rights.ts'
import { tokenType } from '../app/identity/signing-key.ts'
import type { SigningKeys } from '../app/identity/signing-keys.ts'
import {
  createTokenSigner,
  createTokenVerifier,
  type SignToken,
  type TokensOptions,
} from '../app/identity/tokens.ts'
import { createTurn } from '../app/limits/address.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'

type AuthOptions = TokensOptions & {
  db: QueuedDb
  demoToken: string
  freshness: Pick<FreshnessCheck, 'check' | 'confirmNext' | 'epoch' | 'isAway' | 'readOr'>
  listen: Poller['listen']
  monotonicNow: () => number
}

/** A request over HTTP/1, or the stream of a request over HTTP/2. */
type RawRequest = IncomingMessage | ServerHttp2Stream

const getRawRequest = ({ raw }: FastifyRequest): RawRequest =>
  'stream' in raw ? (raw.stream as ServerHttp2Stream) : raw

declare module 'fastify' {
  interface FastifyInstance {
    /** Ignores plans. Synchronous on a hit. Throws or rejects with 401, 403 `network_not_allowed` or 503. */
    authenticate: Authenticate
    /** Like `authenticate`, but takes the principal that the edge has found for the same request. */
    authenticateOnce(request: FastifyRequest): Principal | Promise<Principal>
    /** For the edge, in the same turn of the event loop as the router. */
    handOver(request: RawRequest, principal: Principal): void
    /** For long-lived connections. Always waits for a turn of `owner`, so that it delays no login. */
    authenticateInTurn(request: AuthenticationRequest, owner: string): Promise<Principal>
    logIn: KeyCheck
    /** Ignores network and plan, and limits only failures. */
    identifyClient: KeyCheck
    signAccessToken: SignToken
    onLogin(listener: LoginListener): void
    /** Checks signature and claims, but neither key nor plan. Throws 401. */
    verifyToken: ReturnType<typeof createTokenVerifier>
    principals: Principals
    signingKeys: SigningKeys
  }
  interface FastifyRequest {
    principal: Principal | undefined
    /** For the audit trail. Set if a valid token was revoked or its key may not be used. */
    refusedKeyId: string | undefined
  }
}

/** Headers of an answer with a key or a token. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

export const toLoginSource = ({ clientAddress: ip, id: requestId }: FastifyRequest): LoginSource => ({
  ip,
  requestId,
})

async function auth(app: FastifyInstance, options: AuthOptions): Promise<void> {
  const { signingKeys, publicUrl } = options
  const { privatePem, header } = signingKeys.active
  await app.register(fastifyJwt, {
    // Required by @fastify/jwt, but unused: every call passes its own key.
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
  const keyIds = createKeyIds({ ...options, warn })
  // Not awaited: until then, logins query the database.
  app.addHook('onReady', async () => void keyIds.load())
  const principals = createPrincipals({ ...options, keyIds, warn })
  const verify = createTokenVerifier(app.jwt, options)
  const authenticate = createAuthenticate({ ...options, principals, verify })
  app.decorate('principals', principals)
  app.decorateRequest('principal', undefined)
  app.decorateRequest('refusedKeyId', undefined)
  const { db, now } = options
  const { logins } = app.limiters
  const events = createLoginEvents()
  app.decorate('onLogin', events.on)
  const logIn: KeyCheck = async (credential, { ip }) => {
    const facts = await logins.logIn(credential, createTurn(db, ip), ip)
    // Refused keys count as logins, too.
    const denied = checkNetwork(facts, ip) ?? authorize(facts, now())
    if (denied) throw denied
    return facts
  }
  app.decorate('logIn', events.emitChecks(true, logIn))
  const identify: KeyCheck = (credential, { ip }) => logins.identify(credential, createTurn(db, ip), ip)
  app.decorate('identifyClient', events.emitChecks(false, identify))
  app.decorate('signingKeys', signingKeys)
  app.decorate('authenticate', authenticate)
  // See docs/decisions/0224-the-edge-hands-the-principal-over.md.
  const handedOver = new WeakMap<RawRequest, Principal>()
  app.decorate('handOver', (request: RawRequest, principal: Principal) => {
    handedOver.set(request, principal)
  })
  app.decorate(
    'authenticateOnce',
    (request: FastifyRequest) => handedOver.get(getRawRequest(request)) ?? app.authenticate(request),
  )
  app.decorate('authenticateInTurn', (request: AuthenticationRequest, owner: string) =>
    inTurn(db, owner, async () => authenticate(request)),
  )
  app.decorate('verifyToken', verify)
  app.decorate(
    'signAccessToken',
    events.emitSigned(createTokenSigner(app.jwt, options, principals.listScopes)),
  )
}

export default fp(auth, { name: 'auth', dependencies: ['gate', 'limiters'], fastify: '5.x' })
