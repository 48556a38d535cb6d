import { isIPv4 } from 'node:net'

/** 10.0.0.0/8, fc00::/7, and the blocks of a provider. */
const leastPrefix = { ipv4: 8, private: 7, ipv6: 16 } as const

/** Whether an address range is so wide that it includes strangers. IPv4 in IPv6 has the limits of IPv4. */
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
/** Of 32 random decimal digits, one key in a thousand has fewer different ones. */
const fewestDifferent = 8

const repeats = (text: string): boolean => {
  for (let unit = 1; unit < secretLength && unit <= text.length / 2; unit += 1) {
    if (text.startsWith(text.slice(unit))) return true
  }
  return false
}

/** Whether a key repeats itself or has too few different characters. */
export const isGuessable = (key: string): boolean => new Set(key).size < fewestDifferent || repeats(key)
