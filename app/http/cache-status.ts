/**
 * `Cache-Status` (RFC 9211) of whatever cannot be known to be fresh, because the database does not answer; `seconds`
 * since it could.
 */
export const formatStale = (seconds: number): string =>
  `certdata; hit; ttl=-${seconds}; detail=db-unreachable`
