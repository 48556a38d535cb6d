/**
 * Returns the `Cache-Status` header (RFC 9211) of an answer that may be stale because the database does not answer.
 * `seconds`: time since it last answered.
 */
export const formatStale = (seconds: number): string =>
  `certdata; hit; ttl=-${seconds}; detail=db-unreachable`
