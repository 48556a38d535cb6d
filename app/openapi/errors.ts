import { catalogue, type ErrorCode } from '../errors.ts'
import { type HeaderName, limitHeaders } from './headers.ts'

/** The checks that may refuse a request, with their errors. `cross_origin` belongs to a page, not to the API. */
const codes = {
  /** Possible for any request. */
  request: [
    'token_in_query',
    'malformed_request',
    'tls_required',
    'method_not_allowed',
    'request_timeout',
    'uri_too_long',
    'headers_too_large',
    'internal_error',
    'not_implemented',
    'overloaded',
    'http_version_not_supported',
  ],
  token: [
    'credentials_required',
    'invalid_token',
    'token_expired',
    'token_revoked',
    'plan_required',
    'network_not_allowed',
    'not_acceptable',
    'quota_exceeded',
    'unavailable',
  ],
  live_token: ['live_token_required'],
  scope: ['insufficient_scope'],
  query: ['invalid_query'],
  cursor: ['invalid_cursor'],
  sync_token: ['invalid_sync_token', 'sync_token_expired'],
  record: ['not_found'],
  past: ['before_history'],
  tag: ['precondition_failed'],
  body: ['invalid_body', 'body_too_large', 'unsupported_media_type'],
  api_key: ['invalid_api_key', 'plan_required', 'network_not_allowed', 'quota_exceeded', 'unavailable'],
  rotation: ['insufficient_scope', 'rotation_refused'],
  /** Requests without a token, limited by client address. */
  address: ['quota_exceeded', 'unavailable'],
} as const satisfies Record<string, readonly ErrorCode[]>

export type Origin = keyof typeof codes

/** Returns the errors of these checks by status, in the order of the catalogue. */
export const listErrors = (from: ReadonlySet<Origin>): Map<number, ErrorCode[]> => {
  const possible = new Set<ErrorCode>([...from].flatMap((origin) => codes[origin]))
  const ordered = (Object.keys(catalogue) as ErrorCode[]).filter((code) => possible.has(code))
  return Map.groupBy(ordered, (code) => catalogue[code][0])
}

const withQuotas: ReadonlySet<number> = new Set([400, 403, 404, 406, 410, 412, 429])

/** Returns the headers that an error with this status may have. */
export const errorHeaders = (status: number): HeaderName[] => [
  'Cache-Control',
  'Request-Id',
  'Vary',
  ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
  ...(status === 405 ? (['Allow'] as const) : []),
  ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ...(withQuotas.has(status) ? limitHeaders : []),
]
