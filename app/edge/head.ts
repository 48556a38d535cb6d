import { isHost } from '../http/fields.ts'

export const field = {
  host: 0,
  authorization: 1,
  accept: 2,
  acceptEncoding: 3,
  ifNoneMatch: 4,
  forwardedProto: 5,
  cacheControl: 6,
  traceparent: 7,
} as const

/** Values by the indexes of `field`. V8 writes elements of an array faster than named properties. */
export type RequestHead = readonly (string | undefined)[]

const refused = -1
/** Index by field name. A request with a refused field is left to the router. */
const places: Readonly<Record<string, number>> = {
  host: field.host,
  authorization: field.authorization,
  accept: field.accept,
  'accept-encoding': field.acceptEncoding,
  'if-none-match': field.ifNoneMatch,
  'x-forwarded-proto': field.forwardedProto,
  'cache-control': field.cacheControl,
  traceparent: field.traceparent,
  ...Object.fromEntries(
    ['origin', 'pragma', 'expect', 'upgrade', 'if-match', 'content-length', 'transfer-encoding'].map(
      (name) => [name, refused],
    ),
  ),
}
/** By the length of the name: most other fields are skipped without reading their names. */
const byLength = Map.groupBy(Object.entries(places), ([name]) => name.length)
const noFields: readonly undefined[] = Object.values(field).map(() => undefined)

const findPlace = (name: string): number | undefined => {
  const candidates = byLength.get(name.length)
  if (!candidates) return undefined
  const lowerCase = name.toLowerCase()
  for (const [known, place] of candidates) if (lowerCase === known) return place
  return undefined
}

/**
 * Parses Node's `rawHeaders` (name, value, …): Node's headers object costs more than the rest of the edge.
 * `undefined` if the router must answer: a refused or repeated field, an invalid Host, over `maxBytes`.
 */
export const readHead = (
  rawHeaders: readonly string[],
  isHttp2: boolean,
  maxBytes: number,
): RequestHead | undefined => {
  const head: (string | undefined)[] = noFields.slice()
  let bytes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    const value = rawHeaders[i + 1] as string
    bytes += name.length + value.length
    const place = findPlace(name)
    if (place === undefined) continue
    if (place === refused || head[place] !== undefined) return undefined
    head[place] = value
  }
  const host = head[field.host]
  const isValid = bytes <= maxBytes && (host === undefined ? isHttp2 : isHost(host))
  return isValid ? head : undefined
}
