import { createAssertion, type PrivateKey } from './assertion.ts'
import type { createExpiryWarning } from './key-expiry.ts'
import { withNetworkErrors } from './network-error.ts'
import { readProblem } from './problem.ts'
import { createFixedToken, createTokenSource, type Token, type TokenSource } from './token.ts'
import type { TokenAnswer } from './types.ts'

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
  /** Receives the key of each login. */
  checkExpiry: ReturnType<typeof createExpiryWarning>
}
type LoginRequest = { path: string; body: string | URLSearchParams; headers?: Record<string, string> }
type Renewed = Exclude<Credentials, { token: string }>

/** Creates the request of one login. A client with a signing key creates a new assertion each time. */
const readRequest = async (credentials: Renewed, origin: string): Promise<LoginRequest> => {
  if ('apiKey' in credentials) {
    const headers = { 'content-type': 'application/json' }
    return { path: '/v1/auth/login', headers, body: JSON.stringify({ api_key: credentials.apiKey.trim() }) }
  }
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await createAssertion({ audience: origin, ...credentials }),
  })
  return { path: '/v1/oauth/token', body }
}

const logIn = async (credentials: Renewed, sending: Sending): Promise<Token> => {
  const { origin, fetch, timeoutMs } = sending
  const { path, body, headers } = await readRequest(credentials, origin)
  const askedAtMs = Date.now()
  const answer = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'manual',
    credentials: 'omit',
  })
  if (!answer.ok) throw await readProblem(answer)
  const { access_token: value, expires_in: seconds, key } = (await answer.json()) as TokenAnswer
  sending.checkExpiry(key)
  // Counted from the request, because the token was issued later.
  return { value, expiresAtMs: askedAtMs + seconds * 1000 }
}

export const listTokens = (credentials: Credentials, sending: Sending): TokenSource =>
  'token' in credentials
    ? createFixedToken(credentials.token)
    : createTokenSource(
        () => withNetworkErrors(sending.origin, undefined, () => logIn(credentials, sending)),
        Date.now,
      )
