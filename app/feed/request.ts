import type { Readable } from 'node:stream'
import type { Principal } from '../identity/principal.ts'
import type { Ending } from '../limits/concurrency.ts'
import type { FeedQuestion } from './parse-request.ts'

export type FeedRequest = Readonly<{
  principal: Principal
  query: FeedQuestion
  /** HEAD does not wait and does not read the whole state. */
  isHead: boolean
  httpVersion: string
  address: string
  ending: Ending
  /** The negotiated media type. */
  type?: string
  /** Authorizes the request again. Rejects like a new request. */
  judgeAnew: () => Promise<Principal>
  /** Receives the number of records as they are sent. */
  countRows: (rows: number) => void
}>

/** `body` is `undefined` in the response to HEAD of a stream. */
export type FeedAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  /** Prevents compression, which would delay events. */
  isCompressed?: boolean
}>
