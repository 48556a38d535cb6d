import { sql } from 'kysely'
import { type ResourceName, resourceNames } from '../../schemas/resource-name.ts'
import { type AuditEvent, appendAudit } from '../audit/record.ts'
import type { Plan } from '../db/schema.ts'
import { describeUnreachable } from '../db/unreachable.ts'
import { ApiError, type ErrorExtras } from '../errors.ts'
import type { Turn } from '../overload/queue.ts'
import { looksLikeApiKey, matchesSecret, parseApiKey } from './api-keys.ts'
import {
  createFacts,
  type FactsOptions,
  findRow,
  type KeyFacts,
  loadCustomer,
  loadKey,
  loadRevocation,
  type TokenId,
} from './facts.ts'
import { createGrantedScopes } from './granted-scopes.ts'
import type { KeyIds } from './key-ids.ts'
import type { Principal } from './principal.ts'
import { hasScope } from './scopes.ts'

type PrincipalsOptions = FactsOptions & {
  keyIds: Pick<KeyIds, 'has' | 'isUnknown' | 'confirm'>
  warn?: (reason: string, message: string) => void
}

type Actor = Readonly<{ keyId: string } & Pick<AuditEvent, 'requestId' | 'client'>>

const bearer = 'Bearer realm="certdata"'

/** The challenge has no error code (RFC 6750, section 3.1). */
export const requireCredentials = (): ApiError =>
  new ApiError('credentials_required', { headers: { 'www-authenticate': bearer } })

const invalidToken = { 'www-authenticate': `${bearer}, error="invalid_token"` }

export const refuseToken = (code: 'invalid_token' | 'token_expired' | 'token_revoked'): ApiError =>
  new ApiError(code, { headers: invalidToken })

/** 401 for text that is not a token. The error never contains the text. */
export const refuseNoToken = (text: string): ApiError =>
  looksLikeApiKey(text)
    ? new ApiError('invalid_token', {
        detail:
          'This is an API key. Log in with it first: POST /v1/auth/login exchanges it for an access token.',
        headers: invalidToken,
      })
    : refuseToken('invalid_token')

/** Throws 403 `insufficient_scope` (RFC 6750, section 3.1). */
export const requireScope = (principal: Principal, scope: string): void => {
  if (hasScope(principal, scope)) return
  throw new ApiError('insufficient_scope', {
    detail: principal.keyScopes?.has(scope)
      ? `This token was issued without the scope ${scope}, which its API key has. Log in without scope, or name it.`
      : `This needs the scope ${scope}.`,
    headers: { 'www-authenticate': `${bearer}, error="insufficient_scope", scope="${scope}"` },
  })
}

/** The resources whose scope the principal has. */
export const listReadable = (principal: Principal): readonly ResourceName[] =>
  resourceNames.filter((name) => hasScope(principal, `${name}:read`))

/** `asked` defaults to `listReadable`. Throws 403 `insufficient_scope`, also if that list is empty. */
export const chooseResources = (
  principal: Principal,
  asked: readonly ResourceName[] | undefined,
): readonly ResourceName[] => {
  const chosen = asked ?? listReadable(principal)
  for (const name of chosen.length > 0 ? chosen : resourceNames) requireScope(principal, `${name}:read`)
  return chosen
}

/** False if the key does not exist, is revoked or has expired. */
export const isUsable = (facts: KeyFacts | undefined, nowMs: number): facts is KeyFacts =>
  facts !== undefined && !facts.revoked && facts.expiresAtMs > nowMs

const checkPlan = (plan: Plan, isSuspended: boolean): ApiError | undefined => {
  if (isSuspended) {
    return new ApiError('plan_required', { detail: 'Access is suspended: contact the certification house.' })
  }
  return plan === 'basic' ? new ApiError('plan_required') : undefined
}

/** Throws 403 `plan_required` if the plan has no API access or the customer is suspended. Never for the demo. */
export const requirePlan = ({ kind, plan, isSuspended }: Principal): void => {
  const denied = kind === 'demo' ? undefined : checkPlan(plan, isSuspended === true)
  if (denied) throw denied
}

/** Returns 401 `token_revoked`, 403 `plan_required`, or `undefined` if the key gives access. */
export const authorize = (facts: KeyFacts | undefined, nowMs: number): ApiError | undefined =>
  isUsable(facts, nowMs) ? checkPlan(facts.plan, facts.suspended) : refuseToken('token_revoked')

/** Returns 403 `network_not_allowed` or `undefined`. See docs/decisions/0095-networks-are-judged-with-the-key.md. */
export const checkNetwork = (
  { isAllowedFrom }: KeyFacts,
  address: string | undefined,
): ApiError | undefined =>
  !isAllowedFrom || (address !== undefined && isAllowedFrom(address))
    ? undefined
    : new ApiError('network_not_allowed')

