import { createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { computeThumbprint } from '../../identity/jwk.ts'
import { isStrongEd25519, isStrongModulus } from './weak-keys.ts'

type KeyAlgorithm = 'EdDSA' | 'ES256' | 'PS256'

/** `Ed25519` is a newer name of `EdDSA` (RFC 9864). */
export const assertionAlgorithms = ['EdDSA', 'Ed25519', 'ES256', 'PS256'] as const
type AssertionAlgorithm = (typeof assertionAlgorithms)[number]

/** Returns the `alg` of stored keys that verify this algorithm. */
const toKeyAlgorithm = (alg: AssertionAlgorithm): KeyAlgorithm => (alg === 'Ed25519' ? 'EdDSA' : alg)

/** A client's public key as stored (RFC 7517): only the members that identify it, `kid`, `alg` and `use`. */
export type PublicJwk = Readonly<Record<string, string> & { kid: string; alg: KeyAlgorithm }>

// See docs/decisions/0199-no-keys-from-addresses-of-clients.md.
const maxKeys = 10
const [leastRsaBits, mostRsaBits] = [2048, 4096]
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const kinds = [
  { alg: 'EdDSA', type: { kty: 'OKP', crv: 'Ed25519' }, members: ['crv', 'kty', 'x'] },
  { alg: 'ES256', type: { kty: 'EC', crv: 'P-256' }, members: ['crv', 'kty', 'x', 'y'] },
  { alg: 'PS256', type: { kty: 'RSA' }, members: ['e', 'kty', 'n'] },
] as const

const jwkSchema = z.record(z.string(), z.unknown())
const kidSchema = z.string().regex(/^[\x20-\x7e]{1,255}$/)
const setSchema = z.object({ keys: z.array(z.unknown()) })

type PublicMembers = Readonly<Record<string, string>>

const requireUse = (jwk: Record<string, unknown>, alg: string): void => {
  const { use = 'sig', key_ops: operations = ['verify'], alg: named = alg } = jwk
  if (use !== 'sig') throw new Error('expected a key for signatures: make one with use "sig" or without use')
  if (!Array.isArray(operations) || !operations.includes('verify')) {
    throw new Error('expected a key for signatures: make one with key_ops ["verify"] or without key_ops')
  }
  if (named !== alg && !(alg === 'EdDSA' && named === 'Ed25519')) {
    throw new Error(`a key of this type signs with ${alg}: name this alg, or leave alg out`)
  }
}

const requireRsaStrength = (modulus: Buffer, { asymmetricKeyDetails = {} }: KeyObject): void => {
  const { modulusLength: bits = 0, publicExponent } = asymmetricKeyDetails
  if (bits < leastRsaBits || bits > mostRsaBits) {
    throw new Error(`expected an RSA key of ${leastRsaBits} to ${mostRsaBits} bits: make a new one`)
  }
  if (publicExponent !== 65_537n) {
    throw new Error('expected an RSA key with the exponent 65537 (e "AQAB"): make a new one')
  }
  if (!isStrongModulus(modulus)) throw new Error('the modulus of the key has a small factor: make a new key')
}

const requireStrength = ({ x = '', n }: PublicMembers, key: KeyObject) => {
  if (n !== undefined) requireRsaStrength(Buffer.from(n, 'base64url'), key)
  if (key.asymmetricKeyType === 'ed25519' && !isStrongEd25519(Buffer.from(x, 'base64url'))) {
    throw new Error('this key is not secure: make a new key pair and give its public part')
  }
}

const readMember = (jwk: Record<string, unknown>, name: string): string => {
  const { success, data } = z.string().max(1_000).safeParse(jwk[name])
  if (!success) throw new Error(`expected the member ${name} as a text of at most 1000 characters`)
  return data
}

const readKid = (kid: unknown): string => {
  const { success, data } = kidSchema.safeParse(kid)
  if (!success) throw new Error('expected a kid of 1 to 255 ASCII characters: name another, or leave kid out')
  return data
}

const parseJwk = (value: unknown): PublicJwk => {
  const { success, data: jwk } = jwkSchema.safeParse(value)
  if (!success) throw new Error('expected a JSON Web Key')
  if (privateMembers.some((member) => jwk[member] !== undefined)) {
    throw new Error('this key is private or secret: give its public part only, and never use this key again')
  }
  const kind = kinds.find(({ type }) => Object.entries(type).every(([name, is]) => jwk[name] === is))
  if (!kind) {
    throw new Error(
      'expected an Ed25519, P-256 or RSA key: make one, and give its public part with kty and crv',
    )
  }
  requireUse(jwk, kind.alg)
  const key = importJwk(Object.fromEntries(kind.members.map((name) => [name, readMember(jwk, name)])))
  // Exporting normalizes the members, so that a key has only one thumbprint.
  const exported = key.export({ format: 'jwk' }) as PublicMembers
  const made = Object.fromEntries(kind.members.map((name) => [name, exported[name] as string]))
  requireStrength(made, key)
  return { ...made, kid: readKid(jwk.kid ?? computeThumbprint(made)), alg: kind.alg, use: 'sig' }
}

const importJwk = (jwk: Readonly<Record<string, string>>): KeyObject => {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' })
  } catch {
    throw new Error('the members do not form a key: export its public part again as a JSON Web Key')
  }
}

/** Parses one JSON Web Key or a set of 1 to 10. Throws with the reason if a key is unsuitable. */
export const parseClientKeys = (value: unknown): PublicJwk[] => {
  const set = setSchema.safeParse(value)
  const given = set.success ? set.data.keys : [value]
  if (given.length > maxKeys) throw new Error(`expected at most ${maxKeys} keys`)
  if (given.length === 0) throw new Error('expected at least one key')
  const jwks = given.map(parseJwk)
  if (new Set(jwks.map(({ kid }) => kid)).size < jwks.length) throw new Error('two keys have the same kid')
  return jwks
}

/** Returns the column `client_jwks` of `api_keys`. */
export const formatClientKeys = (keys: readonly PublicJwk[]): string => JSON.stringify({ keys })

/**
 * Reads the keys for this algorithm from the column `client_jwks` of `api_keys`; with `kid`, only this key. Throws if
 * the members do not form a key. Does not check its strength: stored keys are checked. See
 * docs/decisions/0096-a-client-that-signs-is-a-key.md.
 */
export const readClientKeys = (
  clientJwks: string,
  { alg, kid }: { alg: AssertionAlgorithm; kid?: string | undefined },
): KeyObject[] => {
  const { keys } = JSON.parse(clientJwks) as { keys: PublicJwk[] }
  return keys
    .filter((jwk) => jwk.alg === toKeyAlgorithm(alg) && (kid === undefined || jwk.kid === kid))
    .map(importJwk)
}
