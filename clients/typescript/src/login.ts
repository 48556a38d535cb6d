import { createAssertion, type PrivateKey } from './assertion.ts'
import type { ExpiryWarning } from './key-expiry.ts'
import { withNetworkErrors } from './network-error.ts'
import { readProblem } from './problem.ts'
import type { Retrying } from './retry.ts'
import { createKeyRotation, loginPath, rotationPath, type StoreKey } from './rotate-key.ts'
import { createFixedToken, createTokenSource, type Token, type TokenSource } from './token.ts'
import type { KeySummary, RotatedKey, TokenAnswer } from './types.ts'

/** The ways to log in. */
export type Credentials =
  | { /** Exchanged for tokens as needed. A secret: not for pages. */ apiKey: string }
  | { /** A ready token, for example the demo token. It is not renewed. */ token: string }
  | {
      /** A client with a signing key (`private_key_jwt`). The operator assigns the id. */
      clientId: string
      /** PEM (PKCS #8) or a key of WebCrypto. It never leaves the client. */
      privateKey: PrivateKey
      /** The name of the key. Needed if the operator has registered several keys of this kind. */
      kid?: string
      /** The service's configured origin, if it differs from the origin of `url`. */
      audience?: string
    }

type Sending = {
  origin: string
  fetch: typeof fetch
  timeoutMs: number
  expiry: ExpiryWarning
}
type PostRequest = { path: string; body: string | URLSearchParams; headers?: Record<string, string> }
type Renewed = Exclude<Credentials, { token: string }>

const formatKeyRequest = (path: string, apiKey: string): PostRequest => ({
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ api_key: apiKey.trim() }),
})

/** Creates the request of one login. A client with a signing key creates a new assertion each time. */
const readRequest = async (credentials: Renewed, origin: string): Promise<PostRequest> => {
  if ('apiKey' in credentials) return formatKeyRequest(loginPath, credentials.apiKey)
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await createAssertion({ audience: origin, ...credentials }),
  })
  return { path: '/v1/oauth/token', body }
}

/** Rejects with a ProblemError or a NetworkError. */
const post = <T>(request: PostRequest, { origin, fetch, timeoutMs }: Sending): Promise<T> =>
  withNetworkErrors(origin, undefined, async () => {
    const { path, body, headers } = request
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
      credentials: 'omit',
    })
    if (!answer.ok) throw await readProblem(answer)
    return (await answer.json()) as T
  })

type LoggedIn = { token: Token; key: KeySummary | undefined }

const logIn = async (credentials: Renewed, sending: Sending): Promise<LoggedIn> => {
  const request = await readRequest(credentials, sending.origin)
  const askedAtMs = Date.now()
  const { access_token: value, expires_in: seconds, key } = await post<TokenAnswer>(request, sending)
  // Counted from the request, because the token was issued later.
  return { token: { value, expiresAtMs: askedAtMs + seconds * 1000 }, key }
}

type Login = { tokens: TokenSource; rotateKey: (store: StoreKey) => Promise<KeySummary> }

const rejectRotation = async (): Promise<never> => {
  throw new Error(
    'Only a client with an API key rotates it. Give the operator another public key of a client that signs',
  )
}

/** `retry`: of rotations. Logins are repeated with the reads that need them. */
export const createLogin = (credentials: Credentials, sending: Sending, retry: Retrying): Login => {
  if ('token' in credentials)
    return { tokens: createFixedToken(credentials.token), rotateKey: rejectRotation }
  let used: Renewed = credentials
  const renew = async (): Promise<Token> => {
    const { token, key } = await logIn(used, sending)
    sending.expiry.check(key)
    return token
  }
  const tokens = createTokenSource(renew, Date.now)
  if (!('apiKey' in credentials)) return { tokens, rotateKey: rejectRotation }
  let { apiKey } = credentials
  const rotateKey = createKeyRotation({
    retry,
    exchange: () => post<RotatedKey>(formatKeyRequest(rotationPath, apiKey), sending),
    async useKey(fresh) {
      const { token, key } = await logIn({ apiKey: fresh }, sending)
      sending.expiry.begin(key)
      tokens.put(token)
      apiKey = fresh
      used = { apiKey }
      return key
    },
  })
  return { tokens, rotateKey }
}
