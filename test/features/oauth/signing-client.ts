import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Plan } from '../../../app/db/schema.ts'
import { assertionType } from '../../../app/features/oauth/client-assertion.ts'
import { formatClientKeys, parseClientKeys } from '../../../app/features/oauth/client-keys.ts'
import { addApiKey } from '../../../app/identity/api-key-store.ts'
import { createApiKey } from '../../../app/identity/api-keys.ts'
import { addCustomer, type TestDatabase } from '../../helper.ts'

export const makeKeys = {
  EdDSA: () => generateKeyPairSync('ed25519'),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}
export type Algorithm = keyof typeof makeKeys
export const algorithms = Object.keys(makeKeys) as Algorithm[]

export const getJwk = (key: KeyObject, more: object = {}) => ({ ...key.export({ format: 'jwk' }), ...more })

export type SigningClient = Readonly<{
  customer: string
  id: string
  alg: Algorithm
  privateKey: KeyObject
  publicKey: KeyObject
}>

type Options = { plan?: Plan; scopes?: string[] | null; alg?: Algorithm; kid?: string }

let customers = 0

export const addSigningClient = async (
  database: TestDatabase,
  options: Options = {},
): Promise<SigningClient> => {
  const { plan = 'premium', scopes = null, alg = 'EdDSA', kid } = options
  const customer = `signer-${++customers}`
  await addCustomer(database, customer, { plan })
  const { privateKey, publicKey } = makeKeys[alg]()
  const { keyId: id, secretSha256 } = createApiKey()
  const clientJwks = formatClientKeys(parseClientKeys(getJwk(publicKey, kid === undefined ? {} : { kid })))
  const key = { customerId: customer, keyId: id, secretSha256, scopes, expiresAt: null, clientJwks }
  await addApiKey(database.operator, key)
  return { customer, id, alg, privateKey, publicKey }
}

let assertions = 0

/** Valid for a minute. `header` and `claims` replace members; `undefined` removes one. */
export const assertFor = (
  { id, alg, privateKey }: Pick<SigningClient, 'id' | 'alg' | 'privateKey'>,
  audience: string,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> => {
  const now = Math.floor(Date.now() / 1000)
  const jti = `jti-${++assertions}`
  return new SignJWT({ iss: id, sub: id, aud: audience, iat: now, exp: now + 60, jti, ...claims })
    .setProtectedHeader({ alg, ...header })
    .sign(privateKey)
}

export const grantWith = (assertion: string, more: Record<string, string> = {}) => ({
  grant_type: 'client_credentials',
  client_assertion_type: assertionType,
  client_assertion: assertion,
  ...more,
})
