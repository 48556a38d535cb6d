import type { ErrorCode } from '../errors.ts'

export type ProblemWords = Readonly<{
  means: string
  why: string
  /** Steps in order. Names are in backticks. */
  todo: readonly string[]
}>

/** The texts of the errors' pages. */
export const problemWords: Readonly<Record<ErrorCode | 'overloaded', ProblemWords>> = {
  invalid_query: {
    means: 'The query string has at least one fault. Nothing was ignored and nothing was guessed.',
    why: 'A parameter, field, operator or value is unknown, has the wrong type, or was given twice.',
    todo: [
      'Read the list in `errors`. It names every fault at once: the parameter, the expected value and the nearest valid name.',
      'If the answer has `try`, that address is the query with every fault corrected. Check it, then use it.',
      'Percent-encode `&` and `+` in values. In lists, a comma within a value is written `\\,`.',
    ],
  },
  invalid_cursor: {
    means: 'The cursor does not belong to this query.',
    why: 'It was changed or cut, comes from another service, or was sent with other filters or another sort than before.',
    todo: [
      'Send `page.next_cursor` unchanged, with the same filters and sort. You may change `limit`, `fields`, `include` and `count`.',
      'To begin again, leave `cursor` out.',
    ],
  },
  invalid_sync_token: {
    means: 'The sync token does not belong to this feed.',
    why: 'It was changed or cut, or belongs to another customer or another set of resources.',
    todo: [
      'Send `page.next_token` of the answer before, unchanged, with the same resources or without any.',
      'If you have lost the token, start again with `after=snapshot`.',
    ],
  },
  invalid_body: {
    means: 'This address does not accept the body.',
    why: 'The body is not JSON, or a field is missing, unknown or of the wrong type.',
    todo: [
      'Read `errors`: each fault has a JSON pointer to its place in the body.',
      'Compare with the reference.',
    ],
  },
  token_in_query: {
    means: 'The address contains a token or key.',
    why: 'Logs, browser histories and Referer headers contain addresses, so a secret in an address leaks.',
    todo: [
      'Treat the token or key as leaked: revoke it.',
      'Send tokens as `Authorization: Bearer …`, and API keys in the body of `POST /v1/auth/login`.',
    ],
  },
  malformed_request: {
    means: 'The bytes are not a valid HTTP request.',
    why: 'The target is broken, the header Host or Authorization is missing or was sent twice, or the body does not have the length that was announced.',
    todo: [
      'Look at what your HTTP client or proxy really sends.',
      'Send each of `Host` and `Authorization` once.',
    ],
  },
  credentials_required: {
    means: 'This address needs an access token, and the request has none.',
    why: 'The Authorization header is missing or is not a bearer token. Some clients drop it on redirects.',
    todo: [
      '`POST /v1/auth/login` with your API key gives an access token.',
      'Send it with every request: `Authorization: Bearer <access token>`.',
    ],
  },
  invalid_token: {
    means: 'The request has a token that is not an access token of this service.',
    why: 'The token was cut or changed, is really an API key, or was issued by another service.',
    todo: [
      'Log in at `POST /v1/auth/login` with an API key, and send the whole `access_token` of the answer.',
    ],
  },
  token_expired: {
    means: 'The access token has expired.',
    why: 'A token is valid for expires_in seconds: one hour, unless the operator set another time.',
    todo: ['Log in again at `POST /v1/auth/login`.', 'Next time, log in a minute before the token expires.'],
  },
  token_revoked: {
    means: 'The token, or the API key behind it, was revoked, or the key has expired.',
    why: 'You, a colleague, the operator, or somebody who found a leaked key has revoked it.',
    todo: ['Log in with another key.', 'If you did not expect this, ask the operator what happened.'],
  },
  invalid_api_key: {
    means: 'No usable API key with this value exists.',
    why: 'The key is mistyped, unknown, revoked or expired, or the assertion of a client was not signed with its key. For security, the answer does not say which.',
    todo: [
      'Check that the whole key was sent: it begins with `cda_live_` and contains its own checksum.',
      'If your client signs, read `error_description`: it names what is wrong with the claims. Check that the key that signs is the registered one.',
      'Ask the operator for a new key if yours was revoked or has expired.',
    ],
  },
  plan_required: {
    means: 'The customer’s plan has no API access, or access is suspended.',
    why: 'API access is part of the plans premium and enterprise.',
    todo: ['Ask the certification house for a plan with API access.'],
  },
  insufficient_scope: {
    means: 'The access token may not read this.',
    why: 'The API key is limited to some resources, or the token was issued with fewer scopes than its key has. The detail says which. WWW-Authenticate names the missing scope.',
    todo: [
      'If the key has the scope, log in again without `scope`. If not, use another key, or ask the operator for one.',
      '`GET /v1/me` lists the scopes of the token.',
    ],
  },
  network_not_allowed: {
    means: 'The API key may not be used from the network that this request came from.',
    why: 'The operator has limited the key to certain networks. The tokens that were issued for the key are limited, too.',
    todo: [
      'Send the request from one of the key’s networks. Behind a proxy or VPN, the address that counts is the one it sends from.',
      'Ask the operator which networks the key has, or to add yours. A change takes effect within a second.',
      'If nobody of yours sent this request, the key or token has leaked: revoke the key.',
    ],
  },
  tls_required: {
    means: 'The request came without encryption, so it was refused and not redirected.',
    why: 'Others may have read the request, including its token.',
    todo: ['Revoke that token or key.', 'Use `https://` from the start.'],
  },
  live_token_required: {
    means: 'The demo token cannot use this address: it has no example data.',
    why: 'Some addresses only make sense for a real customer.',
    todo: ['Use an access token of your own.', 'Get access if you have none.'],
  },
  cross_origin: {
    means: 'The request did not come from a page of this service.',
    why: 'Only the demo page may change example records. The header Origin or Sec-Fetch-Site is missing or names another page.',
    todo: ['Open `/demo` and use its button.', 'To read records from a program, use GET with a token.'],
  },
  not_found: {
    means: 'The address does not exist, or the record does not exist among yours.',
    why: 'On purpose, the answer does not say whether another customer has a record with this id.',
    todo: [
      'Check the path against the reference.',
      'Check that the record is yours: list your records with a filter.',
    ],
  },
  before_history: {
    means: 'Nobody knows what this record was on that day.',
    why: 'The service keeps former values from a certain day on. The detail names the first day of this record.',
    todo: ['Ask for that day or a later one.'],
  },
  method_not_allowed: {
    means: 'The address exists, but does not accept this method.',
    why: 'Data are read-only: GET, HEAD and OPTIONS.',
    todo: ['Read the `Allow` header of the answer.'],
  },
  not_acceptable: {
    means: 'The service cannot answer in any type that the Accept header allows.',
    why: 'The Accept header names only types that this address does not have.',
    todo: ['Send `Accept: application/json`, or leave it out.', 'Or add `format=json` to the query.'],
  },
  request_timeout: {
    means: 'The request did not arrive in time.',
    why: 'The connection is slow or broken, or the client stopped sending.',
    todo: ['Send it again.'],
  },
  sync_token_expired: {
    means: 'The service no longer has all changes since this token.',
    why: 'A token is valid for 90 days. It also ends when the database is restored or moved.',
    todo: ['Start again with `after=snapshot`, and replace your copy with the snapshot.'],
  },
  precondition_failed: {
    means: 'If-Match did not match.',
    why: 'The service uses weak ETags. If-Match needs strong ones, so only * matches.',
    todo: ['To poll cheaply, use `If-None-Match` instead.'],
  },
  body_too_large: {
    means: 'The body is too large.',
    why: 'A body may have at most 64 KiB.',
    todo: ['Send a smaller body. No request needs more than 64 KiB.'],
  },
  uri_too_long: {
    means: 'The address is too long.',
    why: 'Path and query may have at most 8 KiB together, without cursor and after.',
    todo: ['Ask for fewer values in one request: send several requests with shorter lists.'],
  },
  unsupported_media_type: {
    means: 'This address does not accept the Content-Type of the body.',
    why: 'Bodies are JSON. Only /v1/oauth/* takes forms.',
    todo: ['Set the `Content-Type` that the detail of the answer names.'],
  },
  quota_exceeded: {
    means: 'A quota is used up for now. The request had no effect.',
    why: 'There were more requests than the plan allows in a second or a minute. violated-policies names the quota.',
    todo: [
      'Wait for the seconds that `Retry-After` names, then go on.',
      'Watch `RateLimit` on every answer, and slow down before it reaches 0.',
      'Poll with `If-None-Match`: a 304 does not count against the quota for a minute.',
    ],
  },
  headers_too_large: {
    means: 'The headers are too large.',
    why: 'All header fields and the address together may have at most 16 KiB.',
    todo: ['Look for cookies or tokens that were added twice.'],
  },
  internal_error: {
    means: 'Something went wrong on our side.',
    why: 'This is a fault of the service. The log has it under the request_id.',
    todo: ['Try again after a short while.', 'If the error stays, give the `request_id` to the operator.'],
  },
  not_implemented: {
    means: 'The body came in a transfer coding that the service does not know.',
    why: 'Transfer-Encoding may only say chunked. The service does not unpack bodies that are packed on the way.',
    todo: ['Send the body as it is, with `Content-Length` or `Transfer-Encoding: chunked`.'],
  },
  overloaded: {
    means: 'Too many requests wait for the database.',
    why: 'Your request waited, or would have to wait, for longer than the service allows (one second unless the operator sets another time).',
    todo: [
      'Wait for as many seconds as `Retry-After` says. Add a random part, so that not all clients repeat at the same moment.',
    ],
  },
  unavailable: {
    means: 'The service cannot answer this at the moment.',
    why: 'The database cannot be reached, or the instance is stopping.',
    todo: ['Wait for the seconds that `Retry-After` names, then try again.', 'See `/status`.'],
  },
  http_version_not_supported: {
    means: 'The service does not answer this request over this version of HTTP.',
    why: 'A request line may name HTTP/1.1 or HTTP/1.0. HTTP/2 has no request line: client and server agree on it by TLS. Exports and `after=snapshot` need HTTP/1.1 or HTTP/2, because over HTTP/1.0 a stream that broke off looks complete.',
    todo: [
      'Use HTTP/1.1 or HTTP/2.',
      'nginx speaks HTTP/1.0 to the service by default. Set `proxy_http_version 1.1`.',
    ],
  },
}

/** The codes in `errors` of an invalid query or body. */
export const faultWords: Readonly<Record<string, string>> = {
  unknown_parameter: 'This address has no such parameter.',
  unknown_field: 'The field does not exist, or cannot be used here.',
  unknown_operator: 'The field does not take this operator.',
  invalid_value: 'The value has the wrong type or is out of range.',
  duplicate_parameter: 'A parameter that takes one value was given twice.',
  too_many_values: 'A list has more values than allowed.',
  not_sortable: 'The resource cannot be sorted by this field.',
}
