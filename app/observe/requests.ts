/** Whose request it was, as far as figures tell: never who. `none`: nobody was known. */
export type PlanLabel = 'basic' | 'premium' | 'enterprise' | 'demo' | 'none'

/** Where the data of an answer came from. `stale`: from a cache while the database is away; `none`: no data. */
export type AnswerSource = 'memory' | 'redis' | 'database' | 'stale' | 'none'

/**
 * Told of each answer once it has gone out. `route`: the pattern as it was registered, never the address,
 * and '' where no route was met; `milliseconds`: from the request's arrival to the end of its answer.
 * Called on the way of every request: no I/O, no promise, and nothing thrown.
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

/** The one place where answers are told of: metrics and roll-ups listen, whoever answers tells. */
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
