import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { Secrets } from '../config/secrets.ts'
import { describeEd25519 } from './jwk.ts'

/** `typ` of access tokens (RFC 9068, section 2.1). */
export const tokenType = 'at+jwt'
const purpose = 'signing key'

const describe = (privatePem: string) => {
  const privateKey = createPrivateKey(privatePem)
  const jwk = describeEd25519(privateKey)
  const { kid } = jwk
  return {
    kid,
    jwk,
    privatePem,
    header: Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: tokenType, kid })).toString('base64url'),
    publicPem: createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }).toString(),
  }
}

export type SigningKey = Readonly<ReturnType<typeof describe>>

/** Returns a row of `signing_keys`. */
export const createSigningKey = (secrets: Secrets) => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const privatePem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const { kid, jwk } = describe(privatePem)
  return { kid, public_jwk: JSON.stringify(jwk), encrypted_private_key: secrets.encrypt(purpose, privatePem) }
}

/** Derives the public key from the private one, so a row that was not written with SECRET_KEY is never trusted. */
export const decryptSigningKey = (kid: string, encrypted: Buffer, secrets: Secrets): SigningKey => {
  let privatePem: string
  try {
    privatePem = secrets.decrypt(purpose, encrypted).toString()
  } catch (cause) {
    throw new Error(
      `The signing key ${kid} cannot be opened: it was sealed with another SECRET_KEY. Add the previous key ` +
        'after the new one (SECRET_KEY=new,previous). If it is lost, delete the row from the table ' +
        'signing_keys and run "certdata migrate", which creates a new key. All existing tokens become invalid.',
      { cause },
    )
  }
  return describe(privatePem)
}
