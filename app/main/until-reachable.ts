import { setTimeout as delay } from 'node:timers/promises'
import { isUnreachable } from '../db/unreachable.ts'
import type { Log } from './log.ts'

const retryMs = 1_000

/** Without the login, which is a secret. The URL of a socket has no host. */
const describeAddress = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed?.hostname ? `${parsed.host}${parsed.pathname}` : 'its socket'
}

/** Retries `open` until the database is reachable. Rejects with other errors, or if `signal` aborts. */
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
          `PostgreSQL at ${where} (DATABASE_URL) does not answer: the service retries every ${every}`,
        )
      }
      wasReported = true
      await delay(retryMs, undefined, { signal })
    }
  }
}
