import { fromBase64, toBase64Url, utf8 } from './bytes.ts'

/** A key of WebCrypto, by the types of the browser or of Node.js. */
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** The private key of a client: PEM (PKCS #8) or a key of WebCrypto. Ed25519, P-256 or RSA. */
export type PrivateKey = CryptoKey | string

export type AssertionOptions = Readonly<{
  clientId: string
  privateKey: PrivateKey
  /** The origin of the service, as configured there (`PUBLIC_URL`). */
  audience: string
  /** The name of the key. Needed if the operator has registered several keys of this kind. */
  kid?: string
  /** Milliseconds since 1970. Defaults to this machine's clock. */
  nowMs?: number
  /** Defaults to a random id. The service accepts each id once. */
  jti?: string
}>

/**
 * Seconds for which an assertion is valid. The service accepts at most one hour, and 30 s after the end: this
 * clock may be 2.5 minutes behind, or 58 minutes ahead.
 */
const lifeSeconds = 120

/** RFC 7518, section 3.1, and RFC 8037. */
const kinds = [
  { alg: 'EdDSA', key: { name: 'Ed25519' }, signing: { name: 'Ed25519' } },
  {
    alg: 'ES256',
    key: { name: 'ECDSA', namedCurve: 'P-256' },
    signing: { name: 'ECDSA', hash: 'SHA-256' },
  },
  { alg: 'PS256', key: { name: 'RSA-PSS', hash: 'SHA-256' }, signing: { name: 'RSA-PSS', saltLength: 32 } },
] as const
type Kind = (typeof kinds)[number]

const expected = 'Expected a private key of Ed25519, P-256 or RSA'
const pem = /-----BEGIN PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END PRIVATE KEY-----/

const importPem = async (text: string): Promise<{ kind: Kind; key: CryptoKey }> => {
  const bytes = fromBase64(pem.exec(text)?.[1] ?? '!')
  if (!bytes) {
    throw new Error(
      `${expected} as PKCS #8 (BEGIN PRIVATE KEY) without a password: openssl pkcs8 -topk8 -nocrypt makes it of others`,
    )
  }
  for (const kind of kinds) {
    const key = await crypto.subtle
      .importKey('pkcs8', bytes, kind.key, false, ['sign'])
      .catch(() => undefined)
    if (key) return { kind, key }
  }
  throw new Error(expected)
}

const openKey = async (given: PrivateKey): Promise<{ kind: Kind; key: CryptoKey }> => {
  if (typeof given === 'string') return importPem(given)
  const { name, namedCurve, hash } = given.algorithm as {
    name: string
    namedCurve?: string
    hash?: { name: string }
  }
  const kind = kinds.find(
    ({ key }) =>
      key.name === name &&
      (!('namedCurve' in key) || key.namedCurve === namedCurve) &&
      (!('hash' in key) || key.hash === hash?.name),
  )
  if (!kind) throw new Error(`${expected} (RSA-PSS with SHA-256)`)
  return { kind, key: given }
}

const encode = (part: object): string => toBase64Url(utf8(JSON.stringify(part)))

/**
 * Returns a JWT by which a client proves itself at the token endpoint (`private_key_jwt`, RFC 7523). Rejects with an
 * Error if the key cannot sign one.
 */
export const createAssertion = async (options: AssertionOptions): Promise<string> => {
  const { clientId, audience, kid, nowMs = Date.now(), jti = crypto.randomUUID() } = options
  const { kind, key } = await openKey(options.privateKey)
  const header = { alg: kind.alg, ...(kid === undefined ? {} : { kid }) }
  const exp = Math.floor(nowMs / 1000) + lifeSeconds
  const input = `${encode(header)}.${encode({ iss: clientId, sub: clientId, aud: audience, exp, jti })}`
  const signature = await crypto.subtle.sign(kind.signing, key, utf8(input))
  return `${input}.${toBase64Url(new Uint8Array(signature))}`
}
