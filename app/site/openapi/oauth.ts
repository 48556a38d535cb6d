import { authentication } from './account.ts'
import type { Description } from './description.ts'
import { commonHeaders } from './headers.ts'

const client =
  'The client is an API key, by HTTP Basic or in the form: its id is the key id, its secret the key.'
const common = {
  tag: authentication,
  bodyType: 'application/x-www-form-urlencoded',
  refusals: 'oauth',
  errors: ['body', 'api_key'],
} as const
const headers = [...commonHeaders, 'Pragma'] as const

/** `POST /v1/oauth/token`. */
export const describeToken: Description = {
  operationId: 'issueToken',
  summary: 'Exchange client credentials for an access token',
  description: `The same as \`login\`, as OAuth 2.0 has it (RFC 6749, section 4.4). ${client}`,
  ...common,
  answer: { description: 'An access token', headers },
}

/** `POST /v1/oauth/revoke`. */
export const describeRevocation: Description = {
  operationId: 'revokeToken',
  summary: 'Revoke an access token or an API key',
  description:
    `Within a second, every instance refuses it (RFC 7009). Only a token or key of the same customer is revoked; ` +
    `the answer is the same for anything else. Anybody who finds an API key can revoke it, with the key itself as the ` +
    `client and as the token. ${client}`,
  ...common,
  answer: { description: 'It is revoked, or was not a token of this customer', isEmpty: true, headers },
}

/** `POST /v1/oauth/introspect`. */
export const describeIntrospection: Description = {
  operationId: 'introspectToken',
  summary: 'Ask whether an access token is valid, and for its scopes',
  description: `Says whether the service accepts the token now (RFC 7662). A token of another customer is not active. ${client}`,
  ...common,
  answer: { description: 'What the token is good for', headers },
}
