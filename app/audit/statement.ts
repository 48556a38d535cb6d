import { createPublicKey, hash, sign, verify } from 'node:crypto'

/** The public half of a key that signs roots, as the key set of the service has it (RFC 8037). */
export type RootJwk = Readonly<{ kty: string; crv: string; x: string; kid: string }>

/** A key that signs roots. */
export type RootSigner = Readonly<{ kid: string; jwk: RootJwk; privatePem: string }>

/** What is said of the tree of a minute. Hashes are base64url. */
export type RootStatement = Readonly<{
  /** 1 for the first root, and on without gaps. */
  number: number
  /** When it was made: RFC 3339, UTC, six decimals. */
  at: string
  /** The root of the tree. */
  root: string
  /** Leaves of the tree, a power of two. */
  size: number
  /** The seal of the newest entry in the tree: where the chain stood. */
  head: string
  /** SHA-256 of the signed statement before this one; null for the first. */
  previous: string | null
}>

/** No token has this type, and no token is taken for a root (RFC 8725, section 3.11). */
const statementType = 'audit-root+jws'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (segment: string): unknown => JSON.parse(Buffer.from(segment, 'base64url').toString())

/** Returns the signed statement: a JWS in the compact form (RFC 7515), EdDSA. */
export const signStatement = ({ kid, privatePem }: RootSigner, statement: RootStatement): string => {
  const text = `${encode({ alg: 'EdDSA', typ: statementType, kid })}.${encode(statement)}`
  return `${text}.${sign(null, Buffer.from(text), privatePem).toString('base64url')}`
}

/** Returns the hash by which the next statement names this one. */
export const digestOf = (signed: string): Buffer => hash('sha256', signed, 'buffer')

/** Returns what a signed statement says; undefined if it is none, or if its key did not sign it. */
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
