import { ApiError, unavailable } from '../errors.ts'

/** PostgreSQL: connection (08), shutdown (57P), resources (53), timeout (57014), read-only server (25006). */
const sqlStates = /^(08|57P|53)|^57014$|^25006$/
const systemCodes = new Set([
  'EAGAIN',
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
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|is not queryable/

/** Whether the database is unreachable, late, full or read-only, which is not an error of our code. */
export const isUnreachable = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable)
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code))) return true
  return driverMessages.test(error.message)
}

/** Wraps an `isUnreachable` error in a 503 `unavailable`. Returns other errors unchanged. */
export const toUnavailable = (error: unknown): unknown => {
  if (!isUnreachable(error)) return error
  return Object.assign(unavailable(), { cause: error })
}

const meanings: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only',
  '53100': "the database's disk is full",
  '53300': 'the database has no connection left',
  '57014': 'a statement took too long: a table may be locked',
}

const getCode = (error: unknown): string | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Describes an error of `isUnreachable` or `toUnavailable` without values of rows or queries. */
export const describeUnreachable = (error: unknown): string => {
  const inner = error instanceof ApiError ? error.cause : error
  const cause = inner instanceof AggregateError ? inner.errors[0] : inner
  const code = getCode(cause)
  if (code === undefined) return cause instanceof Error ? cause.message : String(cause)
  const meaning = meanings[code]
  return meaning === undefined ? `database error ${code}` : `${meaning} (${code})`
}
