import type { z } from 'zod'
import type { tokenGrantRequest, tokenReference } from '../../../schemas/oauth.ts'
import { truncateAddress } from '../../http/client-address.ts'
import { parseAnyKey } from '../../identity/api-keys.ts'
import { type Credential, presentAnyKey, presentApiKey } from '../../identity/credential.ts'
import type { KeyFacts } from '../../identity/facts.ts'
import type { KeyCheck, LoginSource } from '../../identity/login-events.ts'
import type { Principals } from '../../identity/principals.ts'
import { authorize, checkNetwork } from '../../identity/rights.ts'
import {
  areTooMany,
  hasScope,
  intersectScopes,
  onlyNamedScopes,
  tooManyScopes,
} from '../../identity/scopes.ts'
import type { createTokenVerifier, SignToken } from '../../identity/tokens.ts'
import type { KeyLimit } from '../../limits/logins.ts'
import type { Turn } from '../../overload/queue.ts'
import type { createAssertions } from './client-assertion.ts'
import { OAuthError } from './error.ts'
import { type Form, readClient } from './form.ts'
import type { KeyLimits } from './limits.ts'

type OAuthOptions = {
  principals: Principals
  /** Ignores plan and networks, so that any customer may revoke a leaked key from anywhere. */
  identify: KeyCheck
  logIn: KeyCheck
  checks: KeyLimits
  requireLoginRoom: KeyLimit['requireRoom']
  presentAssertion: ReturnType<typeof createAssertions>
  /** The queue of a client's network. For queries with an id that the client chose. */
  turnFor: (ip: string) => Turn
  verify: ReturnType<typeof createTokenVerifier>
  sign: SignToken
  publicUrl: string
  now: () => number
}

type OAuthRequest = LoginSource & Readonly<{ form: Form; authorization: string | undefined }>
type TokenReference = z.output<typeof tokenReference>

export type OAuth = ReturnType<typeof createOAuth>

/** `undefined` if none are requested. Throws `invalid_scope`. `allowed`: all scopes of the key. */
const chooseScopes = (scope: string | undefined, allowed: readonly string[]): string[] | undefined => {
  const wanted = scope === undefined ? undefined : [...new Set(scope.split(' '))]
  const refused = wanted?.find((each) => !allowed.includes(each))
  if (refused !== undefined) {
    throw new OAuthError('invalid_scope', `The key has no scope '${refused.slice(0, 100)}'`)
  }
  if (areTooMany(wanted ?? allowed)) {
    throw new OAuthError('invalid_scope', `${tooManyScopes}: ask for fewer with scope`)
  }
  return wanted
}

/** The token, revocation and introspection endpoints (RFC 6749, 7009, 7662). Rejects with OAuthError or ApiError. */
export const createOAuth = (options: OAuthOptions) => {
  const { principals, identify, logIn, checks, verify, sign, publicUrl, now } = options

  /** Without custom endpoints that are no longer granted, which the list of a key may name. */
  const listRequestable = async (key: KeyFacts): Promise<readonly string[]> => {
    const granted = await principals.listScopes({ customerId: key.customerId, scopes: undefined })
    return [...granted, ...onlyNamedScopes].filter((scope) => hasScope(key, scope))
  }

  const readCredential = (
    { authorization, form, ip }: OAuthRequest,
    requireRoom: KeyLimit['requireRoom'],
    mayBeAddress = false,
  ): Credential => {
    const client = readClient(authorization, form)
    if (client && 'assertion' in client) {
      return options.presentAssertion(client.assertion, client.id, (key) => requireRoom(key, ip))
    }
    const isKey = client !== undefined && parseAnyKey(client.secret)?.keyId === client.id
    // A malformed key, or one that does not match the id, becomes an empty key and counts as a failure.
    const secret = isKey ? client.secret : ''
    // The key of an address may revoke itself and nothing else.
    return mayBeAddress && secret === form.token
      ? presentAnyKey(principals, secret)
      : presentApiKey(principals, secret)
  }

  const tryVerify = (token: string) => {
    try {
      return verify(token)
    } catch {
      return undefined
    }
  }

  /** `undefined` if the token is invalid, was revoked, or belongs to another customer. Its key may be revoked. */
  const findToken = async (token: string, { customerId }: KeyFacts) => {
    const verified = tryVerify(token)
    const key = verified && (await principals.findKey(verified.keyId))
    if (key?.customerId !== customerId || verified?.customerId !== customerId) return undefined
    if (key.hasRevokedTokens && (await principals.isTokenRevoked(verified))) return undefined
    return { verified, key }
  }

  const findOwnKey = async (apiKey: string, { customerId }: KeyFacts, ip: string) => {
    const key = await principals.findAnyKey(apiKey, options.turnFor(ip))
    return key?.customerId === customerId ? key : undefined
  }

  return {
    issue: {
      async authenticate(request: OAuthRequest) {
        const { grant_type: grantType } = request.form
        // Before the key: clients with another grant type send no key, and 401 would mislead them.
        if (grantType !== undefined && grantType !== 'client_credentials') {
          throw new OAuthError('unsupported_grant_type', 'The only grant type is client_credentials')
        }
        return logIn(readCredential(request, options.requireLoginRoom), request)
      },
      async answer(key: KeyFacts, { scope }: z.output<typeof tokenGrantRequest>, source: LoginSource) {
        const wanted = chooseScopes(scope, await listRequestable(key))
        const used = await principals.useKey(key, source)
        return sign(used, source, wanted)
      },
    },

    revoke: {
      async authenticate(request: OAuthRequest) {
        // Revoking an API key needs no quota.
        const isKey = parseAnyKey(request.form.token ?? '') !== undefined
        const requireRoom = isKey ? () => {} : checks.revocations.requireRoom
        return identify(readCredential(request, requireRoom, true), request)
      },
      async answer(client: KeyFacts, { token }: TokenReference, { ip, requestId }: LoginSource) {
        const key = await findOwnKey(token, client, ip)
        const by = { keyId: client.keyId, requestId, client: truncateAddress(ip) }
        if (key) return principals.revokeKey(key, by)
        await checks.revocations.take(client, ip)
        const found = await findToken(token, client)
        if (found) await principals.revokeToken(found.verified, by)
      },
    },

    introspect: {
      async authenticate(request: OAuthRequest) {
        const client = await identify(readCredential(request, checks.introspections.requireRoom), request)
        const denied = checkNetwork(client, request.ip)
        if (denied) throw denied
        await checks.introspections.take(client, request.ip)
        return client
      },
      async answer(client: KeyFacts, { token }: TokenReference) {
        const found = await findToken(token, client)
        if (!found || authorize(found.key, now())) return { active: false }
        const { verified, key } = found
        const scopes = intersectScopes(verified.scopes, key.scopes)
        return {
          active: true,
          token_type: 'Bearer' as const,
          iss: publicUrl,
          aud: publicUrl,
          client_id: key.keyId,
          sub: key.keyId,
          customer: key.customerId,
          scope: (await principals.listScopes({ customerId: key.customerId, scopes })).join(' '),
          iat: verified.iat,
          nbf: verified.nbf,
          exp: verified.expiresAtMs / 1000,
          jti: verified.jti,
        }
      },
    },
  }
}
