import { isHost } from '../http/fields.ts'

/** Where the fields that the edge needs stand in a `RequestHead`. */
export const field = {
  authorization: 0,
  accept: 1,
  acceptEncoding: 2,
  ifNoneMatch: 3,
  forwardedProto: 4,
  cacheControl: 5,
  traceparent: 6,
} as const

/** Their values. An array, because V8 writes to a place of an array faster than to a property by its name. */
export type RequestHead = readonly (string | undefined)[]

/** Fields with which a request is more than a plain GET, by length: the router knows what they mean. */
const others: Readonly<Record<number, readonly string[]>> = {
  6: ['origin', 'pragma', 'expect'],
  7: ['upgrade'],
  8: ['if-match'],
  14: ['content-length'],
  17: ['transfer-encoding'],
}

const wanted: Readonly<Record<number, readonly (readonly [string, number])[]>> = {
  6: [['accept', field.accept]],
  11: [['traceparent', field.traceparent]],
  13: [
    ['authorization', field.authorization],
    ['if-none-match', field.ifNoneMatch],
    ['cache-control', field.cacheControl],
  ],
  15: [['accept-encoding', field.acceptEncoding]],
  17: [['x-forwarded-proto', field.forwardedProto]],
}
const noFields: readonly undefined[] = Object.values(field).map(() => undefined)

/**
 * Parses Node's `rawHeaders` (name, value, name, …). Node's own object of headers is built on first use, and costs
 * more than everything else here. Returns undefined if the router must judge the headers, for example because a
 * field came twice, or because they have more than `maxBytes`. Over HTTP/2 a request needs no `Host`.
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
    const fields = wanted[length]
    const refused = others[length]
    if (!fields && !refused) continue
    const name = (rawHeaders[i] as string).toLowerCase()
    if (refused?.includes(name)) return undefined
    for (const [known, place] of fields ?? []) {
      if (name !== known) continue
      if (head[place] !== undefined) return undefined
      head[place] = rawHeaders[i + 1]
    }
  }
  if (bytes > maxBytes || hosts > 1 || (hosts === 0 && !isHttp2)) return undefined
  return head
}
