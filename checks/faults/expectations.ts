/** The service gives up a hanging statement after 6 s. */
export const hangMs = 7_000

export const stale = ['stale']
export const refused = ['503 unavailable']
/** If requests hang, waiting in the database queue may exceed its deadline. */
export const refusedOrQueued = [...refused, '503 overloaded']

/** Answers from memory are stale, all other requests are refused. */
export const whilePollsFail = {
  cached: stale,
  item: stale,
  login: refused,
  changes: refused,
  // A page that was read while polls failed is stale: the rights of its customer may have changed.
  uncached: [...stale, ...refused],
  shared: [...stale, ...refused],
}
