import { after } from '../overload/timer.ts'

/** How long a read may take before what is known is answered instead, as long as a poll may. */
const patienceMs = 400
/** After a read that failed, the next one is tried. Until then all get what is known, at once. */
const retryMs = 1_000
/** So long a read that was answered says that the next one will be. */
const trustMs = 1_000

/**
 * Whether reads are answered while polls are not. Not every failure of polls is the database's: then what it says now
 * is better than what is known.
 * See docs/decisions/0078-failed-polls-do-not-make-answers-old.md.
 */
export type SecondWay = {
  /** The result of `read`. If it fails or takes long, or just did for another caller: `known`. Never rejects. */
  readOr<T>(read: () => Promise<T>, known: T): Promise<T>
  /** Whether a read was answered lately, and none failed since. */
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
