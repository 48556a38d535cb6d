import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser sent the request from a page of the same origin (`Origin`, Fetch Metadata). `host`: the
 * request's host. `origin`: the origin that clients see, which may differ behind a proxy.
 */
export const isSameOrigin = (headers: IncomingHttpHeaders, host: string, origin: string): boolean => {
  const { origin: sender } = headers
  const site = headers['sec-fetch-site']
  if (sender === undefined || (site !== undefined && site !== 'same-origin')) return false
  return sender === origin || URL.parse(sender)?.host === host
}
