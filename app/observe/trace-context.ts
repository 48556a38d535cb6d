/** W3C Trace Context, level 1: version-traceid-parentid-flags. Only versions after 00 may append fields. */
const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.*)?$/
const firstVersionLength = 55

/** Returns a request's trace id, 32 hexadecimal digits. `undefined` if the header is missing or malformed. */
export const findTraceId = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  if (header.startsWith('00') && header.length !== firstVersionLength) return undefined
  return traceparent.exec(header)?.[1]
}
