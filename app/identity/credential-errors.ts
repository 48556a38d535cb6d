import { ApiError, type ErrorExtras } from '../errors.ts'
import { looksLikeApiKey } from './api-keys.ts'
import type { KeyFacts } from './facts.ts'

/** The challenge of a bearer token. */
export const bearer = 'Bearer realm="certdata"'

/** The challenge has no error code (RFC 6750, section 3.1). */
export const credentialsRequired = (): ApiError =>
  new ApiError('credentials_required', { headers: { 'www-authenticate': bearer } })

const invalidToken = { 'www-authenticate': `${bearer}, error="invalid_token"` }

export const toTokenError = (
  code: 'invalid_token' | 'token_expired' | 'token_revoked',
  extras: Pick<ErrorExtras, 'detail'> = {},
): ApiError => new ApiError(code, { ...extras, headers: invalidToken })

/** 401 for text that is not a token. The error never contains the text. */
export const toNoTokenError = (text: string): ApiError =>
  looksLikeApiKey(text)
    ? new ApiError('invalid_token', {
        detail:
          'This is an API key. Log in with it first: POST /v1/auth/login exchanges it for an access token.',
        headers: invalidToken,
      })
    : toTokenError('invalid_token')

/** 401 `invalid_api_key`. Without `detail`, the same for a mistyped, an unknown and a wrong key. */
export const toApiKeyError = (extras: Pick<ErrorExtras, 'detail' | 'auditReason'> = {}): ApiError =>
  new ApiError('invalid_api_key', { ...extras, headers: { 'www-authenticate': 'Basic realm="certdata"' } })

type EndedKey = Pick<KeyFacts, 'expiresAtMs' | 'revokedAt' | 'replacedBy'>

const formatSecond = (instant: string): string => `${instant.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`

const describeEnd = ({ expiresAtMs, revokedAt, replacedBy }: EndedKey): string => {
  const advice = 'Ask the certification house for a new one.'
  if (revokedAt !== null) return `This API key was revoked at ${formatSecond(revokedAt)}. ${advice}`
  const end = formatSecond(new Date(expiresAtMs).toISOString())
  return replacedBy === null
    ? `This API key ended at ${end}. ${advice}`
    : `This API key was replaced by the key ${replacedBy}, and ended at ${end}. Use that key.`
}

/**
 * 401 `invalid_api_key` for a client that proved that it owns the key, which was revoked or has expired. See
 * docs/decisions/0295-the-owner-learns-why-a-key-ended.md.
 */
export const toEndedKeyError = (key: EndedKey): ApiError => toApiKeyError({ detail: describeEnd(key) })

/** 401 `token_revoked` for a token of a key that was revoked, has expired or was deleted (`undefined`). */
export const toEndedTokenError = (key: EndedKey | undefined): ApiError =>
  toTokenError('token_revoked', key ? { detail: describeEnd(key) } : {})
