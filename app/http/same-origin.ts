import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser sent the request from a page of the same origin. `host`: the request's host with its
 * port. `origin`: the origin that clients see, which differs from the host behind a proxy that rewrites it.
 * Browsers send `Origin` with every POST, and `Sec-Fetch-Site` if they support it (Fetch Metadata). False
 * without `Origin`.
 */
export const isSameOrigin = (headers: IncomingHttpHeaders, host: string, origin: string): boolean => {
  const { origin: sender } = headers
  const site = headers['sec-fetch-site']
  if (sender === undefined || (site !== undefined && site !== 'same-origin')) return false
  return sender === origin || URL.parse(sender)?.host === host
}
