import { z } from 'zod'
import { sentText, tokenAnswer } from './auth.ts'
import { field } from './fields.ts'

const missing = (name: string) => `The parameter ${name} is missing`

const credentials = {
  client_id: field(sentText(), 'Id of the API key, unless HTTP Basic has it', 'k3v9x2m7q4d8s1fa').optional(),
  client_secret: field(
    sentText(),
    'The API key, unless HTTP Basic has it or the client signs',
    'cda_live_k3v9x2m7q4d8s1fa_<secret>',
  ).optional(),
  client_assertion_type: field(
    z.literal('urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
    'The type of client_assertion, for a client that signs (RFC 7523)',
    'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  ).optional(),
  client_assertion: field(
    sentText(),
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
      sentText(),
      'Scopes for the token, separated by spaces. Absent: all scopes of the key',
      'certificates:read products:read',
    ).optional(),
    ...credentials,
  })
  .meta({ id: 'TokenGrantRequest', description: 'Client credentials (RFC 6749, section 4.4)' })

export const tokenReference = z
  .object({
    token: field(
      sentText(missing('token')),
      'The access token; to revoke, also an API key',
      'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
    ),
    token_type_hint: field(sentText(), 'Not needed and not read', 'access_token').optional(),
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
