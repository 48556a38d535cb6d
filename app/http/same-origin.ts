import type { IncomingHttpHeaders } from 'node:http'

/** Whether `Origin` has `host` or is `origin` (behind a proxy they may differ), and Fetch Metadata agree. */
export const isSameOrigin = (headers: IncomingHttpHeaders, host: string, origin: string): boolean => {
  const { origin: sender } = headers
  const site = headers['sec-fetch-site']
  if (sender === undefined || (site !== undefined && site !== 'same-origin')) return false
  return sender === origin || URL.parse(sender)?.host === host
}
