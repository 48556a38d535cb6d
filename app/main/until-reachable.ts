import { setTimeout as delay } from 'node:timers/promises'
import { isUnreachable } from '../db/unreachable.ts'
import type { Log } from './stores.ts'

/** Between attempts to reach the database at start. */
const retryMs = 1_000

/** Host, port and database, without the login; a socket's URL has no host to show. */
const describeAddress = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed?.hostname ? `${parsed.host}${parsed.pathname}` : 'its socket'
}

/** Tries `open` until the database can be asked for all of it. `signal` ends it. Other errors are thrown. */
export const untilReachable = async <T>(
  url: string,
  log: Log,
  signal: AbortSignal,
  open: () => Promise<T>,
): Promise<T> => {
  let wasReported = false
  for (;;) {
    try {
      const opened = await open()
      if (wasReported) log.info('PostgreSQL answers')
      return opened
    } catch (error) {
      if (!isUnreachable(error)) throw error
      const reason = error instanceof Error ? error.message || error.name : String(error)
      const where = describeAddress(url)
      if (!wasReported) {
        const every = `${retryMs / 1000} s`
        log.warn(
          { reason },
          `PostgreSQL at ${where} (DATABASE_URL) does not answer: trying again every ${every}`,
        )
      }
      wasReported = true
      await delay(retryMs, undefined, { signal })
    }
  }
}
