import type { ApiError, ErrorCode } from '../../errors.ts'

/** RFC 6749, section 5.2. `problem`: the catalogue's error whose page explains this one. */
const errors = {
  invalid_request: [400, 'invalid_body'],
  invalid_client: [401, 'invalid_api_key'],
  unauthorized_client: [400, 'plan_required'],
  unsupported_grant_type: [400, 'invalid_body'],
  invalid_scope: [400, 'insufficient_scope'],
} as const satisfies Record<string, readonly [status: number, problem: ErrorCode]>

type OAuthErrorCode = keyof typeof errors

type OAuthErrorExtras = {
  status?: number
  problem?: ErrorCode
  headers?: Readonly<Record<string, string>>
}

export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: number
  readonly problem: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: OAuthErrorCode, description: string, extras: OAuthErrorExtras = {}) {
    super(description)
    this.code = code
    this.status = extras.status ?? errors[code][0]
    this.problem = extras.problem ?? errors[code][1]
    this.headers = extras.headers ?? {}
  }
}

const meanings: Partial<Record<ErrorCode, readonly [OAuthErrorCode, OAuthErrorExtras]>> = {
  invalid_api_key: ['invalid_client', {}],
  plan_required: ['unauthorized_client', {}],
  network_not_allowed: ['unauthorized_client', { status: 403, problem: 'network_not_allowed' }],
}

/** `undefined` for 429 and 5xx, which stay problem documents. */
export const toOAuthError = (error: ApiError): OAuthError | undefined => {
  if (error.status === 429 || error.status >= 500) return undefined
  const { headers = {} } = error.extras
  const meaning = meanings[error.code]
  if (meaning) return new OAuthError(meaning[0], error.message, { ...meaning[1], headers })
  const [fault] = error.code === 'invalid_body' ? (error.extras.errors ?? []) : []
  return new OAuthError('invalid_request', fault?.detail ?? error.message, {
    status: error.status,
    problem: error.code,
    headers,
  })
}

/** RFC 6749, appendix A.8: `%x20-21 / %x23-5B / %x5D-7E`. */
const notDescription = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

/** RFC 6749, section 5.2. */
export const oauthErrorBody = ({ code, message, problem }: OAuthError, publicUrl: string) => ({
  error: code,
  error_description: message.replaceAll('…', '...').replace(notDescription, "'"),
  error_uri: `${publicUrl}/problems/${problem}`,
})
