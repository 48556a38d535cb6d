import { createPublicKey, hash, sign, verify } from 'node:crypto'

export type RootJwk = Readonly<{ kty: string; crv: string; x: string; kid: string }>

export type RootSigner = Readonly<{ kid: string; jwk: RootJwk; privatePem: string }>

/** Describes a tree. Hashes are base64url. `size`: number of leaves, including random ones. */
export type RootStatement = Readonly<{
  number: number
  at: string
  root: string
  size: number
  /** The MAC of the newest seal in the tree. */
  head: string
  /** SHA-256 of the previous signed statement. Null for the first. */
  previous: string | null
}>

/** Access tokens have another type, so that neither is accepted as the other (RFC 8725, section 3.11). */
const statementType = 'audit-root+jws'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (segment: string): unknown => JSON.parse(Buffer.from(segment, 'base64url').toString())

/** Returns a compact JWS (RFC 7515), EdDSA. */
export const signStatement = ({ kid, privatePem }: RootSigner, statement: RootStatement): string => {
  const text = `${encode({ alg: 'EdDSA', typ: statementType, kid })}.${encode(statement)}`
  return `${text}.${sign(null, Buffer.from(text), privatePem).toString('base64url')}`
}

/** For `previous` of the next statement. */
export const hashStatement = (signed: string): Buffer => hash('sha256', signed, 'buffer')

/** `undefined` if the JWS is malformed, its key is unknown, or the signature is wrong. */
export const readStatement = (
  signed: string,
  findKey: (kid: string) => RootJwk | undefined,
): RootStatement | undefined => {
  try {
    const [header = '', payload = '', signature = ''] = signed.split('.')
    const { alg, typ, kid } = decode(header) as Record<string, string>
    const key = alg === 'EdDSA' && typ === statementType ? findKey(kid ?? '') : undefined
    if (!key) return undefined
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' })
    const text = Buffer.from(`${header}.${payload}`)
    const isSigned = verify(null, text, publicKey, Buffer.from(signature, 'base64url'))
    return isSigned ? (decode(payload) as RootStatement) : undefined
  } catch {
    return undefined
  }
}