/** 401 `invalid_api_key`. The same for an unknown, revoked or expired key, so that it does not reveal which. */
export const refuseApiKey = (extras: Pick<ErrorExtras, 'detail' | 'auditReason'> = {}): ApiError =>
  new ApiError('invalid_api_key', { ...extras, headers: { 'www-authenticate': 'Basic realm="certdata"' } })

const revocationKey = ({ customerId, keyId, jti }: TokenId) => `${customerId} ${keyId} ${jti}`
const parseRevocationKey = (text: string): TokenId => {
  const [customerId = '', keyId = '', ...rest] = text.split(' ')
  return { customerId, keyId, jti: rest.join(' ') }
}

/** Keys with which clients log in at the same time, 0.5 kB each. */
const maxClaimedKeys = 2_000

/**
 * `findApiKey` and `identifyApiKey` query the database in a turn, but only for a correct secret. Four more are cached:
 * synchronous if surely fresh, at most a second old, older if the database is unreachable. Without facts, all reject
 * `unavailable`.
 */
export const createPrincipals = (options: PrincipalsOptions) => {
  const { db, now, keyIds } = options
  const keys = createFacts((keyId) => loadKey(db, keyId), options)
  const customers = createFacts((customerId) => loadCustomer(db, customerId), options)
  const revocations = createFacts((text) => loadRevocation(db, parseRevocationKey(text)), options)

  // A separate cache, so that strangers evict no key whose tokens are used.
  const claimed = createFacts((keyId) => loadKey(db, keyId), { ...options, maxEntries: maxClaimedKeys })
  const findClaimedKey = async (keyId: string, turn: Turn): Promise<KeyFacts | undefined> =>
    (await keyIds.isUnknown(keyId)) ? undefined : claimed.find(keyId, turn)

  const findApiKey = async (apiKey: string, turn: Turn): Promise<KeyFacts | undefined> => {
    const parts = parseApiKey(apiKey)
    if (!parts) return undefined
    const { keyId, secret } = parts
    const known = await findClaimedKey(keyId, turn)
    if (!known) return undefined
    const facts = matchesSecret(secret, known.secretSha256)
      ? (await turn(() => loadKey(db, keyId)))?.value
      : undefined
    if (facts && matchesSecret(secret, facts.secretSha256)) return facts
    await keyIds.confirm()
    return undefined
  }

  const identifyApiKey = async (apiKey: string, turn: Turn): Promise<KeyFacts> => {
    const facts = await findApiKey(apiKey, turn)
    if (!isUsable(facts, now())) throw refuseApiKey()
    return facts
  }

  return {
    /** Whether a key exists or existed, as far as this process knows without a query. */
    hasKey: keyIds.has,
    findKey: keys.find,
    /** For an id that a stranger claims. Costs no query if the id does not exist. */
    findClaimedKey,
    /** Refusals of existing keys wait for it, so that their time does not reveal which ids exist. */
    confirmRefusal: keyIds.confirm,
    findCustomer: customers.find,
    isTokenRevoked(token: TokenId): boolean | Promise<boolean> {
      const known = revocations.find(revocationKey(token))
      return known instanceof Promise ? known.then((revoked) => revoked === true) : known === true
    },
    listScopes: createGrantedScopes(options),
    findApiKey,
    identifyApiKey,

    async markKeyUsed(keyId: string): Promise<void> {
      await findRow(db, sql`select mark_api_key_used(${keyId})`).catch((error: unknown) =>
        options.warn?.(describeUnreachable(error), 'the use of an API key was not recorded'),
      )
    },

    async revokeKey({ customerId: customer, keyId: subject, revoked }: KeyFacts, by: Actor): Promise<void> {
      // The audit entry is first, because it locks the customer before the key, as an erasure does.
      const audit = appendAudit([{ actor: 'key', action: 'keys.revoke', customer, subject, ...by }])
      if (!revoked) await findRow(db, sql`select ${audit}, revoke_api_key(${customer}, ${subject})`)
      await Promise.all([keys.refresh(subject), claimed.refresh(subject)])
    },

    async revokeToken(token: TokenId & { expiresAtMs: number }, by: Actor): Promise<void> {
      const { customerId: customer, keyId: subject, jti, expiresAtMs } = token
      const act = { actor: 'key', action: 'tokens.revoke', customer, subject, details: { jti } } as const
      const audit = appendAudit([{ ...act, ...by }])
      const until = sql`to_timestamp(${expiresAtMs / 1000}::float8)`
      await findRow(db, sql`select ${audit}, revoke_token(${customer}, ${subject}, ${jti}, ${until})`)
      // The facts of a key contain whether it has revoked tokens.
      await Promise.all([keys.refresh(subject), revocations.refresh(revocationKey(token))])
    },
  }
}

export type Principals = Readonly<ReturnType<typeof createPrincipals>>
