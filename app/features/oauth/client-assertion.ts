import { createHash, type KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../db/schema.ts'
import { parseUniqueJson } from '../../http/unique-json.ts'
import type { Credential } from '../../identity/credential.ts'
import { toApiKeyError, toEndedKeyError } from '../../identity/credential-errors.ts'
import { findRow, type KeyFacts } from '../../identity/facts.ts'
import type { Principals } from '../../identity/principals.ts'
import { isUsable } from '../../identity/rights.ts'
import { assertionAlgorithms, readClientKeys } from './client-keys.ts'

/** RFC 7523, section 2.2. */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Authlib's assertions live this long. */
const longestSeconds = 3_600
const clockSkewSeconds = 30
const longestAssertion = 4_096

/** Refuses `crit`, and keys inside the assertion (`jwk`, `jku`, `x5c`). */
const headerSchema = z.strictObject({
  alg: z.enum(assertionAlgorithms),
  typ: z
    .string()
    .regex(/^(JWT|client-authentication\+jwt)$/i)
    .optional(),
  kid: z.string().optional(),
  x5t: z.string().optional(),
  'x5t#S256': z.string().optional(),
})
const audience = z.union([z.string(), z.tuple([z.string()]).transform(([only]) => only)])
/** UTF-8 encodes all lone surrogates alike, so two such ids would have the same hash. */
const jti = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,256}$/u)
const claimsSchema = z.object({
  iss: z.string(),
  sub: z.string().regex(/^[a-z0-9]{1,32}$/),
  aud: audience,
  exp: z.number(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
  jti,
})

type Claims = z.output<typeof claimsSchema>

const decodeJson = (bytes: Buffer): unknown => {
  try {
    return parseUniqueJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const parse = (jwt: string) => {
  const isJwt = jwt.length <= longestAssertion && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt)
  const [head = '', body = ''] = isJwt ? jwt.split('.') : []
  const payload = Buffer.from(body, 'base64url')
  const header = headerSchema.safeParse(decodeJson(Buffer.from(head, 'base64url'))).data
  return { header, claims: claimsSchema.safeParse(decodeJson(payload)).data, payload }
}

/** Uses no stored data, so the texts reveal nothing about keys. */
const findFault = (claims: Claims, audiences: readonly string[], nowMs: number): string | undefined => {
  const now = nowMs / 1000
  if (claims.iss !== claims.sub) return 'iss and sub of the assertion must both be the client id'
  if (!audiences.includes(claims.aud)) return `aud of the assertion must be ${audiences.join(' or ')}`
  if (claims.exp <= now - clockSkewSeconds) return 'The assertion has expired'
  if (claims.exp > now + longestSeconds + clockSkewSeconds) {
    return `exp of the assertion may lie at most ${longestSeconds} s ahead`
  }
  const isAhead = [claims.iat, claims.nbf].some((begins = now) => begins > now + clockSkewSeconds)
  return isAhead ? 'iat or nbf of the assertion lies in the future' : undefined
}

/** The same text in all cases, so that it does not reveal which clients exist. */
const notProved = 'The client is not known, or its key did not sign the assertion'

const malformed = `The assertion must be a JWT as the guide describes it, with alg ${assertionAlgorithms.join(', ')}`

const isSignedWith = async (jwt: string, payload: Buffer, alg: string, key: KeyObject) => {
  const { compactVerify } = await import('jose/jws/compact/verify')
  const verified = await compactVerify(jwt, key, { algorithms: [alg] }).catch(() => undefined)
  return verified !== undefined && payload.equals(verified.payload)
}

const isSigned = async (
  jwt: string,
  payload: Buffer,
  header: z.output<typeof headerSchema>,
  clientJwks: string,
) => {
  for (const key of readClientKeys(clientJwks, header))
    if (await isSignedWith(jwt, payload, header.alg, key)) return true
  return false
}

type AssertionOptions = {
  db: Db
  principals: Pick<Principals, 'hasKey' | 'findClaimedKey' | 'confirmRefusal'>
  publicUrl: string
  now: () => number
}

const toAssertionError = (detail: string, auditReason: string) => toApiKeyError({ detail, auditReason })

/**
 * Returns a function that turns an assertion (RFC 7523, section 3) into a credential. An assertion works once, on
 * any instance. `clientId`: the id in the request, if any. `requireRoom` throws if the client's quota is used up;
 * the client may then send the same assertion again.
 */
export const createAssertions = ({ db, principals, publicUrl, now }: AssertionOptions) => {
  const audiences = [publicUrl, `${publicUrl}/v1/oauth/token`]

  const use = async ({ customerId, keyId }: KeyFacts, { jti, exp }: Claims): Promise<boolean> => {
    const digest = createHash('sha256').update(jti).digest()
    const until = sql`to_timestamp(${exp + clockSkewSeconds}::float8)`
    const statement = sql<{ isFirst: boolean }>`
      select use_assertion(${customerId}, ${keyId}, ${digest}, ${until}) as "isFirst"`
    return (await findRow(db, statement))?.isFirst === true
  }

  return (jwt: string, clientId: string | undefined, requireRoom: (key: KeyFacts) => void): Credential => {
    const { header, claims, payload } = parse(jwt)
    return {
      keyId: claims?.sub,
      isKnown: () => claims !== undefined && principals.hasKey(claims.sub),
      async verify(turn) {
        if (!header || !claims) throw toAssertionError(malformed, 'assertion_malformed')
        const fault =
          clientId === undefined || clientId === claims.sub
            ? findFault(claims, audiences, now())
            : 'client_id is not the sub of the assertion'
        if (fault) throw toAssertionError(fault, 'assertion_claims')
        const facts = await principals.findClaimedKey(claims.sub, turn)
        const jwks = facts?.clientJwks ?? null
        const isGood = jwks !== null && (await isSigned(jwt, payload, header, jwks))
        if (!isGood || !facts) {
          if (facts) await principals.confirmRefusal()
          throw toAssertionError(notProved, 'assertion_signature')
        }
        if (!isUsable(facts, now())) throw toEndedKeyError(facts)
        requireRoom(facts)
        if (!(await turn(() => use(facts, claims)))) {
          throw toAssertionError(
            'The assertion was used before: make a new one for each request',
            'assertion_replayed',
          )
        }
        return { ...facts }
      },
    }
  }
}
