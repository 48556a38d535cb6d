import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

/** RFC 7638, section 3. `members`: the required ones in lexicographic order. */
export const computeThumbprint = (members: Readonly<Record<string, string>>): string =>
  createHash('sha256').update(JSON.stringify(members)).digest('base64url')

/** Returns the public half as a JSON Web Key (RFC 8037). `kid` is its thumbprint. */
export const describeEd25519 = (privateKey: KeyObject) => {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const kid = computeThumbprint({ crv: 'Ed25519', kty: 'OKP', x })
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } as const
}
