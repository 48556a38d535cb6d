import { isHost } from '../http/fields.ts'

export const field = {
  authorization: 0,
  accept: 1,
  acceptEncoding: 2,
  ifNoneMatch: 3,
  forwardedProto: 4,
  cacheControl: 5,
  traceparent: 6,
} as const

/** Values by the indexes of `field`. V8 writes elements of an array faster than named properties. */
export type RequestHead = readonly (string | undefined)[]

const refused = -1
/** Index by field name. A request with a refused field is left to the router. */
const places: Readonly<Record<string, number>> = {
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
const longest = 17
/** By the length of the name: most other fields are skipped without reading their names. */
const byLength = Array.from({ length: longest + 1 }, (_, length) =>
  Object.entries(places).filter(([name]) => name.length === length),
)
const noFields: readonly undefined[] = Object.values(field).map(() => undefined)

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
  let hosts = 0
  let bytes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i] as string
    bytes += length + (rawHeaders[i + 1] as string).length
    if (length === 4) {
      if ((rawHeaders[i] as string).toLowerCase() !== 'host') continue
      if (!isHost(rawHeaders[i + 1] as string)) return undefined
      hosts += 1
      continue
    }
    const candidates = length <= longest ? (byLength[length] as [string, number][]) : []
    if (candidates.length === 0) continue
    const name = (rawHeaders[i] as string).toLowerCase()
    for (const [known, place] of candidates) {
      if (name !== known) continue
      if (place === refused || head[place] !== undefined) return undefined
      head[place] = rawHeaders[i + 1]
    }
  }
  if (bytes > maxBytes || hosts > 1 || (hosts === 0 && !isHttp2)) return undefined
  return head
}
