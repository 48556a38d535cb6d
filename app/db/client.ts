import pg from 'pg'
import { createRowQuery } from '../wire/row-query.ts'

/** Longest a request's statement may run. */
export const statementTimeoutMs = 5_000
/** Longest anybody waits for an answer: a server that hangs does not end statements itself. */
export const answerTimeoutMs = statementTimeoutMs + 1_000
/** Longest a request waits for a connection before it is refused. */
export const connectTimeoutMs = 5_000

/** The driver's own words for a statement that it waits for no longer. */
const lateMessage = 'Query read timeout'

const markForm = /^\/\* (page(?:_[\da-f]+)?) \*\/ /

/**
 * Begins the text of a page's statement: of one that connections keep prepared with its name, which is the same
 * text's for ever.
 */
export const pageMark = (name: `page_${string}` | 'page'): string => `/* ${name} */ `

/**
 * A connection whose statement was not answered in time is given up with it: the machine at its other end may be
 * gone without a word, and the pool would hand it out again and again, until the system gives up sending after a
 * quarter of an hour.
 */
export class MortalClient extends pg.Client {
  // The overloads of pg's `query` are many: what it takes is passed on as it came.
  override query(...given: unknown[]): never {
    const answer = (super.query as (...all: unknown[]) => unknown).apply(this, given)
    if (answer instanceof Promise) answer.catch((error: Error) => this.giveUpWhen(error))
    return answer as never
  }

  giveUpWhen({ message }: Error): void {
    // With a statement under way it destroys the socket instead of taking leave.
    if (message === lateMessage) void this.end().catch(() => {})
  }
}

/** Reads the answers of marked statements as bytes; `prepares`: sends their text once, and from then on only values. */
export const clientOf = (prepares: boolean) =>
  class extends MortalClient {
    override query(...given: unknown[]): never {
      const [text, values] = given
      const mark = typeof text === 'string' ? markForm.exec(text)?.[1] : undefined
      const ask = super.query as (...all: unknown[]) => unknown
      if (mark === undefined) return ask.apply(this, given) as never
      const name = prepares && mark !== 'page' ? mark : ''
      return this.read((callback) => {
        ask.call(this, createRowQuery(name, text as string, values as unknown[], callback))
      }) as never
    }

    /**
     * Once it is answered, nothing leads from the statement to its answer: the driver's timer for it outlives it, and
     * what a dead timer leads to is kept until the next full collection, be it 40 kB for each page.
     */
    private read(ask: (callback: (error: Error | null, result?: unknown) => void) => void): Promise<unknown> {
      return new Promise((resolve, reject) => {
        let settle: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject }
        ask((error, result) => {
          const { resolve, reject } = settle ?? {}
          settle = undefined
          if (!error) return resolve?.(result)
          this.giveUpWhen(error)
          reject?.(error)
        })
      })
    }
  }
