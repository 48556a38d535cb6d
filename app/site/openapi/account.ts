import type { Description, Tag } from './description.ts'
import { commonHeaders, limitHeaders } from './headers.ts'

const account: Tag = { name: 'Account', description: 'The customer and what the token may do' }
const authentication: Tag = {
  name: 'Authentication',
  description: 'Exchange an API key for an access token, and verify a token',
}

const access: Tag = { name: 'Access', description: 'For visitors who are not customers yet' }

/** `GET /v1/me`. */
export const describeMe: Description = {
  operationId: 'getMe',
  summary: 'Get customer, plan, scopes, limits and settings',
  description: 'The customer of the token, its scopes, and how many units of each quota are left.',
  tag: account,
  errors: ['query'],
  answer: {
    description: 'The customer',
    headers: [...commonHeaders, ...limitHeaders, 'Server-Timing', 'Vary'],
  },
}

/** `POST /v1/auth/login`. */
export const describeLogin: Description = {
  operationId: 'login',
  summary: 'Exchange an API key for an access token',
  description:
    'The key comes in the body or by HTTP Basic: key id and key, or the key alone as either. The token is ' +
    'good until it expires; then log in again.',
  tag: authentication,
  errors: ['query', 'body', 'api_key'],
  answer: { description: 'An access token', headers: [...commonHeaders, 'Pragma'] },
}

/** `POST /v1/access-requests`. */
export const describeAccessRequest: Description = {
  operationId: 'requestAccess',
  summary: 'Ask for access',
  description:
    'The contact form. Needs no token, and does not tell who is a customer. An answer comes within one ' +
    'business day. Limited per client address.',
  tag: access,
  errors: ['query', 'body', 'address'],
  answer: { description: 'Request received', status: 202, headers: commonHeaders },
}

/** `GET /.well-known/jwks.json`. */
export const describeSigningKeys: Description = {
  operationId: 'listSigningKeys',
  summary: 'The public keys that verify access tokens',
  description: 'A JSON Web Key Set (RFC 7517): the key in use, and those before and after it.',
  tag: authentication,
  errors: [],
  answer: { description: 'The keys', headers: commonHeaders },
}

const client =
  'The client is an API key, by HTTP Basic or in the form: its id is the key id, its secret the key. A client that ' +
  'signs sends a JWT instead (`private_key_jwt`, RFC 7523).'
const oauth = {
  tag: authentication,
  refusals: 'oauth',
  errors: ['body', 'api_key'],
} as const
const headers = [...commonHeaders, 'Pragma'] as const

/** `POST /v1/oauth/token`. */
export const describeToken: Description = {
  operationId: 'issueToken',
  summary: 'Exchange client credentials for an access token',
  description: `The same as \`login\`, as OAuth 2.0 has it (RFC 6749, section 4.4). ${client}`,
  ...oauth,
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
  ...oauth,
  answer: { description: 'It is revoked, or was not a token of this customer', isEmpty: true, headers },
}

/** `POST /v1/oauth/introspect`. */
export const describeIntrospection: Description = {
  operationId: 'introspectToken',
  summary: 'Ask whether an access token is valid, and for its scopes',
  description: `Says whether the service accepts the token now (RFC 7662). A token of another customer is not active. ${client}`,
  ...oauth,
  answer: { description: 'What the token is good for', headers },
}
