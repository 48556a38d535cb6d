/** Deadlock or serialisation failure: the whole transaction may be tried again. */
const isTransient = (error: unknown) =>
  error instanceof Error && 'code' in error && ['40001', '40P01'].includes(String(error.code))

const attempts = 5

/**
 * Runs a transaction, again where it lost against another one; `run` must change nothing but the database.
 * Throws what it throws otherwise, and after five attempts.
 */
export const retryTransaction = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isTransient(error) || attempt === attempts) throw error
    }
  }
}
