import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import { accessTokenClaims, type tokenAnswer } from '../../schemas/auth.ts'
import { ApiError } from '../errors.ts'
import { credentialsRequired, toNoTokenError, toTokenError } from './credential-errors.ts'
import type { KeyFacts } from './facts.ts'
import type { LoginSource } from './login-events.ts'
import { areTooMany, hasEveryScope, tooManyScopes } from './scopes.ts'
import { tokenType } from './signing-key.ts'
import type { SigningKeys } from './signing-keys.ts'

export type Jwt = Readonly<{
  /** Returns the claims. Throws if the signature or the claims are invalid at `clockTimestamp` (ms). */
  verify(token: string, options: { key: string; clockTimestamp: number }): unknown
  sign(
    claims: object,
    options: { algorithm: 'EdDSA'; key: string; header: { alg: string; typ: string; kid: string } },
  ): string
}>

export type TokensOptions = {
  signingKeys: SigningKeys
  publicUrl: string
  accessTokenSeconds: number
  now: () => number
}

/** `narrowed`: the requested scopes. Defaults to all scopes of the key. */
export type SignToken = (
  key: KeyFacts,
  source: LoginSource,
  narrowed?: readonly string[],
) => Promise<z.output<typeof tokenAnswer>>

type ListScopes = (key: KeyFacts) => Promise<readonly string[]>

/** The signature was verified, but the token or its key may be revoked. `iat` and `nbf` are in seconds. */
export type VerifiedToken = Readonly<{
  header: string
  keyId: string
  customerId: string
  /** `undefined` = every scope except `onlyNamedScopes`. */
  scopes: ReadonlySet<string> | undefined
  expiresAtMs: number
  jti: string
  iat: number
  nbf: number
}>

/** About 15,000 usual tokens. The size includes the scopes, because clients choose their number. */
const maxTokenBytes = 2 ** 24
const [tokenBytes, scopeBytes] = [400, 100]

const estimateSize = ({ scopes }: VerifiedToken, token: string): number =>
  token.length + tokenBytes + scopeBytes * (scopes?.size ?? 0)
/** The clocks of instances differ, and a token must be valid on all of them immediately. */
const clockSkewSeconds = 10

/** Returns the token of an Authorization header (RFC 9110, section 11.4). Throws `credentials_required`. */
export const readBearer = (authorization: string | undefined): string => {
  if (authorization?.startsWith('Bearer ') && authorization[7] !== ' ') return authorization.slice(7)
  const scheme = /^bearer(?: +|$)/i.exec(authorization ?? '')
  if (!scheme) throw credentialsRequired()
  return scheme.input.slice(scheme[0].length)
}

// Without this check each token would have 16 valid spellings: the signature's last character has four unused bits.
const isCanonical = (segment: string) => Buffer.from(segment, 'base64url').toString('base64url') === segment

const parseScopes = (scope: string) => new Set(scope.split(' ').filter((each) => each !== ''))

/** The returned function throws 401. It caches verified tokens until they expire or their signing key is removed. */
export const createTokenVerifier = (jwt: Jwt, { signingKeys, now }: TokensOptions) => {
  const tokens = new LRUCache<string, VerifiedToken>({
    maxSize: maxTokenBytes,
    sizeCalculation: estimateSize,
  })

  const verify = (token: string): VerifiedToken => {
    const [header = '', claimsSegment = '', signature = ''] = token.split('.', 3)
    const key = signingKeys.publicByHeader.get(header)
    if (key === undefined || !isCanonical(signature)) throw toNoTokenError(token)
    let payload: unknown
    try {
      payload = jwt.verify(token, { key, clockTimestamp: now() })
    } catch (error) {
      const isExpired = (error as { code?: unknown }).code === 'FAST_JWT_EXPIRED'
      throw toTokenError(isExpired ? 'token_expired' : 'invalid_token')
    }
    // Accept only our own JSON encoding: parsers disagree on which of two duplicate claims counts.
    const isOurs = Buffer.from(JSON.stringify(payload)).toString('base64url') === claimsSegment
    const { success, data: claims } = accessTokenClaims.safeParse(payload)
    if (!isOurs || !success) throw toTokenError('invalid_token')
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
      throw toTokenError('token_expired')
    }
    if (verified !== known) tokens.set(token, verified)
    return verified
  }
}

/** RFC 9068. A token never outlives its key. Rejects: `invalid_body` (too many scopes), `unavailable`. */
export const createTokenSigner =
  (jwt: Jwt, { signingKeys, publicUrl, accessTokenSeconds, now }: TokensOptions, listScopes: ListScopes) =>
  async (key: KeyFacts, narrowed?: readonly string[]): Promise<z.output<typeof tokenAnswer>> => {
    const iat = Math.floor(now() / 1000)
    const expiresIn = Math.max(1, Math.min(accessTokenSeconds, Math.floor(key.expiresAtMs / 1000) - iat))
    const scopes = narrowed ?? (await listScopes(key))
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
      ...(narrowed || !hasEveryScope(key.scopes) ? {} : { every_scope: true }),
    }
    const { kid, privatePem } = await signingKeys.findActiveUntil(claims.exp * 1000)
    const header = { alg: 'EdDSA', typ: tokenType, kid }
    const access_token = jwt.sign(claims, { algorithm: 'EdDSA', key: privatePem, header })
    return { access_token, token_type: 'Bearer', expires_in: expiresIn, scope, key: key.summary }
  }
