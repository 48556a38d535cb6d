import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import { accessTokenClaims, type tokenAnswer } from '../../schemas/auth.ts'
import { ApiError } from '../errors.ts'
import type { KeyFacts } from './facts.ts'
import type { LoginSource } from './login-events.ts'
import { refuseNoToken, refuseToken, requireCredentials } from './principals.ts'
import { areTooMany, tooManyScopes } from './scopes.ts'
import { tokenType } from './signing-key.ts'
import type { SigningKeys } from './signing-keys.ts'

/** The cryptography of tokens: @fastify/jwt with our issuer, audience, type and algorithm. */
export type Jwt = Readonly<{
  /** The claims, where the key signed them and they hold at `clockTimestamp` (ms). Throws otherwise. */
  verify(token: string, options: { key: string; clockTimestamp: number }): unknown
  sign(
    claims: object,
    options: { algorithm: 'EdDSA'; key: string; header: { alg: string; typ: string; kid: string } },
  ): string
}>

export type TokensOptions = {
  signingKeys: SigningKeys
  /** Origin: issuer and audience of tokens. */
  publicUrl: string
  accessTokenSeconds: number
  /** Milliseconds since 1970. */
  now: () => number
}

/** Signs a token for a login from `source`, with all the key's scopes or with `narrowed`. */
export type SignToken = (
  key: KeyFacts,
  source: LoginSource,
  narrowed?: readonly string[],
) => Promise<z.output<typeof tokenAnswer>>

/** Every scope of a customer, one by one: what a token of an unlimited key lists. */
type ListScopes = (customerId: string) => readonly string[] | Promise<readonly string[]>

/** What a good token says. Whether its key may still be used is another question. */
export type VerifiedToken = Readonly<{
  header: string
  keyId: string
  customerId: string
  /** undefined = every scope. */
  scopes: ReadonlySet<string> | undefined
  expiresAtMs: number
  jti: string
  /** Seconds since 1970. */
  iat: number
  nbf: number
}>

/**
 * Bytes of tokens kept: some 15,000 of the usual size. Only good ones are kept, so nobody can push them out with bad
 * ones. A client chooses how many scopes its token lists, and each is a member of a set.
 */
const maxTokenBytes = 2 ** 24
const [tokenBytes, scopeBytes] = [400, 100]

const sizeOf = ({ scopes }: VerifiedToken, token: string): number =>
  token.length + tokenBytes + scopeBytes * (scopes?.size ?? 0)
/** Clocks of instances differ: a token made by one must be good on the next at once. */
const clockSkewSeconds = 10

/**
 * Returns the token of an Authorization header; an empty string if only the scheme was sent. Throws
 * `credentials_required` without a token. RFC 9110, section 11.4: the scheme ignores case, and one or more spaces
 * follow it.
 */
export const readBearer = (authorization: string | undefined): string => {
  // The way of nearly every request, for speed.
  if (authorization?.startsWith('Bearer ') && authorization[7] !== ' ') return authorization.slice(7)
  const scheme = /^bearer(?: +|$)/i.exec(authorization ?? '')
  if (!scheme) throw requireCredentials()
  return scheme.input.slice(scheme[0].length)
}

// The last character of a signature has four unused bits: without this, 16 spellings of a token would be
// good.
const isCanonical = (segment: string) => Buffer.from(segment, 'base64url').toString('base64url') === segment

const parseScopes = (scope: string) => new Set(scope.split(' ').filter((each) => each !== ''))

/**
 * Verifies a token once and remembers it, as long as it lives and its signing key is there. The answer is
 * the same object each time. Throws 401 `token_expired` or `invalid_token`.
 */
export const createTokenVerifier = (jwt: Jwt, { signingKeys, now }: TokensOptions) => {
  const tokens = new LRUCache<string, VerifiedToken>({ maxSize: maxTokenBytes, sizeCalculation: sizeOf })

  const verify = (token: string): VerifiedToken => {
    const [header = '', claimsSegment = '', signature = ''] = token.split('.', 3)
    const key = signingKeys.publicByHeader.get(header)
    if (key === undefined || !isCanonical(signature)) throw refuseNoToken(token)
    let payload: unknown
    try {
      payload = jwt.verify(token, { key, clockTimestamp: now() })
    } catch (error) {
      const isExpired = (error as { code?: unknown }).code === 'FAST_JWT_EXPIRED'
      throw refuseToken(isExpired ? 'token_expired' : 'invalid_token')
    }
    // As we write it ourselves: of a claim that came twice, two readers could each take another.
    const isOurs = Buffer.from(JSON.stringify(payload)).toString('base64url') === claimsSegment
    const { success, data: claims } = accessTokenClaims.safeParse(payload)
    if (!isOurs || !success) throw refuseToken('invalid_token')
    return {
      header,
      keyId: claims.sub,
      customerId: claims.customer,
      scopes: claims.every_scope ? undefined : parseScopes(claims.scope),
      expiresAtMs: claims.exp * 1000,
      jti: claims.jti,
      iat: claims.iat,
      nbf: claims.nbf,
    }
  }

  return (token: string): VerifiedToken => {
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

/**
 * Signs access tokens (RFC 9068) with all the key's scopes, or with `narrowed`, which must be among them. No token
 * outlives its key. Throws `invalid_body` where the scopes are more than a token holds.
 */
export const createTokenSigner =
  (jwt: Jwt, { signingKeys, publicUrl, accessTokenSeconds, now }: TokensOptions, listScopes: ListScopes) =>
  async (key: KeyFacts, narrowed?: readonly string[]): Promise<z.output<typeof tokenAnswer>> => {
    const iat = Math.floor(now() / 1000)
    const expiresIn = Math.max(1, Math.min(accessTokenSeconds, Math.floor(key.expiresAtMs / 1000) - iat))
    const scopes = [...(narrowed ?? key.scopes ?? (await listScopes(key.customerId)))]
    if (areTooMany(scopes)) {
      const detail = `${tooManyScopes}: ask for fewer with scope at POST /v1/oauth/token`
      throw new ApiError('invalid_body', { detail })
    }
    const scope = scopes.join(' ')
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
      ...(narrowed || key.scopes ? {} : { every_scope: true }),
    }
    const { kid, privatePem } = await signingKeys.findActiveUntil(claims.exp * 1000)
    const header = { alg: 'EdDSA', typ: tokenType, kid }
    const access_token = jwt.sign(claims, { algorithm: 'EdDSA', key: privatePem, header })
    return { access_token, token_type: 'Bearer', expires_in: expiresIn, scope }
  }
