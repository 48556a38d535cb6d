import { ApiError, invalidQuery } from '../../errors.ts'
import { mediaTypes } from '../../http/formats.ts'
import type { QueryString } from '../../http/pairs.ts'
import type { Principal } from '../../identity/principal.ts'
import type { PreparedQuery } from '../../records/query/prepare.ts'
import type { Records } from '../../records/records.ts'
import { resources } from '../../records/resources/index.ts'

const { certificates: resource } = resources

const requireCalendarFormat = ({ pairs }: QueryString): void => {
  const isOther = pairs.some(({ name, value }) => name === 'format' && value !== 'ics')
  if (!isOther) return
  throw invalidQuery([{ parameter: 'format', code: 'invalid_value', detail: 'expected ics' }], undefined)
}

/** A correction would be an address for tokens. The faults name the nearest names and values, too. */
const withoutCorrection = (error: unknown): unknown => {
  if (!(error instanceof ApiError) || error.extras.try === undefined) return error
  const { try: _, ...extras } = error.extras
  return new ApiError(error.code, extras)
}

/** Parses the filters in the address of a calendar. Throws invalid_query, without a corrected address. */
export const parseAddressQuery = (
  records: Pick<Records, 'parse'>,
  principal: Principal,
  rawQuery: QueryString,
): PreparedQuery => {
  requireCalendarFormat(rawQuery)
  try {
    return records.parse({ principal, rawQuery, resource, type: mediaTypes.ics })
  } catch (error) {
    throw withoutCorrection(error)
  }
}
