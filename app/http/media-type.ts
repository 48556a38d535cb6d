import { ApiError } from '../errors.ts'
import { mediaTypes } from './formats.ts'
import { createMediaTypeChoice } from './negotiation.ts'
import { type Pair, parsePairs } from './pairs.ts'

/** What `format` may say in place of `Accept`. */
const formats: ReadonlyMap<string, string> = new Map(Object.entries(mediaTypes))

const choices = new Map<string, ReturnType<typeof createMediaTypeChoice>>()

/** Made once for each list of types: those of endpoints are a few constants. */
export const choiceOf = (offered: readonly string[]) => {
  const name = offered.join()
  let choice = choices.get(name)
  if (!choice) {
    choice = createMediaTypeChoice(offered)
    choices.set(name, choice)
  }
  return choice
}

/**
 * Returns the media type that the parameter `format` names. Returns undefined without the parameter, and for an
 * unknown format: the query parser reports that.
 */
export const typeByFormat = (rawQuery: string): string | undefined => {
  // Looked for in every request, and hardly ever there.
  if (!rawQuery.includes('format') && !rawQuery.includes('%')) return undefined
  const { value } = parsePairs(rawQuery).find(({ name }) => name === 'format') ?? {}
  return value === undefined ? undefined : formats.get(value)
}

/** The type to answer in; undefined: none that is wanted. */
export const chooseType = (accept: string | undefined, rawQuery: string, offered: readonly string[]) => {
  const wanted = typeByFormat(rawQuery)
  if (wanted === undefined) return choiceOf(offered)(accept)
  return offered.includes(wanted) ? wanted : undefined
}

/**
 * Returns the media type as `chooseType` does. Throws 406 `not_acceptable`, which lists the types, if there is none.
 */
export const requireAcceptable = (
  accept: string | undefined,
  rawQuery: string,
  offered: readonly string[],
): string => {
  const type = chooseType(accept, rawQuery, offered)
  if (type !== undefined) return type
  throw new ApiError('not_acceptable', { detail: `This is available as: ${offered.join(', ')}` })
}

/** Whether a parameter asks for what everything is anyway. */
export const isJsonFormat = ({ name, value }: Pair) => name === 'format' && value === 'json'
