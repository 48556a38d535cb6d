import type { Readable } from 'node:stream'
import type { Principal } from '../identity/principal.ts'
import type { Ending } from '../limits/concurrency.ts'
import type { FeedQuestion } from './asked.ts'

export type FeedRequest = Readonly<{
  principal: Principal
  query: FeedQuestion
  /** True for HEAD, which does not wait and does not read the whole state. */
  isHead: boolean
  /** `1.0`, `1.1` or `2.0`. */
  httpVersion: string
  address: string
  /** Closes when the response ends or the client disconnects. */
  ending: Ending
  /** The negotiated media type. Optional. Defaults to NDJSON for the whole state and JSON for a page. */
  type?: string
  /** Authorizes the request again with the current rights. Rejects like a new request. */
  judgeAnew: () => Promise<Principal>
  /** Receives the number of records as they are sent, for the audit trail. */
  countRows: (rows: number) => void
}>

/** JSON bytes, or a stream of lines or events. `body` is `undefined` in the response to HEAD of a stream. */
export type FeedAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  /** Set if each piece must be sent immediately, because a content coding would delay it. */
  isCompressed?: boolean
}>
