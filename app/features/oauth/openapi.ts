import { oauthError } from '../../../schemas/oauth.ts'
import { authentication } from '../../openapi/account.ts'
import type { Description, Refusals } from '../../openapi/description.ts'

const refusals: Refusals = {
  prefix: 'OAuth',
  schema: oauthError,
  meanings: {
    400: [
      '`invalid_request`: the form cannot be read · `invalid_scope`: the key lacks the scope · ' +
        '`unsupported_grant_type`: only client_credentials · `unauthorized_client`: the customer has no API access, because of its plan or a suspension',
    ],
    401: ['`invalid_client`: the API key is not valid', 'WWW-Authenticate'],
    403: [
      '`invalid_request`: TLS is required · `unauthorized_client`: the key may not be used from this address',
    ],
    405: ['`invalid_request`: the method is not allowed here', 'Allow'],
    413: ['`invalid_request`: the body is too large'],
    414: ['`invalid_request`: the address is too long'],
    415: ['`invalid_request`: the content type is not supported'],
  },
}

const client =
  'The client is an API key, by HTTP Basic or in the form: its id is the key id, its secret the key. A client that ' +
  'signs sends a JWT instead (`private_key_jwt`, RFC 7523).'
const oauth = {
  rank: 70,
  tag: authentication,
  refusals,
  errors: ['body', 'api_key'],
} as const

export const describeToken: Description = {
  ...oauth,
  operationId: 'issueToken',
  summary: 'Exchange client credentials for an access token',
  description: `The same as \`login\`, in the form of OAuth 2.0 (RFC 6749, section 4.4). ${client}`,
  answer: 'An access token',
}

export const describeRevocation: Description = {
  ...oauth,
  operationId: 'revokeToken',
  summary: 'Revoke an access token or an API key',
  description:
    'Every instance refuses it within a second (RFC 7009). Only a token or key of the same customer is revoked; for all ' +
    `others the answer is the same. A leaked key revokes itself: send it as the client and as the token. The key of a calendar address does, too. ${client}`,
  answer: 'It is revoked, or it does not belong to this customer',
  isEmpty: true,
}

export const describeIntrospection: Description = {
  ...oauth,
  operationId: 'introspectToken',
  summary: 'Get the state and the scopes of an access token',
  description: `Whether the service accepts the token now (RFC 7662). A token of another customer is not active. ${client}`,
  answer: 'The state of the token',
}
