import type { Readable } from 'node:stream'
import type { Principal } from '../identity/principal.ts'
import type { Ending } from '../limits/concurrency.ts'
import type { FeedQuestion } from './parse-request.ts'

export type FeedRequest = Readonly<{
  principal: Principal
  query: FeedQuestion
  /** True for HEAD, which does not wait and does not read the whole state. */
  isHead: boolean
  httpVersion: string
  address: string
  ending: Ending
  /** Optional. Defaults to NDJSON for the whole state and JSON for a page. */
  type?: string
  /** Authorizes the request again with the current rights. Rejects like a new request. */
  judgeAnew: () => Promise<Principal>
  /** Receives the number of records as they are sent. */
  countRows: (rows: number) => void
}>

/** `body` is `undefined` in the response to HEAD of a stream. */
export type FeedAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  /** True if each piece must be sent immediately. */
  isCompressed?: boolean
}>
