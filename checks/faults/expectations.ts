/** A statement that hangs is given up after 6 s. */
export const hangMs = 7_000

export const stale = ['stale']
export const refused = ['503 unavailable']
/** Where requests hang, the queue in front of the database may be longer than its deadline. */
export const refusedOrQueued = [...refused, '503 overloaded']
