import type { z } from 'zod'
import type { introspectionAnswer, tokenAnswer } from '../../schemas/auth.ts'
import { truncateAddress } from '../audit/client-address.ts'
import type { Turn } from '../overload/queue.ts'
import { parseApiKey } from './api-keys.ts'
import { type Credential, presentApiKey } from './credential.ts'
import type { KeyFacts } from './facts.ts'
import type { KeyCheck, LoginSource } from './login-events.ts'
import { OAuthError } from './oauth-error.ts'
import { type Form, readClient, requireParameter } from './oauth-form.ts'
import { authorize, judgeNetwork, type Principals } from './principals.ts'
import { areTooMany, intersectScopes, onlyNamedScopes, tooManyScopes } from './scopes.ts'
import type { createTokenVerifier, SignToken, VerifiedToken } from './tokens.ts'

/** Quotas of a right key at introspection and revocation. Both reject with quota_exceeded. */
export type KeyChecks = {
  /** Counts an introspection against this key, from any address. */
  countIntrospection(key: KeyFacts): Promise<void>
  /** Counts a revocation by this key and address, so that a thief elsewhere does not use up the owner's. */
  countRevocation(key: KeyFacts, address: string): Promise<void>
}

type OAuthOptions = {
  principals: Principals
  /**
   * Returns the facts of the key, on any plan: a suspended customer may still revoke a leaked key. Rejects with 401, and
   * with 429 above the limit of failures.
   */
  identify: KeyCheck
  /** The same as a login: rejects also with 403 plan_required, and with 429 after too many. */
  logIn: KeyCheck
  checks: KeyChecks
  /** Takes an assertion as a credential, of the client with this id if it is named. */
  presentAssertion: (jwt: string, clientId: string | undefined) => Credential
  /** Turns of a client's network, for reads of ids that the client chooses. */
  turnFor: (ip: string) => Turn
  verify: ReturnType<typeof createTokenVerifier>
  sign: SignToken
  publicUrl: string
  /** Milliseconds since 1970. */
  now: () => number
}

/** What an OAuth endpoint reads of a request. */
export type OAuthRequest = LoginSource & Readonly<{ form: Form; authorization: string | undefined }>

/** All throw OAuthError, and ApiError for what keeps its own form. */
export type OAuth = Readonly<{
  /** RFC 6749, section 4.4: client credentials. */
  issue(request: OAuthRequest): Promise<z.output<typeof tokenAnswer>>
  /** RFC 7009; an API key in place of a token ends that key. */
  revoke(request: OAuthRequest): Promise<void>
  /** RFC 7662. */
  introspect(request: OAuthRequest): Promise<z.output<typeof introspectionAnswer>>
}>

/** The scopes asked for; undefined where none are. Throws `invalid_scope`. `allowed`: all that the key has. */
const readScopes = (form: Form, allowed: readonly string[]): string[] | undefined => {
  const asked = form.get('scope')?.split(' ')
  const refused = asked?.find((scope) => !allowed.includes(scope))
  if (refused !== undefined) {
    throw new OAuthError('invalid_scope', `The key has no scope '${refused.slice(0, 100)}'`)
  }
  const wanted = asked && [...new Set(asked)]
  if (areTooMany(wanted ?? allowed)) {
    throw new OAuthError('invalid_scope', `${tooManyScopes}: ask for fewer with scope`)
  }
  return wanted
}

/** The endpoints of OAuth, less HTTP. Clients are API keys, or keys that sign: the client id is the key's id. */
export const createOAuth = (options: OAuthOptions): OAuth => {
  const { principals, identify, logIn, checks, presentAssertion, turnFor, verify, sign, publicUrl, now } =
    options

  /** Returns all scopes of the key: the scopes of its customer, limited to those of the key. */
  const listScopesOf = async ({ customerId, scopes }: KeyFacts): Promise<readonly string[]> => {
    const all = await principals.listScopes(customerId)
    return scopes ? [...all, ...onlyNamedScopes].filter((scope) => scopes.has(scope)) : all
  }

  const credentialOf = ({ authorization, form }: OAuthRequest): Credential => {
    const client = readClient(authorization, form)
    if (client && 'assertion' in client) return presentAssertion(client.assertion, client.id)
    const isKey = client !== undefined && parseApiKey(client.secret)?.keyId === client.id
    // A malformed key, or a key that does not match the id, is checked as an empty one: it counts as any other failure.
    return presentApiKey(principals, isKey ? client.secret : '')
  }

  /** The key that the client authenticated with. */
  const authenticate = async (check: KeyCheck, request: OAuthRequest): Promise<KeyFacts> =>
    check(credentialOf(request), request)

  /** The token and its key, where both are the client's own customer's and the token is a good one. */
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

  /** Returns the key if the text is a key of the client's own customer, or undefined. */
  const findOwnKey = async (apiKey: string, { customerId }: KeyFacts, ip: string) => {
    if (!parseApiKey(apiKey)) return undefined
    const key = await turnFor(ip)(() => principals.findApiKey(apiKey))
    return key?.customerId === customerId ? key : undefined
  }

  return {
    async issue(request) {
      const grantType = request.form.get('grant_type')
      // Before the client, who may have sent a user's name and password and no key.
      if (grantType !== undefined && grantType !== 'client_credentials') {
        throw new OAuthError('unsupported_grant_type', 'The only grant type is client_credentials')
      }
      const key = await authenticate(logIn, request)
      requireParameter(request.form, 'grant_type')
      const wanted = readScopes(request.form, await listScopesOf(key))
      await principals.markKeyUsed(key.keyId)
      return sign(key, request, wanted)
    },

    async revoke(request) {
      const client = await authenticate(identify, request)
      const token = requireParameter(request.form, 'token')
      const { ip, requestId } = request
      const key = await findOwnKey(token, client, ip)
      const by = { keyId: client.keyId, requestId, client: truncateAddress(ip) }
      // Without a quota, so that the owner of a leaked key can always revoke it.
      if (key) return principals.revokeKey(key, by)
      await checks.countRevocation(client, ip)
      const found = await findToken(token, client)
      if (found && !(await isRevoked(found))) await principals.revokeToken(found.verified, by)
    },

    async introspect(request) {
      const client = await authenticate(identify, request)
      const denied = judgeNetwork(client, request.ip)
      if (denied) throw denied
      await checks.countIntrospection(client)
      const found = await findToken(requireParameter(request.form, 'token'), client)
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
  }
}
