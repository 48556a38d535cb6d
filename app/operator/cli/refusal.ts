import { isUnreachable } from '../../db/unreachable.ts'

/** A refused command. The message is the reason, the exit code 1. */
export class Refusal extends Error {}

/** The command has already printed its errors. The exit code is 1. */
export class Reported extends Error {}

const listCauses = (error: unknown): unknown[] => {
  const inner = error instanceof AggregateError ? error.errors : []
  const cause = error instanceof Error && error.cause !== undefined ? [error.cause] : []
  return [error, ...[...inner, ...cause].flatMap(listCauses)]
}

/** Formats an error as one line. An AggregateError, as of two addresses that both refuse, has no message. */
export const describeError = (error: unknown): string => {
  const messages = listCauses(error).flatMap((each) =>
    each instanceof Error ? [each.message] : [String(each)],
  )
  const message = messages.find((each) => each !== '') ?? 'an unknown error'
  const cause = listCauses(error).find(isUnreachable)
  // The server's own errors have a severity: the database did answer, and its message is the true cause.
  if (error instanceof Refusal || cause === undefined || 'severity' in (cause as Error)) return message
  return `The database does not answer: ${message}`
}
