/** Status and title of each error code. The error handler sets the status. */
export const catalogue = {
  invalid_query: [400, 'The query cannot be understood'],
  invalid_cursor: [400, 'The cursor does not belong to this query'],
  invalid_sync_token: [400, 'The sync token does not belong to this feed'],
  invalid_body: [400, 'The body cannot be understood'],
  token_in_query: [400, 'The address must not contain a token'],
  malformed_request: [400, 'The request is malformed'],
  credentials_required: [401, 'Credentials are required'],
  invalid_token: [401, 'The token is not valid'],
  token_expired: [401, 'The token has expired'],
  token_revoked: [401, 'The token has been revoked'],
  invalid_api_key: [401, 'The API key is not valid'],
  plan_required: [403, 'The customer has no API access'],
  insufficient_scope: [403, 'The token lacks the scope'],
  network_not_allowed: [403, 'The key may not be used from this network'],
  tls_required: [403, 'TLS is required'],
  live_token_required: [403, 'A live token is required'],
  cross_origin: [403, 'Only a page of this service may send this'],
  not_found: [404, 'Not found'],
  before_history: [404, 'History does not reach that day'],
  method_not_allowed: [405, 'The method is not allowed here'],
  not_acceptable: [406, 'No acceptable representation'],
  request_timeout: [408, 'The request took too long to arrive'],
  rotation_refused: [409, 'The key cannot be rotated'],
  sync_token_expired: [410, 'The sync token has expired'],
  precondition_failed: [412, 'The precondition failed'],
  body_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'The address is too long'],
  unsupported_media_type: [415, 'The content type is not supported'],
  quota_exceeded: [429, 'A quota is used up'],
  headers_too_large: [431, 'The headers are too large'],
  internal_error: [500, 'Something went wrong'],
  not_implemented: [501, 'The transfer coding is not supported'],
  overloaded: [503, 'The service is overloaded'],
  unavailable: [503, 'Temporarily unavailable'],
  http_version_not_supported: [505, 'The HTTP version is not supported'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ErrorCode = keyof typeof catalogue

/** HTTP requires these 5xx statuses for faults of the client (RFC 9112, sections 2.3 and 6.1). */
const clientFaults: readonly ErrorCode[] = ['not_implemented', 'http_version_not_supported']
const clientStatuses = new Set<number>(clientFaults.map((code) => catalogue[code][0]))

/** Whether a status counts as a failure of the service. The rules for Prometheus repeat this definition. */
export const isServiceFault = (status: number): boolean => status >= 500 && !clientStatuses.has(status)

/** The default detail of errors whose title does not describe the remedy. */
const advice: Partial<Record<ErrorCode, string>> = {
  credentials_required:
    'Send Authorization: Bearer <access token>. POST /v1/auth/login exchanges an API key for one.',
  invalid_token:
    'The token is not an access token of this service, or is incomplete. Log in at POST /v1/auth/login with an API key.',
  token_expired: 'Log in again at POST /v1/auth/login with the API key.',
  token_revoked:
    'The token was revoked, or its API key no longer works. Log in at POST /v1/auth/login: the answer says whether the key still works.',
  method_not_allowed: 'The Allow header names the methods that this address takes.',
  plan_required:
    'The plan basic has no API access. Ask the certification house for the plan premium or enterprise.',
  network_not_allowed:
    'The API key is limited to certain networks. Send the request from one of them, or ask the certification house to add yours.',
}

export type Fault = {
  parameter?: string
  /** Into the body (RFC 6901). */
  pointer?: string
  code: string
  detail: string
  did_you_mean?: string
}

export type ErrorExtras = {
  /** Defaults to the first fault, otherwise to general advice or the title. */
  detail?: string
  errors?: readonly Fault[]
  /** The corrected URL, if every fault has a correction. */
  try?: string
  violatedPolicies?: readonly string[]
  /** Replaces the code in the audit trail. Never sent to the client. */
  auditReason?: string
  headers?: Readonly<Record<string, string>>
}

const prependNearest = ({ did_you_mean: nearest }: Fault, detail: string): string =>
  nearest === undefined ? detail : `Did you mean ${nearest}? ${detail}`

const describeFirst = ([first]: readonly Fault[] = []): string | undefined => {
  const place = first?.parameter ?? first?.pointer ?? ''
  if (!first) return undefined
  const isNamed = place === '' || first.detail.startsWith(`${place} `)
  return prependNearest(first, isNamed ? first.detail : `${place}: ${first.detail}`)
}

/** A thrown catalogue entry. The error handler converts it to a problem document. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly title: string
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, extras: ErrorExtras = {}) {
    super(extras.detail ?? describeFirst(extras.errors) ?? advice[code] ?? catalogue[code][1])
    this.code = code
    this.status = catalogue[code][0]
    this.title = catalogue[code][1]
    this.extras = extras
  }
}

/** 503 `unavailable` with `Retry-After`. */
export const unavailable = (retryAfterSeconds = 1): ApiError =>
  new ApiError('unavailable', { headers: { 'retry-after': String(retryAfterSeconds) } })

/** 400 with every fault. `corrected`: the URL without the faults, if each has a correction. */
export const invalidQuery = (errors: readonly Fault[], corrected: string | undefined): ApiError => {
  const detail = describeFirst(errors)
  return new ApiError('invalid_query', {
    ...(detail === undefined ? {} : { detail }),
    errors: errors.map((fault) => ({ ...fault, detail: prependNearest(fault, fault.detail) })),
    ...(corrected === undefined ? {} : { try: corrected }),
  })
}
