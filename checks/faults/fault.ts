import type { Outcome } from './ask.ts'
import type { Route } from './load.ts'
import type { Kind } from './mix.ts'
import type { Stage } from './stage.ts'

/** The outcomes that the contract allows during a fault. */
export type Expected = {
  text: string
  /** Allowed outcomes in addition to `ok`, by kind. Defaults to none. */
  allowed?: Partial<Record<Kind, readonly Outcome[]>>
  /** Outcomes that must occur. Otherwise the fault was not in force. */
  seen?: Partial<Record<Kind, Outcome>>
  /** Whether answers from Redis are forbidden during the fault, which also proves that it was in force. */
  hasNoRedis?: boolean
  /** Longest time to recover after the end of the fault. Defaults to 2,000 ms. */
  recoverMs?: number
  /** Highest p99 of `cached`, `item` and `live`. Defaults to 500 ms. */
  knownMs?: number
  /** Highest p99 of the other kinds. Defaults to 2,000 ms. */
  otherMs?: number
  isWarned?: boolean
  /** Most lines at level `warn` or above, of both instances, to detect a flood. Defaults to 30. */
  mostWarnings?: number
}

export type OpenRoute = { route: Route; close(): Promise<void> }

/** Harm to real processes. `start` resolves when it is done or in force. `end` undoes it. */
export type Fault = {
  name: string
  expected: Expected
  holdMs?: number
  /** The fault affects Redis. Answers must come from Redis before the fault and again afterwards. */
  isRedis?: boolean
  /** Opens the route of the load. Defaults to each instance in turn. */
  open?(stage: Stage): Promise<OpenRoute>
  start(stage: Stage): Promise<void>
  end(stage: Stage): Promise<void>
  /** Returns problems that remain afterwards. */
  verify?(stage: Stage): Promise<string[]>
}
