import type { z } from 'zod'
import type {
  introspectionAnswer,
  tokenAnswer,
  tokenGrantRequest,
  tokenReference,
} from '../../schemas/auth.ts'
import { truncateAddress } from '../audit/client-address.ts'
import type { Turn } from '../overload/queue.ts'
import { parseApiKey } from './api-keys.ts'
import type { createAssertions } from './client-assertion.ts'
import { type Credential, presentApiKey } from './credential.ts'
import type { KeyFacts } from './facts.ts'
import type { KeyCheck, LoginSource } from './login-events.ts'
import { OAuthError } from './oauth-error.ts'
import { type Form, readClient } from './oauth-form.ts'
import { authorize, judgeNetwork, type Principals } from './principals.ts'
import { areTooMany, intersectScopes, onlyNamedScopes, tooManyScopes } from './scopes.ts'
import type { createTokenVerifier, SignToken, VerifiedToken } from './tokens.ts'

/** A quota of a valid key. Both methods refuse with `quota_exceeded`. `address`: the client's address. */
export type KeyCount = {
  take(key: KeyFacts, address: string): Promise<void>
  /** Takes no unit. Counts as far as this instance knows. */
  requireRoom(key: KeyFacts, address: string): void
}

export type KeyChecks = {
  /** Counts per key, across all addresses. */
  introspections: KeyCount
  /** Counts per key and address, so that a thief at another address cannot use up the owner's quota. */
  revocations: KeyCount
}

type RequireRoom = KeyCount['requireRoom']

type OAuthOptions = {
  principals: Principals
  /** On any plan: a suspended customer may revoke a leaked key. Rejects with 401, or 429 after failures. */
  identify: KeyCheck
  /** Checks a login: also rejects with 403 `plan_required`, and with 429 after too many logins. */
  logIn: KeyCheck
  checks: KeyChecks
  requireLoginRoom: RequireRoom
  presentAssertion: ReturnType<typeof createAssertions>
  /** Turns of the client's network, for queries with an id that the client chose. */
  turnFor: (ip: string) => Turn
  verify: ReturnType<typeof createTokenVerifier>
  sign: SignToken
  publicUrl: string
  /** Milliseconds since 1970. */
  now: () => number
}

export type OAuthRequest = LoginSource & Readonly<{ form: Form; authorization: string | undefined }>

/** Both methods reject with OAuthError, or with ApiError for errors that keep their own format. */
type Operation<Body, Answer> = Readonly<{
  /** Checks the client and its quota. */
  authenticate(request: OAuthRequest): Promise<KeyFacts>
  answer(client: KeyFacts, body: Body, source: LoginSource): Promise<Answer>
}>

export type OAuth = Readonly<{
  /** Client credentials grant (RFC 6749, section 4.4). */
  issue: Operation<z.output<typeof tokenGrantRequest>, z.output<typeof tokenAnswer>>
  /** RFC 7009. If `token` is an API key, revokes the key. */
  revoke: Operation<z.output<typeof tokenReference>, void>
  /** RFC 7662. */
  introspect: Operation<z.output<typeof tokenReference>, z.output<typeof introspectionAnswer>>
}>

/** Requested scopes; `undefined` if none. Throws `invalid_scope`. `allowed`: all scopes of the key. */
const readScopes = (scope: string | undefined, allowed: readonly string[]): string[] | undefined => {
  const asked = scope?.split(' ')
  const refused = asked?.find((each) => !allowed.includes(each))
  if (refused !== undefined) {
    throw new OAuthError('invalid_scope', `The key has no scope '${refused.slice(0, 100)}'`)
  }
  const wanted = asked && [...new Set(asked)]
  if (areTooMany(wanted ?? allowed)) {
    throw new OAuthError('invalid_scope', `${tooManyScopes}: ask for fewer with scope`)
  }
  return wanted
}

