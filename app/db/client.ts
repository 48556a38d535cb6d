import pg from 'pg'

export const statementTimeoutMs = 5_000
/** How long the driver waits for a response: a hung server does not enforce its own statement timeout. */
export const answerTimeoutMs = statementTimeoutMs + 1_000
/** How long a request waits for a connection before it is refused. */
export const connectTimeoutMs = 5_000

/** The driver's message for a statement without a response in time. */
const lateMessage = 'Query read timeout'

/**
 * Closes the connection if a statement gets no response in time. The remote host may have vanished silently,
 * and the pool would reuse the connection until the system stops retransmitting after 15 minutes.
 */
export class MortalClient extends pg.Client {
  // pg's `query` has many overloads, so all arguments are passed through unchanged.
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
