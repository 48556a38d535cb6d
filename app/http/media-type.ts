import { ApiError } from '../errors.ts'
import { mediaTypes } from './formats.ts'
import { createMediaTypeChoice, wantsOtherCharset } from './negotiation.ts'
import type { Pair, QueryString } from './pairs.ts'

const formats: ReadonlyMap<string, string> = new Map(Object.entries(mediaTypes))

const choices = new Map<string, ReturnType<typeof createMediaTypeChoice>>()

/** Returns the function that chooses from these types by `Accept`, always the same one for the same list. */
export const getChoice = (offered: readonly string[]) => {
  const name = offered.join()
  let choice = choices.get(name)
  if (!choice) {
    choice = createMediaTypeChoice(offered)
    choices.set(name, choice)
  }
  return choice
}

/** The media type by the parameter `format`. `undefined` if it is missing or unknown: the query parser reports this. */
export const typeByFormat = (rawQuery: QueryString): string | undefined => {
  const { text } = rawQuery
  // Most requests need no parsing. An escape may hide the name.
  if (!text.includes('format') && !text.includes('%')) return undefined
  const { value } = rawQuery.pairs.find(({ name }) => name === 'format') ?? {}
  return value === undefined ? undefined : formats.get(value)
}

/** Chooses by `format`, otherwise by `Accept`. `undefined` if no offered type is acceptable. */
export const chooseType = (accept: string | undefined, rawQuery: QueryString, offered: readonly string[]) => {
  const wanted = typeByFormat(rawQuery)
  if (wanted === undefined) return getChoice(offered)(accept)
  return offered.includes(wanted) ? wanted : undefined
}

/** Like `chooseType`, but throws `not_acceptable` (406). */
export const requireAcceptable = (
  accept: string | undefined,
  rawQuery: QueryString,
  offered: readonly string[],
): string => {
  const type = chooseType(accept, rawQuery, offered)
  if (type !== undefined) return type
  const charset = wantsOtherCharset(accept ?? '') ? '. The charset is always UTF-8' : ''
  throw new ApiError('not_acceptable', { detail: `This is available as: ${offered.join(', ')}${charset}` })
}

/** Whether a parameter is `format=json`, which changes nothing: JSON is the default. */
export const isJsonFormat = ({ name, value }: Pair) => name === 'format' && value === 'json'
