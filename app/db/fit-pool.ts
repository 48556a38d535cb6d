import type pg from 'pg'
import { after as afterMs } from '../overload/timer.ts'

/** PostgreSQL's `too_many_connections`: the limit of the role, the database or the server. */
const tooManyConnections = '53300'
/** Then the pool tries its whole size again. */
const growAfterMs = 10_000
/** Other connections of a burst are granted or refused within this time. */
const countAfterMs = 1_000

type FitOptions = {
  /** Gets a message when the pool shrinks, and when it has its whole size again. */
  warn: (message: string) => void
  after?: typeof afterMs
}

/**
 * Shrinks a pool to the connections that PostgreSQL grants. A caller whose connection is refused waits for another one
 * of the pool, and rejects only if there is none. The pool tries its whole size again every 10 s.
 */
export const fitPool = (pool: pg.Pool, { warn, after = afterMs }: FitOptions): void => {
  const size = pool.options.max
  const connect = pool.connect.bind(pool)
  let granted = 0
  let isShort = false

  pool.on('connect', () => {
    granted += 1
    if (!isShort || granted < size) return
    isShort = false
    warn(`the database grants all ${size} connections again`)
  })
  pool.on('remove', () => {
    granted -= 1
  })

  const shrink = ({ message }: Error): void => {
    if (pool.options.max === size) {
      after(growAfterMs, () => {
        pool.options.max = size
      })
    }
    // Includes connections that PostgreSQL has not answered yet.
    pool.options.max = pool.totalCount
    if (isShort) return
    isShort = true
    after(countAfterMs, () =>
      warn(
        `the database grants only ${granted} of ${size} connections (${message}): raise its limit, or lower DATABASE_POOL and EXPORT_POOL`,
      ),
    )
  }
  const connectOrWait = async (): Promise<pg.PoolClient> => {
    for (;;) {
      try {
        return await connect()
      } catch (error) {
        if ((error as { code?: unknown }).code !== tooManyConnections || pool.totalCount === 0) throw error
        shrink(error as Error)
      }
    }
  }
  const connectFitting = (callback?: Parameters<typeof connect>[0]) =>
    callback ? connect(callback) : connectOrWait()
  Object.assign(pool, { connect: connectFitting })
}
