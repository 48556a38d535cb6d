const preflightMaxAgeSeconds = '600'

/** The answer repeats the names of the request's fields. Proxies limit the size of its head. */
const longestNames = 1024
const anyField = '*, Authorization'

type Fields = Readonly<Record<string, string>>

export type CrossOrigin = {
  /** Fields of any answer. `origin`: of the request. `undefined` if it has none, or if its head was not read. */
  getFields(origin: string | undefined): Fields
  /** Fields of the answer to a preflight. `undefined` if the request is none, or its origin is not allowed. */
  getPreflightFields(headers: Readonly<Record<string, unknown>>): Fields | undefined
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** CORS for pages of these origins (Fetch Standard, section 3.3). Credentials are not allowed. */
export const createCrossOrigin = (origins: readonly string[]): CrossOrigin => {
  const allowed = new Set(origins)
  const [first] = origins
  // A browser compares it with its page. So it may also be sent if the request's origin is unknown.
  const single = allowed.size === 1 ? first : undefined
  const getFields = (origin: string | undefined): Fields => {
    const permitted = origin === undefined ? single : allowed.has(origin) ? origin : undefined
    const vary: Fields = allowed.size > 0 ? { vary: 'Origin' } : {}
    if (permitted === undefined) return vary
    return {
      ...vary,
      'access-control-allow-origin': permitted,
      // All fields, because pages send a token and no credentials (Fetch Standard, section 3.3.3).
      'access-control-expose-headers': '*',
    }
  }
  return {
    getFields,
    getPreflightFields(headers) {
      const origin = readText(headers.origin)
      const method = headers['access-control-request-method']
      if (origin === undefined || method === undefined || !allowed.has(origin)) return undefined
      const asked = readText(headers['access-control-request-headers']) ?? anyField
      return {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': asked.length > longestNames ? anyField : asked,
        'access-control-max-age': preflightMaxAgeSeconds,
        vary: 'Origin, Access-Control-Request-Headers',
      }
    },
  }
}
