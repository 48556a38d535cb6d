import pg from 'pg'

export const statementTimeoutMs = 5_000
/** For the driver, because a hung server does not enforce its own statement timeout. */
export const answerTimeoutMs = statementTimeoutMs + 1_000
export const connectTimeoutMs = 5_000

const lateMessage = 'Query read timeout'

/** Destroys a connection whose statement gets no response. The pool would reuse it for up to 15 minutes. */
export class MortalClient extends pg.Client {
  override query(...given: unknown[]): never {
    const answer = (super.query as (...all: unknown[]) => unknown).apply(this, given)
    if (answer instanceof Promise) {
      answer.catch(({ message }: Error) => {
        if (message === lateMessage) void this.end().catch(() => {})
      })
    }
    return answer as never
  }
}
