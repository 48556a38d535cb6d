/** A JSON Schema (2020-12), or any other node of the document. */
export type SchemaNode = { readonly [key: string]: unknown }

type Header = readonly [description: string, example: string | number]

const headers = {
  Allow: ['The supported methods', 'GET, HEAD, OPTIONS'],
  'Cache-Control': ['`no-cache`: validate before each use. `no-store`: do not keep', 'private, no-cache'],
  'Cache-Status': [
    'Source of the answer (RFC 9211). `hit`: a cache (`ttl=-42`: stale by 42 seconds). `fwd=…`: the database',
    'certdata; hit',
  ],
  'Content-Disposition': ['The file name of an export', 'attachment; filename="certificates-2026-11-21.csv"'],
  'Data-As-Of': [
    'Every change committed before this time of the database is included. Cache-Status shows stale answers',
    '2026-11-21T16:20:00.123456Z',
  ],
  'Definition-Revision': ['Revision of the custom endpoint', 1],
  ETag: ['Weak ETag. Send it as If-None-Match (RFC 9110)', 'W/"mHqvXYqkV0jXyVd8Hq2c1w"'],
  Link: [
    'The next page as `rel="next"` (RFC 8288), whenever `page.has_more` is true. A long query is packed into one parameter',
    '<https://api.example/v1/certificates?cursor=AXq3x0a2c0F1>; rel="next"',
  ],
  Pragma: ['`Cache-Control: no-store` for old caches', 'no-cache'],
  RateLimit: [
    'On answers to a token: for each quota, the units left (`r`) and the seconds until more are available (`t`)',
    '"burst";r=97;t=1, "minute";r=412;t=23',
  ],
  'RateLimit-Policy': [
    'On answers to a token: the units (`q`) in any window of `w` seconds (draft-ietf-httpapi-ratelimit-headers)',
    '"burst";q=100;w=1, "minute";q=600;w=60',
  ],
  'Request-Id': ['Id of the request in our logs', '3f0f4c1e-8a0e-4f43-9d0c-6f1d6a5c2b7a'],
  'Retry-After': ['Seconds to wait before the next attempt', 1],
  'Server-Timing': ['Duration in milliseconds', 'total;dur=1.42'],
  'Sync-Token': [
    'With `after=snapshot`: the token to continue with, sent before the records',
    'AVsiNzU3NTYwNDE2MTY5NDc2NTg5OC4wMDAwMDAwMS4xNjM4NC4xNjUwMCIsMTc5NTI1MzQwMF0',
  ],
  Vary: ['Request headers that the answer depends on', 'Authorization, Accept, Accept-Encoding'],
  'WWW-Authenticate': ['How to authenticate, and the fault (RFC 6750)', 'Bearer error="invalid_token"'],
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof headers

export const commonHeaders: readonly HeaderName[] = ['Cache-Control', 'Request-Id']

/** Further headers of every answer to a token: its quotas. */
export const limitHeaders: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy']

/** Further headers of every successful answer to a token. */
export const privateHeaders: readonly HeaderName[] = ['Server-Timing', 'Vary']

/** Headers of cacheable answers: records, pages, and their 304. */
export const entryHeaders: readonly HeaderName[] = [
  ...commonHeaders,
  ...limitHeaders,
  ...privateHeaders,
  'Cache-Status',
  'Data-As-Of',
  'ETag',
]

/** Returns the document's node for a header. */
export const describeHeader = (name: HeaderName): SchemaNode => {
  const [description, example] = headers[name]
  const schema =
    typeof example === 'number'
      ? { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 }
      : { type: 'string' }
  return { description, schema, example }
}
