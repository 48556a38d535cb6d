import type { Outcome } from './ask.ts'
import type { Route } from './load.ts'
import type { Kind } from './mix.ts'
import type { Stage } from './stage.ts'

/** What the contract allows while a fault lasts. */
export type Expected = {
  /** For the table. */
  text: string
  /** Allowed beside `ok`, by kind. Absent: nothing else. */
  allowed?: Partial<Record<Kind, readonly Outcome[]>>
  /** What must have been seen, or the fault was not in force. */
  seen?: Partial<Record<Kind, Outcome>>
  /** Whether no answer may have come from Redis while it lasted: another proof that it was in force. */
  hasNoRedis?: boolean
  /** Longest time to recover after its end. Default 2,000 ms. */
  recoverMs?: number
  /** Highest p99 of `cached`, `item` and `live`. Default 500 ms. */
  knownMs?: number
  /** Highest p99 of the other kinds. Default 2,000 ms. */
  otherMs?: number
  /** Whether the log must warn. */
  isWarned?: boolean
  /** Most lines at level `warn` or above, of both instances: a line for each request floods the log. Default 30. */
  mostWarnings?: number
}

export type OpenRoute = { route: Route; close(): Promise<void> }

/** Harm to real processes. `start` resolves once it is done, or lasts; `end` undoes it. */
export type Fault = {
  name: string
  expected: Expected
  holdMs?: number
  /** Hurts Redis: before it begins, answers must come from there, and afterwards again. */
  isRedis?: boolean
  /** Where the load goes. Default: each instance in turn. */
  open?(stage: Stage): Promise<OpenRoute>
  start(stage: Stage): Promise<void>
  end(stage: Stage): Promise<void>
  /** What is still wrong afterwards. */
  verify?(stage: Stage): Promise<string[]>
}
