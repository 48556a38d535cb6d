import { ApiError, type ErrorExtras } from '../errors.ts'
import { looksLikeApiKey } from './api-keys.ts'

/** The challenge of a bearer token. */
export const bearer = 'Bearer realm="certdata"'

/** The challenge has no error code (RFC 6750, section 3.1). */
export const credentialsRequired = (): ApiError =>
  new ApiError('credentials_required', { headers: { 'www-authenticate': bearer } })

const invalidToken = { 'www-authenticate': `${bearer}, error="invalid_token"` }

export const toTokenError = (code: 'invalid_token' | 'token_expired' | 'token_revoked'): ApiError =>
  new ApiError(code, { headers: invalidToken })

/** 401 for text that is not a token. The error never contains the text. */
export const toNoTokenError = (text: string): ApiError =>
  looksLikeApiKey(text)
    ? new ApiError('invalid_token', {
        detail:
          'This is an API key. Log in with it first: POST /v1/auth/login exchanges it for an access token.',
        headers: invalidToken,
      })
    : toTokenError('invalid_token')

/** 401 `invalid_api_key`. The same for an unknown, revoked or expired key, so that it does not reveal which. */
export const toApiKeyError = (extras: Pick<ErrorExtras, 'detail' | 'auditReason'> = {}): ApiError =>
  new ApiError('invalid_api_key', { ...extras, headers: { 'www-authenticate': 'Basic realm="certdata"' } })
