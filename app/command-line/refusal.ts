import { isUnreachable } from '../db/unreachable.ts'

/** Ends a command with this message and exit code 1. */
export class Refusal extends Error {}

/** Ends a command with exit code 1. The command has already printed its errors. */
export class Reported extends Error {}

const listCauses = (error: unknown): unknown[] => {
  const inner = error instanceof AggregateError ? error.errors : []
  const cause = error instanceof Error && error.cause !== undefined ? [error.cause] : []
  return [error, ...[...inner, ...cause].flatMap(listCauses)]
}

/** Returns the first message of an error or its causes: the AggregateError of a connection has none. */
export const describeError = (error: unknown): string => {
  const messages = listCauses(error).flatMap((each) =>
    each instanceof Error ? [each.message] : [String(each)],
  )
  const message = messages.find((each) => each !== '') ?? 'an unknown error'
  const cause = listCauses(error).find(isUnreachable)
  // An error with a severity is an answer of the database, and its message is the cause.
  if (error instanceof Refusal || cause === undefined || 'severity' in (cause as Error)) return message
  return `The database does not answer: ${message}`
}
