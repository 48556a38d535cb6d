/** What the log has of an error. */
type LoggedError = {
  [name: string]: string
  type: string
  message: string
  stack: string
}

type DatabaseError = Error & { severity: string; code: string; table?: string; routine?: string }

const isDatabaseError = (error: Error): error is DatabaseError => 'severity' in error && 'routine' in error

/** The stack without its first lines, which repeat the message. */
const framesOf = ({ stack = '' }: Error) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')

/**
 * An error as it may be logged. PostgreSQL's own say values of queries and rows, in message and details: of
 * those the log has the code, the table and where in the server it was raised. Any other error is our own
 * or a library's about itself; of its further properties none is taken along but the code.
 */
export const describeForLog = (error: unknown): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error', stack: '' }
  const { code } = error as { code?: unknown }
  const common = { type: error.name, ...(typeof code === 'string' ? { code } : {}), stack: framesOf(error) }
  if (!isDatabaseError(error)) return { ...common, message: error.message }
  const at = [error.table, error.routine].filter((each) => each !== undefined).join(' ')
  return { ...common, message: `PostgreSQL: ${error.severity} ${error.code}`, at }
}
