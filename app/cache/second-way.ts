import { after } from '../overload/timer.ts'

/** Maximum duration of a read before `known` is returned instead; the same as for a poll. */
const patienceMs = 400
/** Time between a failed read and the next attempt. Until then, all callers get `known` immediately. */
const retryMs = 1_000
/** For this long after a read that succeeded, the next one is expected to succeed. */
const trustMs = 1_000

/**
 * Detects whether reads work while polls fail. Polls can fail for other reasons than the database, and then a
 * new read is better than a stored value.
 * See docs/decisions/0078-failed-polls-do-not-make-answers-old.md.
 */
export type SecondWay = {
  /** The result of `read`, or `known` if the read fails, is slow, or did so recently. Never rejects. */
  readOr<T>(read: () => Promise<T>, known: T): Promise<T>
  /** Whether a read succeeded recently, and none failed since. */
  isOpen(): boolean
}

/** `now`: milliseconds, monotonic. */
export const createSecondWay = (now: () => number): SecondWay => {
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
    isOpen,
    async readOr(read, known) {
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
