/** Classes and codes of PostgreSQL's errors that say nothing of the statement (Appendix A of its manual). */
const sqlStates = /^(08|57P|53)|^57014$|^25006$/
const systemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const driverMessages =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout/

/** Whether the database could not be asked or did not answer in time, as opposed to a fault of ours. */
export const isUnreachable = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable)
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code))) return true
  return driverMessages.test(error.message)
}
