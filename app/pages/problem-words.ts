import type { ErrorCode } from '../errors.ts'

export type ProblemWords = Readonly<{
  /** What it means. */
  means: string
  /** Why it happens. */
  why: string
  /** What to do, in order. */
  todo: readonly string[]
}>

/** Every error in words, so that none enters the catalogue without. */
export const problemWords: Readonly<Record<ErrorCode | 'overloaded', ProblemWords>> = {
  invalid_query: {
    means: 'The query string has at least one fault. Nothing was ignored and nothing was guessed.',
    why: 'A parameter, field, operator or value is not known here, is not of its type, or came twice.',
    todo: [
      'Read errors: it lists every fault at once, with the parameter, what was expected and the nearest valid name.',
      'Where the answer has try, that address is the query with every fault mended: look at it, then use it.',
      'Percent-encode & and + in values. In lists, a comma within a value is written \\,.',
    ],
  },
  invalid_cursor: {
    means: 'The cursor is not one of this query.',
    why: 'It was changed, cut, made by another service, or sent with other filters or another sort than before.',
    todo: [
      'Send page.next_cursor unchanged, with the same filters and sort; limit, fields, include and count may change.',
      'To begin anew, leave cursor out.',
    ],
  },
  invalid_sync_token: {
    means: 'The sync token is not one of this feed.',
    why: 'It was changed or cut, belongs to another customer, or to another set of resources.',
    todo: [
      'Send page.next_token of the answer before, unchanged, with the same resources or without any.',
      'Where the token is lost, start again with after=snapshot.',
    ],
  },
  invalid_body: {
    means: 'The body is not what this address takes.',
    why: 'It is not JSON, or fields are missing, unknown or of another type.',
    todo: [
      'Read errors: each fault has a JSON pointer to its place in the body.',
      'Compare with the reference.',
    ],
  },
  token_in_query: {
    means: 'A token or key came in the address.',
    why: 'Addresses are written to logs, histories and Referer headers, so secrets in them leak.',
    todo: [
      'Treat the token or key as leaked: revoke it.',
      'Send tokens as Authorization: Bearer …, and API keys in the body of POST /v1/auth/login.',
    ],
  },
  malformed_request: {
    means: 'The bytes are not a valid HTTP request.',
    why: 'A broken target, a Host or Authorization header that is missing or came twice, or a body that does not match its length.',
    todo: [
      'Look at what your HTTP client or proxy really sends.',
      'Send each of Host and Authorization once.',
    ],
  },
  credentials_required: {
    means: 'This address needs an access token, and none came.',
    why: 'The Authorization header is missing or is not a bearer token. Some clients drop it on redirects.',
    todo: [
      'POST /v1/auth/login with your API key gives an access token.',
      'Send it with every request: Authorization: Bearer <access token>.',
    ],
  },
  invalid_token: {
    means: 'What came is no access token of this service.',
    why: 'It was cut or changed, is an API key in a token’s place, or was issued by another service.',
    todo: ['Log in at POST /v1/auth/login with an API key, and send the whole access_token of the answer.'],
  },
  token_expired: {
    means: 'The access token was good, and its time is over.',
    why: 'Tokens live for expires_in seconds, an hour unless the operator set otherwise.',
    todo: ['Log in again at POST /v1/auth/login.', 'Better: log in a minute before the token ends.'],
  },
  token_revoked: {
    means: 'The token, or the API key behind it, was revoked, or the key has expired.',
    why: 'You, a colleague, the operator, or whoever found a leaked key has ended it.',
    todo: ['Log in with another key.', 'If you did not expect this, ask the operator what happened.'],
  },
  invalid_api_key: {
    means: 'No usable API key with this value exists.',
    why: 'It is mistyped, unknown, revoked or expired. Which of these, the answer does not say.',
    todo: [
      'Check that the whole key was sent: it begins with cda_live_ and contains its own checksum.',
      'Ask the operator for a new key if yours has ended.',
    ],
  },
  plan_required: {
    means: 'The customer is known, and its plan has no API access, or access is suspended.',
    why: 'API access is part of the plans premium and enterprise.',
    todo: ['Ask the certification house for a plan with API access.'],
  },
  insufficient_scope: {
    means: 'The API key may not read this.',
    why: 'Keys can be limited to some resources. WWW-Authenticate names the scope that is missing.',
    todo: [
      'Use a key with that scope, or have the operator issue one.',
      'GET /v1/me lists what the token may do.',
    ],
  },
  tls_required: {
    means: 'The request came without encryption, so it was refused and not redirected.',
    why: 'What travelled in the clear, the token included, must be taken as read by others.',
    todo: ['Revoke that token or key.', 'Use https:// from the start.'],
  },
  live_token_required: {
    means: 'The demo token does not reach this: there is no example data for it.',
    why: 'Some addresses only make sense for a customer of their own.',
    todo: ['Use an access token of your own.', 'Request access if you have none.'],
  },
  not_found: {
    means: 'There is no such address, or no such record for you.',
    why: 'An id that does not exist and an id of somebody else are answered alike, on purpose.',
    todo: [
      'Check the path against the reference.',
      'Check that the record is among your own: list it by a filter.',
    ],
  },
  method_not_allowed: {
    means: 'The address exists, and does not take this method.',
    why: 'Data are read-only: GET, HEAD and OPTIONS.',
    todo: ['Read the Allow header of the answer.'],
  },
  not_acceptable: {
    means: 'Nothing that the Accept header takes can be answered.',
    why: 'Accept names only types that this address does not have.',
    todo: ['Send Accept: application/json, or leave it out.', 'Or say it in the query: format=json.'],
  },
  request_timeout: {
    means: 'The request did not arrive in time.',
    why: 'The connection is slow or broken, or the client stopped sending.',
    todo: ['Send it again.'],
  },
  sync_token_expired: {
    means: 'The changes since this token are no longer all there.',
    why: 'Tokens are kept for 90 days, and end when the database is restored or moved.',
    todo: ['Start again with after=snapshot, and replace your copy by what it streams.'],
  },
  precondition_failed: {
    means: 'If-Match did not match.',
    why: 'Tags here are weak, and If-Match compares strongly, so only * matches.',
    todo: ['To poll cheaply, use If-None-Match instead.'],
  },
  body_too_large: {
    means: 'The body is larger than any that this address needs.',
    why: 'Bodies end at 64 KiB.',
    todo: ['Send less: no request here needs as much.'],
  },
  uri_too_long: {
    means: 'The address is too long.',
    why: 'Path and query end at 8 KiB, cursor and after not counted.',
    todo: ['Ask for fewer values at once: several requests with shorter lists.'],
  },
  unsupported_media_type: {
    means: 'The Content-Type of the body is not understood here.',
    why: 'Bodies are JSON, but for /v1/oauth/*, where they are forms.',
    todo: ['Set Content-Type as the detail of the answer says.'],
  },
  quota_exceeded: {
    means: 'A quota is used up for now. The request was not carried out.',
    why: 'More requests came in its window than the plan allows; violated-policies names which.',
    todo: [
      'Wait for as many seconds as Retry-After says, then go on.',
      'Watch RateLimit on every answer, and slow down before it reaches 0.',
      'Poll with If-None-Match: a 304 costs nothing of the minute.',
    ],
  },
  headers_too_large: {
    means: 'The headers are too large.',
    why: 'All header fields and the address together end at 16 KiB.',
    todo: ['Look for cookies or tokens that were added twice.'],
  },
  internal_error: {
    means: 'Something went wrong on our side.',
    why: 'This is a fault of the service, and was logged with the request_id.',
    todo: ['Try again after a short while.', 'If it stays, tell the operator the request_id.'],
  },
  not_implemented: {
    means: 'The body came in a transfer coding that the service does not know.',
    why: 'Transfer-Encoding may only say chunked. The service does not unpack bodies that are packed on the way.',
    todo: ['Send the body as it is, with Content-Length or Transfer-Encoding: chunked.'],
  },
  overloaded: {
    means: 'Too many requests wait for the database.',
    why: 'Your request waited, or would have to wait, for longer than the service allows (one second unless the operator sets another time).',
    todo: [
      'Wait for as many seconds as Retry-After says. Add a random part, so that not all clients come back at once.',
    ],
  },
  unavailable: {
    means: 'The service cannot answer this at the moment.',
    why: 'The database cannot be reached, or the instance is stopping.',
    todo: ['Wait for as many seconds as Retry-After says, then try again.', 'See /status.'],
  },
  http_version_not_supported: {
    means: 'The request line names an HTTP version that the connection does not speak.',
    why: 'A request line may say HTTP/1.1 or HTTP/1.0. HTTP/2 has no request line: a client and server agree on it by TLS.',
    todo: ['Look at what your HTTP client or proxy really sends.'],
  },
}

/** Codes of single faults in `errors` of an invalid query or body. */
export const faultWords: Readonly<Record<string, string>> = {
  unknown_parameter: 'There is no such parameter here.',
  unknown_field: 'There is no such field, or it cannot be used there.',
  unknown_operator: 'The field does not take this operator.',
  invalid_value: 'The value is not of the field’s type, or out of its range.',
  duplicate_parameter: 'A parameter that takes one value came twice.',
  too_many_values: 'A list has more values than allowed.',
  not_sortable: 'The resource cannot be sorted by this field.',
}
