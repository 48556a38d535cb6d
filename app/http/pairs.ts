import { compact, expand } from './compact.ts'

/** A query parameter. `value` is `undefined` if an escape is broken or its bytes are not UTF-8. */
export type Pair = { name: string; value: string | undefined }

/** Decodes a part of a form. `undefined` if an escape is broken or its bytes are not UTF-8. */
export const decodeFormPart = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Parses a query string like a form (WHATWG URL). A name that cannot be decoded stays raw and has no value. */
export const parsePairs = (rawQuery: string): Pair[] =>
  rawQuery
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      const name = equals === -1 ? part : part.slice(0, equals)
      const decodedName = decodeFormPart(name)
      if (decodedName === undefined) return { name, value: undefined }
      return { name: decodedName, value: equals === -1 ? '' : decodeFormPart(part.slice(equals + 1)) }
    })

/** The query string of a request. `pairs` is parsed when it is first read, and only once. */
export type QueryString = Readonly<{ text: string; pairs: readonly Pair[] }>

/** Creates the query string of a request from its text, without `?`. */
export const createQueryString = (text: string): QueryString => {
  let pairs: readonly Pair[] | undefined
  return {
    text,
    get pairs() {
      pairs ??= parsePairs(text)
      return pairs
    },
  }
}

/** The absolute form of a target, as proxies send it (RFC 9112 §3.2.2). */
const authority = /^https?:\/\/[^/?]*/i

/** Splits a request target, also in its absolute form, at the first question mark. */
export const splitTarget = (wholeTarget = ''): { path: string; rawQuery: string } => {
  const target = wholeTarget.startsWith('/') ? wholeTarget : wholeTarget.replace(authority, '')
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, rawQuery: '' }
    : { path: target.slice(0, mark), rawQuery: target.slice(mark + 1) }
}

/** Splits a list at commas. `\,` is a comma and `\\` a backslash in an element. */
export const splitList = (value: string): string[] => {
  const elements: string[] = []
  let element = ''
  for (let i = 0; i < value.length; i++) {
    const character = value[i] as string
    const next = value[i + 1]
    if (character === '\\' && (next === ',' || next === '\\')) {
      element += next
      i++
    } else if (character === ',') {
      elements.push(element)
      element = ''
    } else {
      element += character
    }
  }
  elements.push(element)
  return elements
}

/** The inverse of `splitList`. */
export const joinList = (elements: readonly string[]): string =>
  elements.map((element) => element.replace(/[\\,]/g, '\\$&')).join(',')

/** Formats pairs as a query string, with escaped brackets (RFC 3986) and readable commas. */
export const formatPairs = (pairs: readonly (readonly [name: string, value: string])[]): string =>
  pairs
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&')

const packed = 'packed'

/** No value of a valid query contains it. */
const separator = '\0'

/** Packs a query string into one parameter. See docs/decisions/0180-long-links-are-packed.md. */
export const packQuery = (rawQuery: string): string => {
  const texts = parsePairs(rawQuery).flatMap(({ name, value = '' }) => [name, value])
  return `${packed}=${compact(texts.join(separator)).toString('base64url')}`
}

const unpack = (text: string): string | undefined => {
  try {
    const texts = expand(Buffer.from(text, 'base64url')).split(separator)
    const pairs = texts.flatMap((name, index) =>
      index % 2 === 0 ? [[name, texts[index + 1] ?? ''] as const] : [],
    )
    return formatPairs(pairs)
  } catch {
    return undefined
  }
}

/** Returns the target with its packed query written out. Any other target stays as it is. */
export const unpackTarget = (target: string): string => {
  if (!target.includes(`?${packed}=`)) return target
  const [first, ...others] = parsePairs(splitTarget(target).rawQuery)
  const query = first?.name === packed && others.length === 0 ? unpack(first.value ?? '') : undefined
  return query === undefined ? target : `${target.slice(0, target.indexOf('?'))}?${query}`
}
