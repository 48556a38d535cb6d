import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'

const macBytes = 32
const shortestMacBytes = 16
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
const headerBytes = keyIdBytes + nonceBytes
const shortestSecret = 32

/**
 * Keys derived from SECRET_KEY, one for each purpose, so that nothing made for one passes for another.
 * A purpose is a constant of the code ("cursor"), never a value: derived keys are kept for ever.
 */
export type Secrets = Readonly<{
  /** HMAC-SHA256 under the first key, 32 bytes; a caller may keep the first 16 or more. */
  mac(purpose: string, data: string | Uint8Array): Buffer
  /** The same under each key, the first one first: for what is derived from SECRET_KEY and must outlive its change. */
  macs(purpose: string, data: string | Uint8Array): Buffer[]
  /**
   * Whether any of the keys made this mac over the data, in constant time for each key. Formats may keep the
   * first 16 bytes or more: whatever length comes, nobody forges 128 bits. `data`: also as parts, one behind the
   * other.
   */
  verifyMac(purpose: string, data: string | Uint8Array | readonly Uint8Array[], mac: Uint8Array): boolean
  /**
   * AES-256-GCM under the first key: key id (4 bytes), random nonce (12), ciphertext, tag (16). Random nonces
   * allow 2^32 messages a purpose (NIST SP 800-38D, section 8.3).
   */
  seal(purpose: string, plaintext: string | Uint8Array): Buffer
  /** What was sealed for the purpose. Throws where none of the keys opens it, or it was changed. */
  open(purpose: string, sealed: Uint8Array): Buffer
}>

const derive = (secretKey: string, info: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', secretKey, 'certdata', info, bytes))

// The id says which of several keys to try and nothing about the key itself.
const createKey = (secretKey: string) => {
  const derived = new Map<string, KeyObject>()
  return {
    id: derive(secretKey, 'key id', keyIdBytes),
    for(use: 'mac' | 'seal', purpose: string): KeyObject {
      const info = `${use}:${purpose}`
      let key = derived.get(info)
      if (!key) {
        // As bytes it would be checked and copied at every use, which takes longer than the mac of a cursor.
        key = createSecretKey(derive(secretKey, info, 32))
        derived.set(info, key)
      }
      return key
    },
  }
}

const decrypt = (key: KeyObject, sealed: Buffer): Buffer | undefined => {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(keyIdBytes, headerBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(sealed.subarray(0, keyIdBytes))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const plaintext = decipher.update(sealed.subarray(headerBytes, -tagBytes))
  try {
    return Buffer.concat([plaintext, decipher.final()])
  } catch {
    return undefined
  }
}

/**
 * Everything made with the secret keys: HKDF-SHA256 (RFC 5869) derives one key a purpose. The first key
 * makes, all of them check. Throws RangeError without any key.
 */
export const createSecrets = (secretKeys: readonly string[]): Secrets => {
  const keys = secretKeys.map(createKey)
  const [first] = keys
  if (!first) throw new RangeError('expected at least one secret key')
  const macWith = (key: KeyObject, data: string | Uint8Array | readonly Uint8Array[]) => {
    const hmac = createHmac('sha256', key)
    const parts = typeof data === 'string' || data instanceof Uint8Array ? [data] : data
    for (const part of parts) hmac.update(part)
    return hmac.digest()
  }

  return {
    mac: (purpose, data) => macWith(first.for('mac', purpose), data),

    macs: (purpose, data) => keys.map((key) => macWith(key.for('mac', purpose), data)),

    verifyMac(purpose, data, mac) {
      if (mac.length < shortestMacBytes || mac.length > macBytes) return false
      return keys.some((key) =>
        timingSafeEqual(macWith(key.for('mac', purpose), data).subarray(0, mac.length), mac),
      )
    },

    seal(purpose, plaintext) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', first.for('seal', purpose), nonce)
      cipher.setAAD(first.id)
      return Buffer.concat([first.id, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    },

    open(purpose, sealed) {
      const bytes = Buffer.from(sealed)
      if (bytes.length >= headerBytes + tagBytes) {
        for (const key of keys) {
          if (!key.id.equals(bytes.subarray(0, keyIdBytes))) continue
          const plaintext = decrypt(key.for('seal', purpose), bytes)
          if (plaintext) return plaintext
        }
      }
      throw new Error(`no secret key opens this (${purpose})`)
    },
  }
}

// A link appears with its whole content or not at all, and only for the first of several processes.
const createFile = (file: string, content: string): void => {
  const temporary = `${file}.${randomBytes(8).toString('hex')}`
  writeFileSync(temporary, content, { flag: 'wx', mode: 0o600, flush: true })
  try {
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(temporary)
  }
}

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The secret key kept in `file` (local mode), made at the first call: 256 random bits as 43 characters,
 * readable by this user only. Processes that call at once agree on one. The folder must exist.
 * Throws the file system's error, or one that names the file where it holds fewer than 32 characters.
 */
export const loadOrCreateSecret = (file: string): string => {
  let secret = readIfThere(file)
  if (secret === undefined) {
    createFile(file, `${randomBytes(32).toString('base64url')}\n`)
    secret = readFileSync(file, 'utf8').trim()
  }
  if (secret.length < shortestSecret) {
    throw new Error(
      `${file}: expected a secret of at least ${shortestSecret} characters; remove it for a new one`,
    )
  }
  return secret
}
