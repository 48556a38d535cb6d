/** Scheme and host with port, for the suggested correction. */
const parts = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:[^/?#@]*@)?([^/?#@\\\s]*)/i

/** Returns undefined if the text is not a URL. */
const tryUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const isLoopback = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

const correct = (text: string): string => {
  const [, scheme = '', host = ''] = parts.exec(text) ?? []
  const url = tryUrl(`http://${host}`)
  if (!url) return 'https://api.example.com'
  if (/^https?$/i.test(scheme)) return `${scheme.toLowerCase()}://${url.host}`
  return `${isLoopback(url) ? 'http' : 'https'}://${url.host}`
}

/** Returns the origin of a service. Throws a TypeError with the corrected form unless the text is only that. */
export const parseOrigin = (given: string | null | undefined): string => {
  const text = (given ?? '').trim()
  const url = /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) ? tryUrl(text) : undefined
  if (url) return url.origin
  throw new TypeError(
    `The address of the service is http:// or https:// and a host, without a path, for example ${correct(text)}`,
  )
}

/** Returns the address of a receiver on this machine. Throws a TypeError for any other address. */
export const parseLocal = (text: string): string => {
  const url = tryUrl(text)
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url && isHttp && isLoopback(url) && url.username + url.password === '') return url.href
  throw new TypeError(
    `"${text}" is not an address of this machine: use localhost, 127.0.0.1 or [::1], for example http://localhost:8080/hook`,
  )
}
