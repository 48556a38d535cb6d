import { after } from '../overload/timer.ts'

/** The timeout of a poll in changes.ts. */
const patienceMs = 400
const retryMs = 1_000
const trustMs = 1_000

/** `now`: monotonic, in milliseconds. See docs/decisions/0078-failed-polls-do-not-make-answers-old.md. */
export const createReadFallback = (now: () => number) => {
  let answeredAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let isTrying = false

  /** Whether reads work: the last one was answered less than `trustMs` ago. */
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
    /** Returns the result of `read`, or `known` if reads fail or are slow. Never rejects. */
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
