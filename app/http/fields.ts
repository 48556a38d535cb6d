/** RFC 9110 §8.8.3: entity-tag = [ weak ] opaque-tag; the opaque part is what weak comparison compares. */
const entityTags = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/** Proxies that compress an answer add these to its tag: Apache, Jetty, Varnish, Caddy. Outside the quotes they do no harm. */
const codingSuffix = /(?:--?|;)(?:gzip|br|zstd|deflate|df)"$/

const opaquePart = (etag: string) => (etag.startsWith('W/') ? etag.slice(2) : etag)

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110 §13.1.2): then 304. */
export const isNotModified = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const wanted = opaquePart(etag)
  for (const [, opaque] of ifNoneMatch.matchAll(entityTags)) {
    if (opaque === wanted || opaque?.replace(codingSuffix, '"') === wanted) return true
  }
  return false
}

/**
 * Whether `If-Match` fails (RFC 9110 §13.1.1): then 412. It compares strongly and our tags are weak, so
 * only `*` ever matches.
 */
export const isPreconditionFailed = (ifMatch: string | undefined): boolean =>
  ifMatch !== undefined && ifMatch.trim() !== '*'

const directive = /(?:^|[\s,])(?:no-cache(?=$|[\s,])|max-age=0(?=$|[\s,]))/i

/** Whether the client asks for an answer from after its request (RFC 9111 §5.2.1, §5.4). */
export const wantsNoCache = (cacheControl: string | undefined, pragma: string | undefined): boolean =>
  cacheControl === undefined ? pragma !== undefined && /no-cache/i.test(pragma) : directive.test(cacheControl)

/**
 * Returns the `Cache-Status` header (RFC 9211) of an answer that may be stale because the database does not answer.
 * `seconds`: time since it last answered.
 */
export const formatStale = (seconds: number): string =>
  `certdata; hit; ttl=-${seconds}; detail=db-unreachable`

/**
 * RFC 9112, section 3.2: `Host = uri-host [ ":" port ]`. RFC 3986, section 3.2.2: an IP literal in brackets, or a
 * name of unreserved characters, escapes and sub-delims. It is never empty, because the service has only http and
 * https addresses.
 */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d{0,5})?$/i

/** Clients send the same name again and again. */
let lastValid = ''

/** Whether the text may stand in a Host field: `u@host`, a blank or nothing may not. */
export const isHost = (text: string): boolean => {
  if (text === lastValid && text !== '') return true
  if (!host.test(text)) return false
  lastValid = text
  return true
}
