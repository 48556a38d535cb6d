import type { ReadResult } from '../cache/freshness.ts'
import { toUnavailable } from '../db/unreachable.ts'
import { ApiError } from '../errors.ts'
import { formatStale } from '../http/fields.ts'
import type { Resource } from './resources/define.ts'

/** Whether `id` can be the id of a record. An invalid id is not sent to the database. */
export const isId = ({ fields }: Resource, id: string): boolean =>
  fields.get('id')?.element.safeParse(id).success === true

/** Returns 404. `cacheStatus`: only if the answer may be wrong, because an error has no other sign of it. */
export const notFound = (detail: string, cacheStatus?: string): ApiError =>
  new ApiError('not_found', {
    detail,
    ...(cacheStatus === undefined ? {} : { headers: { 'cache-status': cacheStatus } }),
  })

const formatDoubt = ({ staleSeconds, isDistrusted }: ReadResult): string | undefined => {
  if (staleSeconds !== undefined) return formatStale(staleSeconds)
  return isDistrusted ? 'certdata; detail=distrusted' : undefined
}

/** Passes on an answer that has a record. Throws or rejects with not_found; rejects with unavailable. */
export const requirePresent = (
  answer: ReadResult | Promise<ReadResult>,
  detail: string,
): ReadResult | Promise<ReadResult> => {
  const check = (found: ReadResult): ReadResult => {
    if (found.entry.isAbsent) throw notFound(detail, formatDoubt(found))
    return found
  }
  if (!(answer instanceof Promise)) return check(answer)
  return answer.then(check, (error) => {
    throw toUnavailable(error)
  })
}
