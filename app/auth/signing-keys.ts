import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Secrets } from './secrets.ts'

/** `typ` of access tokens (RFC 9068, section 2.1). */
export const tokenType = 'at+jwt'
const purpose = 'signing key'

/** A public key as RFC 8037 writes it, with what RFC 7517 adds for finding it. */
export type PublicJwk = Readonly<{
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  alg: 'EdDSA'
  use: 'sig'
}>

/**
 * The keys of the moment. `header` is the exact first segment of the tokens that the active key signs;
 * `publicByHeader` has it and those of the keys that came before or come next.
 */
export type SigningKeys = Readonly<{
  active: Readonly<{ kid: string; privatePem: string; header: string }>
  publicByHeader: ReadonlyMap<string, string>
  jwks: Readonly<{ keys: readonly PublicJwk[] }>
}>

const headerOf = (kid: string) =>
  Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: tokenType, kid })).toString('base64url')

/** The kid is the key's own thumbprint (RFC 7638, section 3), so no two keys share one. */
const describe = (privatePem: string) => {
  const publicKey = createPublicKey(createPrivateKey(privatePem))
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
  const jwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }
  return { kid, jwk, publicPem: publicKey.export({ format: 'pem', type: 'spki' }).toString() }
}

/**
 * Makes the active signing key where there is none; its private half is stored sealed. Two processes at once
 * end up with one: the index on the active state decides. `db` must log in as owner or operator.
 */
export const ensureSigningKey = async (db: Db, secrets: Secrets): Promise<void> => {
  const active = await db
    .selectFrom('signing_keys')
    .select('kid')
    .where('state', '=', 'active')
    .executeTakeFirst()
  if (active) return
  const { privateKey } = generateKeyPairSync('ed25519')
  const privatePem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const { kid, jwk } = describe(privatePem)
  await db
    .insertInto('signing_keys')
    .values({
      kid,
      state: 'active',
      public_jwk: JSON.stringify(jwk),
      sealed_private_key: secrets.seal(purpose, privatePem),
    })
    .onConflict((conflict) => conflict.column('state').where('state', '=', 'active').doNothing())
    .execute()
}

const openKey = (kid: string, sealed: Buffer, secrets: Secrets): string => {
  try {
    return secrets.open(purpose, sealed).toString()
  } catch (cause) {
    throw new Error(
      `The signing key ${kid} cannot be opened: SECRET_KEY is not the one it was sealed with. Put the ` +
        'former key behind the new one (SECRET_KEY=new,former). If it is lost, delete the row from the table ' +
        'signing_keys and run "certdata migrate", which makes a new key; every token signed so far is ' +
        'refused then.',
      { cause },
    )
  }
}

/**
 * All signing keys, as the serving role reads them. Public keys are derived from the sealed private ones, so
 * a row that was not written with SECRET_KEY is never trusted.
 * Throws where a key cannot be opened or none is active, saying what to do.
 */
export const loadSigningKeys = async (db: Db, secrets: Secrets): Promise<SigningKeys> => {
  const { rows } = await sql<{ kid: string; state: string; sealed: Buffer }>`
    select kid, state, sealed_private_key as sealed from list_signing_keys()`.execute(db)
  const keys = rows.map(({ kid, state, sealed }) => {
    const privatePem = openKey(kid, sealed, secrets)
    return { ...describe(privatePem), state, privatePem }
  })
  const active = keys.find((key) => key.state === 'active')
  if (!active) throw new Error('There is no active signing key: run "certdata migrate", which makes one')
  return {
    active: { kid: active.kid, privatePem: active.privatePem, header: headerOf(active.kid) },
    publicByHeader: new Map(keys.map((key) => [headerOf(key.kid), key.publicPem])),
    jwks: { keys: keys.map((key) => key.jwk) },
  }
}
