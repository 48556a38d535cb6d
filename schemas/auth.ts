import { z } from 'zod'
import { field } from './fields.ts'

/** Text of a client. `maxLength` is not checked: it documents the body limit, 64 KiB. */
const sent = (refusal?: string) => z.string(refusal).meta({ maxLength: 65_536 })

export const loginRequest = z
  .strictObject(
    {
      api_key: field(
        sent('expected the API key as text'),
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
  })
  .meta({ id: 'TokenAnswer', description: 'An access token' })

const missing = (name: string) => `The parameter ${name} is missing`

const credentials = {
  client_id: field(sent(), 'Id of the API key, unless HTTP Basic has it', 'k3v9x2m7q4d8s1fa').optional(),
  client_secret: field(
    sent(),
    'The API key, unless HTTP Basic has it or the client signs',
    'cda_live_k3v9x2m7q4d8s1fa_<secret>',
  ).optional(),
  client_assertion_type: field(
    z.literal('urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
    'The type of client_assertion, for a client that signs (RFC 7523)',
    'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  ).optional(),
  client_assertion: field(
    sent(),
    'Of a client that signs, in place of a secret: a JWT (private_key_jwt), which counts once',
    'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
  ).optional(),
}

export const tokenGrantRequest = z
  .object({
    grant_type: field(
      z.literal('client_credentials', missing('grant_type')),
      'The only grant type',
      'client_credentials',
    ),
    scope: field(
      sent(),
      'Scopes for the token, separated by spaces. Absent: all scopes of the key',
      'certificates:read products:read',
    ).optional(),
    ...credentials,
  })
  .meta({ id: 'TokenGrantRequest', description: 'Client credentials (RFC 6749, section 4.4)' })

export const tokenReference = z
  .object({
    token: field(
      sent(missing('token')),
      'The access token; to revoke, also an API key',
      'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
    ),
    token_type_hint: field(sent(), 'Not needed and not read', 'access_token').optional(),
    ...credentials,
  })
  .meta({ id: 'TokenReference', description: 'A token to revoke or to examine' })

const seconds = (description: string, example: number) =>
  field(z.int(), `${description}, in seconds since 1970`, example).optional()

export const introspectionAnswer = z
  .strictObject({
    active: field(z.boolean(), 'Whether the service accepts this token now', true),
    scope: tokenAnswer.shape.scope.optional(),
    client_id: field(z.string(), 'Id of the API key', 'k3v9x2m7q4d8s1fa').optional(),
    sub: field(z.string(), 'The same', 'k3v9x2m7q4d8s1fa').optional(),
    customer: field(z.string(), 'The customer whose records it reads', 'acme').optional(),
    token_type: tokenAnswer.shape.token_type.optional(),
    iss: field(z.string(), 'The issuer', 'https://api.example').optional(),
    aud: field(z.string(), 'The service that the token is for', 'https://api.example').optional(),
    iat: seconds('Issued', 1_795_262_400),
    nbf: seconds('Not valid before this time', 1_795_262_390),
    exp: seconds('Valid until', 1_795_266_000),
    jti: field(z.string(), 'Id of the token', '0b8f3f60-3f0e-4c9f-9c9d-0d6a3b0c1f4e').optional(),
  })
  .meta({ id: 'Introspection', description: 'Facts about a token (RFC 7662)' })

export const oauthError = z
  .strictObject({
    error: field(
      z.string(),
      'The error: invalid_request, invalid_client, unauthorized_client, unsupported_grant_type, invalid_scope',
      'invalid_client',
    ),
    error_description: field(z.string(), 'The error in words', 'The API key is not valid'),
    error_uri: field(
      z.string(),
      'The page that explains the error',
      'https://api.example/problems/invalid_api_key',
    ),
  })
  .meta({ id: 'OAuthError', description: 'A refusal in the form of OAuth (RFC 6749, section 5.2)' })

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
