import { z } from 'zod'
import { field } from './fields.ts'
import { keySummary } from './key.ts'

/** Text of a client. `maxLength` is not checked: it documents the body limit, 64 KiB. */
export const sentText = (refusal?: string) => z.string(refusal).meta({ maxLength: 65_536 })

export const loginRequest = z
  .strictObject(
    {
      api_key: field(
        sentText('expected the API key as text'),
        'The API key as it was issued: cda_live_<key id>_<secret>',
        'cda_live_k3v9x2m7q4d8s1fa_<secret>',
      ),
    },
    'expected an object',
  )
  .meta({ id: 'LoginRequest', description: 'An API key, to be exchanged for an access token' })

export const tokenAnswer = z
  .strictObject({
    access_token: field(
      z.string(),
      'The token for the Authorization header: a JWT (RFC 9068) that is valid for expires_in seconds',
      'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.e30.c2lnbmF0dXJl',
    ),
    token_type: field(z.literal('Bearer'), 'How the token is sent: Authorization: Bearer <token>', 'Bearer'),
    expires_in: field(z.int().positive(), 'Lifetime of the token, in seconds', 3600),
    scope: field(
      z.string(),
      'The scopes of the token, separated by spaces',
      'certificates:read products:read',
    ),
    key: keySummary,
  })
  .meta({ id: 'TokenAnswer', description: 'An access token' })

const publicJwk = z
  .strictObject({
    kty: field(z.literal('OKP'), 'Key type (RFC 8037)', 'OKP'),
    crv: field(z.literal('Ed25519'), 'Curve', 'Ed25519'),
    x: field(z.string(), 'The public key, base64url', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    kid: field(
      z.string(),
      'Key id: the thumbprint (RFC 7638)',
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    ),
    alg: field(z.literal('EdDSA'), 'Algorithm', 'EdDSA'),
    use: field(z.literal('sig'), 'Use', 'sig'),
  })
  .meta({ id: 'PublicKey', description: 'A public key that verifies access tokens' })

export const jwksAnswer = z
  .strictObject({
    keys: z.array(publicJwk).meta({ description: 'The key in use, and those before and after it' }),
  })
  .meta({ id: 'PublicKeySet', description: 'JSON Web Key Set (RFC 7517)' })

/** Claims of access tokens (RFC 9068), read after the signature is verified. */
export const accessTokenClaims = z
  .object({
    sub: z.string().min(1),
    client_id: z.string(),
    iss: z.string(),
    /** RFC 7519 allows a list, too. Our tokens are for one service. */
    aud: z.string(),
    customer: z.string().min(1),
    /** Seconds since 1970. */
    exp: z.int(),
    iat: z.int(),
    nbf: z.int(),
    jti: z.string().min(1).max(64),
    scope: z.string(),
    /** Whether the token also has scopes that were created after it, for example of custom endpoints. */
    every_scope: z.boolean().default(false),
  })
  .refine((claims) => claims.client_id === claims.sub)
