import type { Principal } from '../identity/principal.ts'

/**
 * Where the data of an answer came from. `stale`: a cache, while the database is away. `none`: the answer has no
 * data.
 */
export type AnswerSource = 'memory' | 'redis' | 'database' | 'stale' | 'none'

/** An answer that was sent, as the log, the trace, the audit trail, the metrics and the status page record it. */
export type SentAnswer = Readonly<{
  requestId: string
  method: string
  /** The route's pattern. The address itself contains ids and query values. Undefined if no route matched. */
  route: string | undefined
  /** The operator's name of the endpoint, if the pattern serves several endpoints. */
  endpoint?: string | undefined
  /** Whether the route is behind authentication. */
  isClosed: boolean
  /** Undefined if the client is unknown. */
  principal: Principal | undefined
  /** The key of a valid token that was refused because it is revoked, or for its key's networks. */
  refusedKeyId: string | undefined
  /** Path and query as received. */
  target: string
  status: number
  /** Records in the answer. */
  rows: number
  source: AnswerSource
  /** Milliseconds from arrival to the end of the answer. */
  ms: number
  /** W3C trace context: the client's, or the request's own if traces are collected. */
  traceparent: string | undefined
}>
