/** The service gives up a hanging statement after 6 s. */
export const hangMs = 7_000

export const stale = ['stale']
export const refused = ['503 unavailable']
/** If requests hang, waiting in the database queue may exceed its deadline. */
export const refusedOrQueued = [...refused, '503 overloaded']
