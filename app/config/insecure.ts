import { isIPv4 } from 'node:net'

/** Shortest accepted prefixes, in bits. `private`: of IPv6 that begins with fc, fd or fe (fc00::/7). */
const leastPrefix = { ipv4: 8, private: 7, ipv6: 16 } as const

/** True if a range of proxies is so wide that it includes clients. IPv4 within IPv6 has the limit of IPv4. */
export const isTooWide = (range: string): boolean => {
  const [address = '', prefix] = range.split('/')
  if (prefix === undefined) return false
  const bits = Number(prefix)
  if (isIPv4(address)) return bits < leastPrefix.ipv4
  const host = URL.parse(`http://[${address}]`)?.hostname ?? ''
  if (host.startsWith('[::')) return bits < 96 + leastPrefix.ipv4
  return bits < (/^\[f[cde]/.test(host) ? leastPrefix.private : leastPrefix.ipv6)
}

export const secretLength = 32
/** Of keys with 32 random decimal digits, one in a thousand has fewer different digits. */
const fewestDifferent = 8

const repeats = (text: string): boolean => {
  for (let unit = 1; unit < secretLength && unit <= text.length / 2; unit += 1) {
    if (text.startsWith(text.slice(unit))) return true
  }
  return false
}

/** True if a key only repeats a part shorter than 32 characters, or has fewer than 8 different characters. */
export const isGuessable = (key: string): boolean => new Set(key).size < fewestDifferent || repeats(key)
