/** RFC 9110 §8.8.3: entity-tag = [ weak ] opaque-tag. */
const entityTags = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Compressing proxies (Apache, Jetty, Varnish, Caddy) add these to a tag. */
const codingSuffix = /^(?:--?|;)(?:gzip|br|zstd|deflate|df)$/

/** Whether `If-None-Match` has the tag (weak comparison, RFC 9110 §13.1.2), also with a proxy's suffix. */
export const isNotModified = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const wanted = etag.slice(etag.indexOf('"') + 1, -1)
  for (const [, opaque = ''] of ifNoneMatch.matchAll(entityTags)) {
    // Our tags may end with `-`, so a suffix begins only after the whole tag.
    if (opaque === wanted) return true
    if (opaque.startsWith(wanted) && codingSuffix.test(opaque.slice(wanted.length))) return true
  }
  return false
}

/** Whether `If-Match` fails (RFC 9110 §13.1.1): our tags are weak, so only `*` matches. */
export const isPreconditionFailed = (ifMatch: string | undefined): boolean =>
  ifMatch !== undefined && ifMatch.trim() !== '*'

const directive = /(?:^|[\s,])(?:no-cache(?=$|[\s,])|max-age=0(?=$|[\s,]))/i

/** Whether the client requires data that is read after its request (RFC 9111 §5.2.1, §5.4). */
export const wantsNoCache = (cacheControl: string | undefined, pragma: string | undefined): boolean =>
  cacheControl === undefined ? pragma !== undefined && /no-cache/i.test(pragma) : directive.test(cacheControl)

/** Formats `Cache-Status` (RFC 9211) while the database is unreachable. `seconds`: since it last responded. */
export const formatStale = (seconds: number): string =>
  `certdata; hit; ttl=-${seconds}; detail=db-unreachable`

/** RFC 9112, section 3.2; RFC 3986, section 3.2.2. Not empty, because http and https URLs need a host. */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d{0,5})?$/i

/** Whether the text is a valid Host field. */
export const isHost = (text: string): boolean => host.test(text)
