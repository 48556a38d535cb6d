import type { Principal } from '../identity/principal.ts'

/** `stale`: a cache, without the database. `none`: no cacheable data, as in errors, exports and changes. */
export type AnswerSource = 'memory' | 'redis' | 'database' | 'stale' | 'none'

export type SentAnswer = Readonly<{
  requestId: string
  method: string
  /** The route's pattern, which contains no ids. `undefined` if no route matched. */
  route: string | undefined
  /** `custom/<name>` for a custom endpoint that exists for the client. All custom endpoints share a route. */
  endpoint?: string | undefined
  /** The route needs a token. The audit trail counts refusals of these routes only. */
  isClosed: boolean
  principal: Principal | undefined
  /** Set if a valid token was refused: token or key revoked, key expired, or network not allowed. */
  refusedKeyId: string | undefined
  target: string
  status: number
  rows: number
  /** Of the body as it was sent, without the head. */
  bytes: number
  source: AnswerSource
  ms: number
  /** W3C trace context of the client, or of the request's own span if tracing is on. */
  traceparent: string | undefined
}>
