import { isHost } from '../http/fields.ts'

/** What the edge needs of a request's header fields. */
export type RequestHead = {
  authorization: string | undefined
  accept: string | undefined
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  forwardedProto: string | undefined
  cacheControl: string | undefined
  traceparent: string | undefined
}

/** Fields with which a request is more than a plain GET, by length: the router knows what they mean. */
const others: Readonly<Record<number, readonly string[]>> = {
  6: ['origin', 'pragma', 'expect'],
  7: ['upgrade'],
  8: ['if-match'],
  14: ['content-length'],
  17: ['transfer-encoding'],
}

const wanted: Readonly<Record<number, readonly [string, keyof RequestHead][]>> = {
  6: [['accept', 'accept']],
  11: [['traceparent', 'traceparent']],
  13: [
    ['authorization', 'authorization'],
    ['if-none-match', 'ifNoneMatch'],
    ['cache-control', 'cacheControl'],
  ],
  15: [['accept-encoding', 'acceptEncoding']],
  17: [['x-forwarded-proto', 'forwardedProto']],
}

/**
 * Parses Node's `rawHeaders` (name, value, name, …). Node's own object of headers is built on first use, and costs
 * more than everything else here. Returns undefined if the router must judge the headers, for example because a
 * field came twice.
 */
export const readHead = (rawHeaders: readonly string[]): RequestHead | undefined => {
  const head: RequestHead = {
    authorization: undefined,
    accept: undefined,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    forwardedProto: undefined,
    cacheControl: undefined,
    traceparent: undefined,
  }
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i] as string
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
    for (const [field, key] of fields ?? []) {
      if (name !== field) continue
      if (head[key] !== undefined) return undefined
      head[key] = rawHeaders[i + 1]
    }
  }
  return hosts === 1 ? head : undefined
}
