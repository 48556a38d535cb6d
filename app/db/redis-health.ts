import { createMinuteWarning } from './redis.ts'

/**
 * - `up`: commands succeed, as far as known.
 * - `lost`: no connection, or no response.
 * - `refused`: Redis replies with errors.
 * - `closed`: by this process. No other state follows, and nothing is logged.
 */
export type RedisState = 'up' | 'lost' | 'refused' | 'closed'

type RedisHealthOptions = {
  initial: Exclude<RedisState, 'closed'>
  warn: (message: string, error?: Error) => void
  /** The messages for the log. Without one, the event is not logged. */
  messages: {
    lost?: string
    /** In addition to `lost`, if Redis refuses the login later in the same outage. */
    loginRefused?: string
    refused?: string
    /** Only after another message of the same trouble. */
    up: string
  }
}

/** Anywhere in the text, because ioredis prepends its own. */
const loginRefusal = /\b(?:WRONGPASS|NOAUTH|NOPERM)\b/

/** Holds the state of a Redis connection, and logs each outage once and each code of refusals once a minute. */
export const createRedisHealth = ({ initial, warn, messages }: RedisHealthOptions) => {
  let state: RedisState = initial
  let wasReported = false
  let wasLoginReported = false
  const warnOfRefusal = createMinuteWarning(warn)

  /** Logs a refusal without a change of the state: other commands may still succeed. True if logged. */
  const reportRefusal = (error: Error): boolean =>
    state !== 'closed' && messages.refused !== undefined && warnOfRefusal(messages.refused, error)

  return {
    get state(): RedisState {
      return state
    },
    reportRefusal,
    lose(error?: Error): void {
      if (state === 'closed') return
      state = 'lost'
      const isLoginRefused = error !== undefined && loginRefusal.test(error.message)
      if (!wasReported && messages.lost) warn(messages.lost, error)
      else if (isLoginRefused && !wasLoginReported && messages.loginRefused)
        warn(messages.loginRefused, error)
      wasReported = true
      wasLoginReported ||= isLoginRefused
    },
    markRefused(error: Error): void {
      if (state === 'closed') return
      state = 'refused'
      wasReported = reportRefusal(error) || wasReported
    },
    recover(): void {
      if (state === 'closed') return
      state = 'up'
      if (wasReported) warn(messages.up)
      wasReported = false
      wasLoginReported = false
    },
    close(): void {
      state = 'closed'
    },
  }
}