/** OAuth endpoints without HTTP. A client is an API key or a signing key; the client id is the key's id. */
export const createOAuth = (options: OAuthOptions): OAuth => {
  const { principals, identify, logIn, checks, presentAssertion, turnFor, verify, sign, publicUrl, now } =
    options
  const { requireLoginRoom } = options

  const listScopesOf = async ({ customerId, scopes }: KeyFacts): Promise<readonly string[]> => {
    const all = await principals.listScopes(customerId)
    return scopes ? [...all, ...onlyNamedScopes].filter((scope) => scopes.has(scope)) : all
  }

  /** `requireRoom` is called before an assertion counts as used, so that the client can send it again. */
  const readCredential = (
    { authorization, form, ip }: OAuthRequest,
    requireRoom: RequireRoom,
  ): Credential => {
    const client = readClient(authorization, form)
    if (client && 'assertion' in client) {
      return presentAssertion(client.assertion, client.id, (key) => requireRoom(key, ip))
    }
    const isKey = client !== undefined && parseApiKey(client.secret)?.keyId === client.id
    // A malformed key, or one that does not match the id, becomes an empty key and counts as a failure.
    return presentApiKey(principals, isKey ? client.secret : '')
  }

  /** Verifies a token of the client's customer and finds its key. `undefined` if it is invalid. */
  const findToken = async (token: string, { customerId }: KeyFacts) => {
    let verified: VerifiedToken
    try {
      verified = verify(token)
    } catch {
      return undefined
    }
    const key = await principals.findKey(verified.keyId)
    return key?.customerId === customerId && verified.customerId === customerId
      ? { verified, key }
      : undefined
  }

  type Found = Readonly<{ verified: VerifiedToken; key: KeyFacts }>
  const isRevoked = async ({ verified, key }: Found): Promise<boolean> =>
    key.hasRevokedTokens && (await principals.isTokenRevoked(verified))

  /** Finds an API key of the client's customer. `undefined` for all other text and keys. */
  const findOwnKey = async (apiKey: string, { customerId }: KeyFacts, ip: string) => {
    if (!parseApiKey(apiKey)) return undefined
    const key = await turnFor(ip)(() => principals.findApiKey(apiKey))
    return key?.customerId === customerId ? key : undefined
  }

  return {
    issue: {
      async authenticate(request) {
        const { grant_type: grantType } = request.form
        // Checked before the key: the client may have sent a user name and password instead of a key.
        if (grantType !== undefined && grantType !== 'client_credentials') {
          throw new OAuthError('unsupported_grant_type', 'The only grant type is client_credentials')
        }
        return logIn(readCredential(request, requireLoginRoom), request)
      },
      async answer(key, { scope }, source) {
        const wanted = readScopes(scope, await listScopesOf(key))
        await principals.markKeyUsed(key.keyId)
        return sign(key, source, wanted)
      },
    },

    revoke: {
      async authenticate(request) {
        // A key can be revoked without a quota.
        const isKey = parseApiKey(request.form.token ?? '') !== undefined
        const requireRoom = isKey ? () => {} : checks.revocations.requireRoom
        return identify(readCredential(request, requireRoom), request)
      },
      async answer(client, { token }, { ip, requestId }) {
        const key = await findOwnKey(token, client, ip)
        const by = { keyId: client.keyId, requestId, client: truncateAddress(ip) }
        // Without a quota, so that the owner of a leaked key can always revoke it.
        if (key) return principals.revokeKey(key, by)
        await checks.revocations.take(client, ip)
        const found = await findToken(token, client)
        if (found && !(await isRevoked(found))) await principals.revokeToken(found.verified, by)
      },
    },

    introspect: {
      async authenticate(request) {
        const client = await identify(readCredential(request, checks.introspections.requireRoom), request)
        const denied = judgeNetwork(client, request.ip)
        if (denied) throw denied
        await checks.introspections.take(client, request.ip)
        return client
      },
      async answer(client, { token }) {
        const found = await findToken(token, client)
        if (!found || authorize(found.key, now())) return { active: false }
        if (await isRevoked(found)) return { active: false }
        const { verified, key } = found
        const limited = intersectScopes(verified.scopes, key.scopes)
        const effective = limited ?? (await principals.listScopes(key.customerId))
        return {
          active: true,
          scope: [...effective].join(' '),
          client_id: key.keyId,
          sub: key.keyId,
          customer: key.customerId,
          token_type: 'Bearer',
          iss: publicUrl,
          aud: publicUrl,
          iat: verified.iat,
          nbf: verified.nbf,
          exp: verified.expiresAtMs / 1000,
          jti: verified.jti,
        }
      },
    },
  }
}
