import { createPublicKey, type JsonWebKey, randomBytes, verify } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Check, expectStatus, expectThat, type Failure, Skipped, type World } from './check.ts'
import { type Ask, parseBody, type ServiceAnswer } from './service.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Returns the request of a login with a key. */
export const loginWith = (apiKey: string): Ask => ({
  path: '/v1/auth/login',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ api_key: apiKey }),
})

const needKey = ({ apiKey }: World): { keyId: string; apiKey: string } => {
  if (apiKey === undefined) throw new Skipped('the demo has no key')
  return { apiKey, keyId: apiKey.split('_')[2] ?? '' }
}

const askOauth = (world: World, path: string, parameters: Record<string, string>): Promise<ServiceAnswer> => {
  const { apiKey, keyId } = needKey(world)
  const body = new URLSearchParams({ client_id: keyId, client_secret: apiKey, ...parameters }).toString()
  return world.ask({ path, method: 'POST', headers: form, body })
}

const decode = (part = ''): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())

const expectToken = (answer: ServiceAnswer): Failure[] => {
  const body = parseBody(answer) as Record<string, unknown> | undefined
  const isToken =
    typeof body?.access_token === 'string' &&
    body.token_type === 'Bearer' &&
    typeof body.expires_in === 'number' &&
    Object.keys(body).sort().join() === 'access_token,expires_in,scope,token_type'
  return [
    ...expectStatus(answer, 200),
    ...expectThat(
      isToken,
      answer.ask,
      'access_token, token_type, expires_in and scope',
      Object.keys(body ?? {}),
    ),
  ]
}

const loginGivesToken = async (world: World): Promise<Failure[]> => {
  const { apiKey, keyId } = needKey(world)
  const basic = Buffer.from(`${keyId}:${apiKey}`).toString('base64')
  const logins = [
    await world.ask(loginWith(apiKey)),
    await world.ask({ path: '/v1/auth/login', method: 'POST', headers: { authorization: `Basic ${basic}` } }),
    await askOauth(world, '/v1/oauth/token', { grant_type: 'client_credentials' }),
  ]
  const tokens = logins.map((each) => (parseBody(each) as { access_token?: string })?.access_token)
  return [
    ...logins.flatMap(expectToken),
    ...expectThat(
      new Set(tokens).size === logins.length,
      loginWith(''),
      'a new token each time',
      'the same token',
    ),
    ...expectStatus(await world.ask({ path: '/v1/me', token: tokens[1] ?? '' }), 200),
  ]
}

const tokenVerifies = async (world: World): Promise<Failure[]> => {
  const { keyId } = needKey(world)
  const keys = await world.ask({ path: '/.well-known/jwks.json' })
  const [head = '', payload = '', signature = ''] = world.token.split('.')
  const [{ typ, alg, kid }, claims] = [decode(head), decode(payload)]
  const jwk = (parseBody(keys) as { keys?: (JsonWebKey & { kid: string })[] })?.keys?.find(
    (each) => each.kid === kid,
  )
  if (!jwk) return expectThat(false, keys.ask, `the key ${kid}`, 'no such key')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const isSigned = verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))
  const { iss, aud, sub, client_id } = claims
  const seen = { typ, alg, iss, aud, sub, client_id }
  const expected = {
    typ: 'at+jwt',
    alg: 'EdDSA',
    iss: world.base,
    aud: world.base,
    sub: keyId,
    client_id: keyId,
  }
  return [
    ...expectThat(isSigned, keys.ask, 'a key that verifies the token', 'a signature that does not verify'),
    ...expectThat(
      JSON.stringify(seen) === JSON.stringify(expected),
      keys.ask,
      JSON.stringify(expected),
      seen,
    ),
  ]
}

/** The promise is one second. The other one is for the network. */
const revocationMs = 2000

const revocationHolds = async (world: World): Promise<Failure[]> => {
  const login = await askOauth(world, '/v1/oauth/token', { grant_type: 'client_credentials' })
  const { access_token: token = '' } = parseBody(login) as { access_token?: string }
  const before = await askOauth(world, '/v1/oauth/introspect', { token })
  const revoked = await askOauth(world, '/v1/oauth/revoke', { token })
  const deadline = performance.now() + revocationMs
  let refused = await world.ask({ path: '/v1/me', token })
  while (refused.status === 200 && performance.now() < deadline) {
    await delay(200)
    refused = await world.ask({ path: '/v1/me', token })
  }
  const after = await askOauth(world, '/v1/oauth/introspect', { token })
  const isActive = (answer: ServiceAnswer) => (parseBody(answer) as { active?: boolean })?.active
  return [
    ...expectStatus(revoked, 200),
    ...expectStatus(refused, 401),
    ...expectThat(isActive(before) === true, before.ask, 'active: true', isActive(before)),
    ...expectThat(
      isActive(after) === false,
      after.ask,
      'active: false after the revocation',
      isActive(after),
    ),
  ]
}

/** The checksum of this random key is wrong, so that it costs the service no look-up. */
const wrongKeyIsRefused = async (world: World): Promise<Failure[]> => {
  const key = `cda_live_${randomBytes(8).toString('hex')}_${randomBytes(19).toString('hex')}`
  const answer = await world.ask(loginWith(key))
  const { code } = (parseBody(answer) ?? {}) as { code?: string }
  const challenge = answer.headers['www-authenticate'] ?? ''
  return [
    ...expectStatus(answer, 401),
    ...expectThat(code === 'invalid_api_key', answer.ask, 'invalid_api_key', code),
    ...expectThat(challenge.startsWith('Basic'), answer.ask, 'WWW-Authenticate: Basic', challenge),
  ]
}

/** Promises about keys and tokens. They revoke one token, which they have requested themselves. */
export const logins: readonly Check[] = [
  { section: 7, promise: 'a key gives a token, by JSON, HTTP Basic and OAuth', run: loginGivesToken },
  {
    section: 7,
    promise: 'a token verifies by the published keys and names issuer and client',
    run: tokenVerifies,
  },
  {
    section: 7,
    promise: 'a revoked token is refused within a second, and introspection says so',
    run: revocationHolds,
  },
  { section: 7, promise: 'a wrong key is refused with a challenge', run: wrongKeyIsRefused },
]
