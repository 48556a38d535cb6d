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
