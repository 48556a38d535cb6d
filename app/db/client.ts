import pg from 'pg'

/** Longest a request's statement may run. */
export const statementTimeoutMs = 5_000
/** Longest anybody waits for an answer: a server that hangs does not end statements itself. */
export const answerTimeoutMs = statementTimeoutMs + 1_000
/** Longest a request waits for a connection before it is refused. */
export const connectTimeoutMs = 5_000

/** The driver's own words for a statement that it waits for no longer. */
const lateMessage = 'Query read timeout'

/**
 * A connection whose statement was not answered in time is given up with it: the machine at its other end may be
 * gone without a word, and the pool would hand it out again and again, until the system gives up sending after a
 * quarter of an hour.
 */
export class MortalClient extends pg.Client {
  // The overloads of pg's `query` are many: what it takes is passed on as it came.
  override query(...given: unknown[]): never {
    const answer = (super.query as (...all: unknown[]) => unknown).apply(this, given)
    if (answer instanceof Promise) {
      answer.catch(({ message }: Error) => {
        // While a statement runs, `end` destroys the socket.
        if (message === lateMessage) void this.end().catch(() => {})
      })
    }
    return answer as never
  }
}
