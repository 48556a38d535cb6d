type LoggedError = { [name: string]: string; type: string; message: string; stack: string }

type DatabaseError = Error & { severity: string; code: string; table?: string; routine?: string }

const isDatabaseError = (error: Error): error is DatabaseError => 'severity' in error && 'routine' in error

const listFrames = ({ stack = '' }: Error) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')

/** Returns an error's fields for the log. PostgreSQL's messages are left out: they contain customers' values. */
export const describeForLog = (error: unknown): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error', stack: '' }
  const { code } = error as { code?: unknown }
  const common = { type: error.name, ...(typeof code === 'string' ? { code } : {}), stack: listFrames(error) }
  if (!isDatabaseError(error)) return { ...common, message: error.message }
  const at = [error.table, error.routine].filter((each) => each !== undefined).join(' ')
  return { ...common, message: `PostgreSQL: ${error.severity} ${error.code}`, at }
}
