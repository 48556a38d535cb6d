import type { Principal } from '../identity/principal.ts'

/** Source of an answer's data. `stale`: a cache, while the database is unreachable. `none`: no data. */
export type AnswerSource = 'memory' | 'redis' | 'database' | 'stale' | 'none'

export type SentAnswer = Readonly<{
  requestId: string
  method: string
  /** The route's pattern, which contains no ids. `undefined` if no route matched. */
  route: string | undefined
  /** The endpoint's internal name, if the pattern serves several endpoints. */
  endpoint?: string | undefined
  isClosed: boolean
  principal: Principal | undefined
  /** The key of a token that was refused because it is revoked, or outside of the key's networks. */
  refusedKeyId: string | undefined
  target: string
  status: number
  rows: number
  source: AnswerSource
  ms: number
  /** W3C trace context of the client, or of the request's own span if tracing is on. */
  traceparent: string | undefined
}>
