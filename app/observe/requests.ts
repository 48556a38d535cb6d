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

export type RequestObserver = {
  /** Call it once for each answer, from wherever that ends. */
  observe: RequestListener
  /** Returns what ends it. */
  subscribe(listener: RequestListener): () => void
}

/** Makes the one place where sent answers are reported. Metrics and the status roll-ups listen here. */
export const createRequestObserver = (): RequestObserver => {
  let listeners: readonly RequestListener[] = []
  return {
    observe(route, plan, status, milliseconds, source) {
      for (const listener of listeners) listener(route, plan, status, milliseconds, source)
    },
    subscribe(listener) {
      listeners = [...listeners, listener]
      return () => {
        listeners = listeners.filter((each) => each !== listener)
      }
    },
  }
}
