import { ApiError } from '../errors.ts'
import type { Pair, QueryString } from '../http/pairs.ts'

/**
 * Throws 400 `invalid_query` that names every parameter except allowed ones. By default none is allowed. `detail` names
 * the allowed ones, for the answer and for each fault.
 */
export const requireNoParameters = (
  { pairs }: QueryString,
  detail: string,
  isAllowed: (pair: Pair) => boolean = () => false,
): void => {
  const unknown = pairs.filter((pair) => !isAllowed(pair))
  if (unknown.length === 0) return
  throw new ApiError('invalid_query', {
    detail,
    errors: unknown.map(({ name }) => {
      return { parameter: name, code: 'unknown_parameter', detail }
    }),
  })
}

/** Refuses every parameter: the `querystring` schema of routes that read only a body. */
export const emptyQuery = (rawQuery: QueryString): void =>
  requireNoParameters(rawQuery, 'This address has no parameters: send them in the body')
