/** Whose request it was, as far as figures tell: never who. `none`: nobody was known. */
export type PlanLabel = 'basic' | 'premium' | 'enterprise' | 'demo' | 'none'

/**
 * Where the data of an answer came from. `stale`: a cache, while the database is away. `none`: the answer has no
 * data.
 */
export type AnswerSource = 'memory' | 'redis' | 'database' | 'stale' | 'none'

/**
 * Called for each answer after it was sent. `route` is the registered pattern, never the address; '' if no route
 * matched. `milliseconds` run from the request's arrival to the end of its answer. It runs for every request, so it
 * must do no I/O, return no promise and throw nothing.
 */
export type RequestListener = (
  route: string,
  plan: PlanLabel,
  status: number,
  milliseconds: number,
  source: AnswerSource,
) => void
