import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { ApiError } from '../errors.ts'
import { type Encoding, encodings } from './encodings.ts'
import { aliases, mediaTypes } from './formats.ts'
import type { Pair, QueryString } from './pairs.ts'

/** Bounds the memory that invented header values can fill. */
const remembered = {
  maxSize: 64_000,
  maxEntrySize: 1_000,
  sizeCalculation: (_: unknown, header: string) => header.length + 100,
}

const memoised = <T extends {}>(parse: (header: string) => T | undefined) => {
  const known = new LRUCache<string, T>(remembered)
  return (header: string): T | undefined => {
    const value = known.get(header)
    if (value !== undefined) return value
    const parsed = parse(header)
    known.set(header, parsed)
    return parsed
  }
}

/** RFC 9110 §12.5.1. `isOffered`: false for a CSV without a header, and for text in another charset than UTF-8. */
type MediaRange = { range: string; isOffered: boolean; weight: number }

const splitAt = (text: string, separator: ',' | ';'): string[] =>
  text.match(separator === ',' ? /(?:"(?:\\.|[^"\\])*"?|[^",])+/g : /(?:"(?:\\.|[^"\\])*"?|[^";])+/g) ?? []

const absentHeader = /^header\s*=\s*"?absent"?$/
const otherCharset = /^charset\s*=(?!\s*"?utf-?8"?$)/

/** Whether `Accept` has a charset other than UTF-8. */
export const wantsOtherCharset = (accept: string): boolean =>
  splitAt(accept, ',').some((range) =>
    splitAt(range, ';').some((each) => otherCharset.test(each.trim().toLowerCase())),
  )

const parseRange = (text: string): MediaRange => {
  const [named = '', ...parameters] = splitAt(text, ';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((each) => /^q\s*=/.test(each))
  const range = aliases.get(named) ?? named
  const isRefused = (parameter: string) =>
    absentHeader.test(parameter) || (range.startsWith('text/') && otherCharset.test(parameter))
  return {
    range,
    // Other parameters are ignored. A CSV export always has a header.
    isOffered: !parameters.some(isRefused),
    weight: weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1)),
  }
}

const weigh = (ranges: readonly MediaRange[], type: string): number => {
  for (const wanted of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const weights = ranges.flatMap(({ range, isOffered, weight }) =>
      range === wanted && isOffered ? [weight > 0 ? weight : 0] : [],
    )
    if (weights.length > 0) return Math.max(...weights)
  }
  return 0
}

/** Returns a function that chooses from `offered`, in order of preference, by `Accept`. `undefined`: none fits. */
export const createMediaTypeChoice = (offered: readonly string[]) => {
  const choose = memoised((accept) => {
    const texts = splitAt(accept, ',').filter((text) => text.trim() !== '')
    if (texts.length === 0) return offered[0]
    const ranges = texts.map(parseRange)
    const weighed = offered.map((type) => ({ type, weight: weigh(ranges, type) }))
    const [best] = weighed.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)
    return best?.type
  })
  return (accept: string | undefined): string | undefined =>
    accept === undefined ? offered[0] : choose(accept)
}

type Preferring = {
  encoding<T>(available: T[], options: { preferred: T[] }): T | undefined
}

const chooseEncoding = memoised<Encoding | 'identity'>((header) => {
  // The published types lack `preferred`: our order if weights are equal.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } }) as unknown as Preferring
  return negotiator.encoding([...encodings, 'identity'], { preferred: [...encodings, 'identity'] })
})

/** Chooses a content coding (RFC 9110 §12.5.3). `undefined` for the body as it is. */
export const findEncoding = (acceptEncoding: string | undefined): Encoding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const chosen = chooseEncoding(acceptEncoding)
  return chosen === 'identity' ? undefined : chosen
}

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
