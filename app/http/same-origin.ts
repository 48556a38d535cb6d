import type { IncomingHttpHeaders } from 'node:http'

/** Whether a page of this host or `origin` sent the request (Fetch Metadata). Behind a proxy the two may differ. */
export const isSameOrigin = (headers: IncomingHttpHeaders, host: string, origin: string): boolean => {
  const { origin: sender } = headers
  const site = headers['sec-fetch-site']
  if (sender === undefined || (site !== undefined && site !== 'same-origin')) return false
  return sender === origin || URL.parse(sender)?.host === host
}
