import type { Node } from './description.ts'

type Header = readonly [description: string, example: string | number]

const headers = {
  Allow: ['The methods that there are', 'GET, HEAD, OPTIONS'],
  'Cache-Control': [
    'How it may be kept: `private, no-cache` (keep it and ask again) or `no-store`',
    'private, no-cache',
  ],
  'Cache-Status': [
    'Where the answer came from (RFC 9211): `hit`, a cache (with `ttl=-42` it is stale, by so many seconds), or `fwd=…`, the database; ' +
      '`stored`: a cache has it from now on',
    'certdata; hit',
  ],
  'Content-Disposition': [
    'Of an export, as NDJSON or CSV: a name for the file',
    'attachment; filename="certificates-2026-11-21.csv"',
  ],
  'Data-As-Of': [
    'Every change committed before this time of the database is in the answer; an answer that is stale says so in Cache-Status',
    '2026-11-21T16:20:00.123456Z',
  ],
  'Definition-Revision': ['Revision of the definition that the answer follows', 1],
  ETag: [
    'Weak tag of the answer, the same for every content coding; send it as If-None-Match (RFC 9110)',
    'W/"mHqvXYqkV0jXyVd8Hq2c1w"',
  ],
  Link: [
    'The next page as `rel="next"` (RFC 8288); absent on the last page, and where it would be above 2 KiB: ' +
      '`page.next_cursor` is always there',
    '<https://api.example/v1/certificates?cursor=AXq3x0a2c0F1>; rel="next"',
  ],
  Pragma: ['The same as `Cache-Control: no-store` for old caches', 'no-cache'],
  RateLimit: [
    'On answers to a token: for each quota policy what is left (`r`) and in how many seconds more is available (`t`)',
    '"burst";r=97;t=1, "minute";r=412;t=23',
  ],
  'RateLimit-Policy': [
    'On answers to a token, the quota policies: units (`q`) in any stretch of so many seconds (`w`). A 304 costs nothing of `minute` ' +
      '(draft-ietf-httpapi-ratelimit-headers)',
    '"burst";q=100;w=1, "minute";q=600;w=60',
  ],
  'Request-Id': ['Names this request in our logs', '3f0f4c1e-8a0e-4f43-9d0c-6f1d6a5c2b7a'],
  'Retry-After': ['Seconds to wait before the next attempt', 1],
  'Server-Timing': ['Time it took, in milliseconds', 'total;dur=1.42'],
  'Sync-Token': [
    'With `after=snapshot`: the token to go on from, sent before the state',
    'AVsiNzU3NTYwNDE2MTY5NDc2NTg5OC4wMDAwMDAwMS4xNjM4NC4xNjUwMCIsMTc5NTI1MzQwMF0',
  ],
  Vary: ['Request headers that the answer depends on', 'Authorization, Accept, Accept-Encoding'],
  'WWW-Authenticate': [
    'How to authenticate, and what was wrong (RFC 6750, RFC 7617)',
    'Bearer realm="certdata", error="invalid_token"',
  ],
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof headers

/** Every answer's. */
export const commonHeaders: readonly HeaderName[] = ['Cache-Control', 'Request-Id']

/** Those that tell a token's quotas. */
export const limitHeaders: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy']

/** Those of an answer that comes from the cache and may be kept: the record's, the page's, their 304. */
export const entryHeaders: readonly HeaderName[] = [
  ...commonHeaders,
  ...limitHeaders,
  'Cache-Status',
  'Data-As-Of',
  'ETag',
  'Server-Timing',
  'Vary',
]

/** A header as the document's components write it. */
export const describeHeader = (name: HeaderName): Node => {
  const [description, example] = headers[name]
  const schema =
    typeof example === 'number'
      ? { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 }
      : { type: 'string' }
  return { description, schema, example }
}
