import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

// `cda_live_<key id>_<secret><crc>`, 64 characters. The prefix is for secret scanners; the checksum rejects typos
// without a query. The secret has 190 bits, so an unsalted SHA-256 is enough to store it.
const prefix = 'cda_live_'
const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
const keyIdLength = 16
const secretLength = 32
/** 62^6 > 2^32. */
const checksumLength = 6
const toFormat = (start: string): RegExp =>
  new RegExp(
    `^${start}([a-z0-9]{${keyIdLength}})_([A-Za-z0-9]{${secretLength}})([A-Za-z0-9]{${checksumLength}})$`,
  )
const format = toFormat(prefix)

const randomText = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < checksumLength; place++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const withChecksum = (body: string): string => body + checksum(body)

const parse = (text: string, pattern: RegExp): { keyId: string; secret: string } | undefined => {
  const [, keyId, secret, sum] = pattern.exec(text) ?? []
  if (keyId === undefined || secret === undefined) return undefined
  return checksum(text.slice(0, -checksumLength)) === sum ? { keyId, secret } : undefined
}

const sha256 = (secret: string) => createHash('sha256').update(secret).digest()

export const createKeyId = (): string => randomText(base36, keyIdLength)

/** Store only `keyId` and `secretSha256` (32 bytes). */
export const createApiKey = (): { keyId: string; apiKey: string; secretSha256: Buffer } => {
  const keyId = createKeyId()
  const { secretSha256, formatKey } = createKeySecret()
  return { keyId, apiKey: formatKey(keyId), secretSha256 }
}

/** For a key whose id is not known yet. `formatKey` returns the whole key. */
export const createKeySecret = (): { secretSha256: Buffer; formatKey: (keyId: string) => string } => {
  const secret = randomText(base62, secretLength)
  return {
    secretSha256: sha256(secret),
    formatKey: (keyId) => withChecksum(`${prefix}${keyId}_${secret}`),
  }
}

/** Trims white space. `undefined` if the format or the checksum is wrong. */
export const parseApiKey = (given: string): { keyId: string; secret: string } | undefined =>
  parse(given.trim(), format)

const toAddressPrefix = (kind: string): string => `cda_${kind}_`

/**
 * Creates a key that is part of an address, `cda_<kind>_<key id>_<secret><crc>`. Its hash covers the whole text, so it is
 * no API key, and an API key is no key of an address, whatever beginning is written in front of the secret.
 */
export const createAddressKey = (kind: string): { keyId: string; text: string; secretSha256: Buffer } => {
  const keyId = createKeyId()
  const text = withChecksum(`${toAddressPrefix(kind)}${keyId}_${randomText(base62, secretLength)}`)
  return { keyId, text, secretSha256: sha256(text) }
}

/** Returns the id of a key of `createAddressKey`. `undefined` if the format or the checksum is wrong. */
export const findAddressKeyId = (kind: string, text: string): string | undefined =>
  parse(text, toFormat(toAddressPrefix(kind)))?.keyId

const anyAddressFormat = toFormat(toAddressPrefix('[a-z]+'))

/** Parses an API key, or a key of an address, whose secret is the whole text. Trims and refuses as `parseApiKey` does. */
export const parseAnyKey = (given: string): { keyId: string; secret: string } | undefined => {
  const text = given.trim()
  const address = parse(text, anyAddressFormat)
  return parseApiKey(text) ?? (address && { keyId: address.keyId, secret: text })
}

/** Also true for a mistyped key. */
export const looksLikeApiKey = (text: string): boolean => text.startsWith(prefix)

/** Compares in constant time. `secretSha256` has 32 bytes. */
export const matchesSecret = (secret: string, secretSha256: Uint8Array): boolean =>
  timingSafeEqual(sha256(secret), secretSha256)
