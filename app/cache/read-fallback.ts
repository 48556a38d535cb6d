import { after } from '../overload/timer.ts'

/** The same as for a poll. */
const patienceMs = 400
/** After a failed read, all callers get `known` for this time. */
const retryMs = 1_000
/** After a read that succeeded, the next one is expected to succeed for this time. */
const trustMs = 1_000

/**
 * Detects whether reads work while polls fail. Then a new read is better than a stored value. `now`: monotonic.
 * See docs/decisions/0078-failed-polls-do-not-make-answers-old.md.
 */
export const createReadFallback = (now: () => number) => {
  let answeredAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let isTrying = false

  const isOpen = () => answeredAt > failedAt && now() - answeredAt < trustMs

  const attempt = <T>(read: () => Promise<T>, known: T): Promise<T> =>
    new Promise((resolve) => {
      const fail = () => {
        failedAt = now()
        resolve(known)
      }
      const stop = after(patienceMs, fail)
      read()
        .then((result) => {
          answeredAt = now()
          resolve(result)
        }, fail)
        .finally(stop)
    })

  return {
    /** Whether a read succeeded recently, and none failed since. */
    isOpen,
    /** The result of `read`, or `known` if reads fail or are slow. Never rejects. */
    async readOr<T>(read: () => Promise<T>, known: T): Promise<T> {
      if (isOpen()) return attempt(read, known)
      if (isTrying || now() - failedAt < retryMs) return known
      isTrying = true
      try {
        return await attempt(read, known)
      } finally {
        isTrying = false
      }
    },
  }
}
