import type { ReadResult } from '../cache/freshness.ts'
import { toUnavailable } from '../db/unreachable.ts'
import { ApiError } from '../errors.ts'
import { formatStale } from '../http/fields.ts'
import type { Resource } from './resources/define.ts'

/** Whether `id` can be the id of a record. An invalid id is not sent to the database. */
export const isId = ({ fields }: Resource, id: string): boolean =>
  fields.get('id')?.element.safeParse(id).success === true

/** Returns 404. `staleSeconds`: age of a stale answer, for Cache-Status: an error has no other sign of it. */
export const notFound = (detail: string, staleSeconds?: number): ApiError =>
  new ApiError('not_found', {
    detail,
    ...(staleSeconds === undefined ? {} : { headers: { 'cache-status': formatStale(staleSeconds) } }),
  })

/** Passes on an answer that has a record. Throws or rejects with not_found; rejects with unavailable. */
export const requirePresent = (
  answer: ReadResult | Promise<ReadResult>,
  detail: string,
): ReadResult | Promise<ReadResult> => {
  const check = (found: ReadResult): ReadResult => {
    if (found.entry.isAbsent) throw notFound(detail, found.staleSeconds)
    return found
  }
  if (!(answer instanceof Promise)) return check(answer)
  return answer.then(check, (error) => {
    throw toUnavailable(error)
  })
}
