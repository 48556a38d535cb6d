import type { Readable } from 'node:stream'
import type { Principal } from '../identity/principal.ts'
import type { Ending } from '../limits/concurrency.ts'

export type FeedRequest = Readonly<{
  principal: Principal
  rawQuery: string
  /** True for HEAD: it does not wait, and the whole state is not read. */
  isHead: boolean
  /** `1.0`, `1.1` or `2.0`. */
  httpVersion: string
  /** The client's address. */
  address: string
  /** The answer's end, or its client's. */
  ending: Ending
  /** The media type that was chosen; absent: what the query is answered as without a choice. */
  type?: string
  /** Of a stream that broke: the id of its last event, which is a sync token. */
  lastEventId?: string | undefined
  /** Judges the request by the rights of now, and returns who asks. Rejects as the request would be refused. */
  judgeAnew: () => Promise<Principal>
  /** Told of records as they go out, for the audit trail. */
  countRows: (rows: number) => void
}>

/** Bytes of JSON, or a stream of lines or events. `body` is `undefined` in the answer to HEAD of a stream. */
export type FeedAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  /** Set where each piece must go out at once, which a content coding would hold up. */
  isCompressed?: boolean
}>
