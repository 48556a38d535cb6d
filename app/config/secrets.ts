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
import { secretLength } from './insecure.ts'

const macBytes = 32
const shortestMacBytes = 16
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
const headerBytes = keyIdBytes + nonceBytes

/** Derives a key for each purpose. A purpose must be a constant, because its keys are cached forever. */
export type Secrets = Readonly<{
  /** HMAC-SHA256 under the first key, 32 bytes. Callers may truncate it to 16 bytes or more. */
  mac(purpose: string, data: string | Uint8Array): Buffer
  /** The MACs under each key, for derived values that must survive a change of SECRET_KEY. */
  macs(purpose: string, data: string | Uint8Array): Buffer[]
  /** True if any key made this MAC of 16 to 32 bytes. `data` may be in parts. Constant time for each key. */
  verifyMac(purpose: string, data: string | Uint8Array | readonly Uint8Array[], mac: Uint8Array): boolean
  /** AES-256-GCM under the first key: key id (4 bytes), random nonce (12), ciphertext, tag (16). */
  encrypt(purpose: string, plaintext: string | Uint8Array): Buffer
  /** Throws if no key decrypts it, or if it was changed or encrypted for another purpose. */
  decrypt(purpose: string, encrypted: Uint8Array): Buffer
}>

const derive = (secretKey: string, info: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', secretKey, 'certdata', info, bytes))

const createKey = (secretKey: string) => {
  const derived = new Map<string, KeyObject>()
  return {
    id: derive(secretKey, 'key id', keyIdBytes),
    for(use: 'mac' | 'encrypt', purpose: string): KeyObject {
      const info = `${use}:${purpose}`
      let key = derived.get(info)
      if (!key) {
        // Node checks and copies bytes at each use, but not a KeyObject.
        key = createSecretKey(derive(secretKey, info, 32))
        derived.set(info, key)
      }
      return key
    },
  }
}

const tryDecrypt = (key: KeyObject, encrypted: Buffer): Buffer | undefined => {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(keyIdBytes, headerBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(encrypted.subarray(0, keyIdBytes))
  decipher.setAuthTag(encrypted.subarray(-tagBytes))
  const plaintext = decipher.update(encrypted.subarray(headerBytes, -tagBytes))
  try {
    return Buffer.concat([plaintext, decipher.final()])
  } catch {
    return undefined
  }
}

/** Derives keys from SECRET_KEY by HKDF-SHA256 (RFC 5869). Throws RangeError if there is no secret key. */
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

    encrypt(purpose, plaintext) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', first.for('encrypt', purpose), nonce)
      cipher.setAAD(first.id)
      return Buffer.concat([first.id, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    },

    decrypt(purpose, encrypted) {
      const bytes = Buffer.from(encrypted)
      if (bytes.length >= headerBytes + tagBytes) {
        for (const key of keys) {
          if (!key.id.equals(bytes.subarray(0, keyIdBytes))) continue
          const plaintext = tryDecrypt(key.for('encrypt', purpose), bytes)
          if (plaintext) return plaintext
        }
      }
      throw new Error(`no key in SECRET_KEY decrypts this value (${purpose})`)
    },
  }
}

// `link` is atomic: the file appears complete, and only one of several processes creates it.
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
 * Returns the secret key in `file`, or creates one: 256 random bits, readable by this user only. Concurrent
 * processes get the same key. Throws the file system's errors, and if the key in the file is too short.
 */
export const loadOrCreateSecret = (file: string): string => {
  let secret = readIfThere(file)
  if (secret === undefined) {
    createFile(file, `${randomBytes(32).toString('base64url')}\n`)
    secret = readFileSync(file, 'utf8').trim()
  }
  if (secret.length < secretLength) {
    throw new Error(
      `${file}: expected a secret of at least ${secretLength} characters. Remove the file for a new one`,
    )
  }
  return secret
}
