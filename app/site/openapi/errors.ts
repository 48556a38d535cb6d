import { catalogue, type ErrorCode } from '../../errors.ts'
import { type HeaderName, limitHeaders } from './headers.ts'

/** The checks of a request that may refuse it. */
export type Origin =
  /** Bytes, transport, method, and failures of the service. Any request. */
  | 'request'
  | 'token'
  | 'live_token'
  | 'scope'
  | 'query'
  | 'cursor'
  | 'sync_token'
  | 'record'
  | 'past'
  | 'tag'
  | 'body'
  | 'api_key'
  /** Requests without a token, limited by client address. */
  | 'address'

/** Complete, so that every new error gets its origins. */
const origins: Readonly<Record<ErrorCode, readonly Origin[]>> = {
  invalid_query: ['query'],
  invalid_cursor: ['cursor'],
  invalid_sync_token: ['sync_token'],
  invalid_body: ['body'],
  token_in_query: ['request'],
  malformed_request: ['request'],
  credentials_required: ['token'],
  invalid_token: ['token'],
  token_expired: ['token'],
  token_revoked: ['token'],
  invalid_api_key: ['api_key'],
  plan_required: ['token', 'api_key'],
  insufficient_scope: ['scope'],
  network_not_allowed: ['token', 'api_key'],
  tls_required: ['request'],
  live_token_required: ['live_token'],
  // Only on a page's own endpoint, which is not in the document.
  cross_origin: [],
  not_found: ['record'],
  before_history: ['past'],
  method_not_allowed: ['request'],
  not_acceptable: ['token'],
  request_timeout: ['request'],
  sync_token_expired: ['sync_token'],
  precondition_failed: ['tag'],
  body_too_large: ['body'],
  uri_too_long: ['request'],
  unsupported_media_type: ['body'],
  quota_exceeded: ['token', 'api_key', 'address'],
  headers_too_large: ['request'],
  internal_error: ['request'],
  not_implemented: ['request'],
  overloaded: ['request'],
  unavailable: ['token', 'api_key', 'address'],
  http_version_not_supported: ['request'],
}

/** Returns the errors of these origins by status, in the order of the catalogue. */
export const listErrors = (from: ReadonlySet<Origin>): Map<number, ErrorCode[]> => {
  const codes = Object.keys(catalogue) as ErrorCode[]
  const possible = codes.filter((code) => origins[code].some((origin) => from.has(origin)))
  return Map.groupBy(possible, (code) => catalogue[code][0])
}

/** Errors found after authentication. Their answers include the quotas. */
const judgedOfCustomers: ReadonlySet<ErrorCode> = new Set([
  'plan_required',
  'insufficient_scope',
  'quota_exceeded',
  'not_acceptable',
  'invalid_query',
  'invalid_cursor',
  'invalid_sync_token',
  'sync_token_expired',
  'not_found',
  'before_history',
  'precondition_failed',
])

const mayVary = (code: ErrorCode): boolean =>
  judgedOfCustomers.has(code) ||
  code === 'method_not_allowed' ||
  code === 'internal_error' ||
  origins[code].includes('token')

/** Returns the header fields that an answer with this status may have. */
export const errorHeaders = (status: number, codes: readonly ErrorCode[]): HeaderName[] => {
  const names: HeaderName[] = ['Cache-Control', 'Request-Id']
  if (status === 401 || codes.includes('insufficient_scope')) names.push('WWW-Authenticate')
  if (status === 405) names.push('Allow')
  if (status === 429 || status === 503) names.push('Retry-After')
  if (codes.some((code) => judgedOfCustomers.has(code))) names.push(...limitHeaders)
  if (codes.some(mayVary)) names.push('Vary')
  return names
}
