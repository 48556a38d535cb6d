import type { Description, Tag } from './description.ts'

const authentication: Tag = {
  name: 'Authentication',
  description: 'Exchange an API key for an access token, and verify a token',
}

export const describeMe: Description = {
  rank: 60,
  operationId: 'getMe',
  summary: 'Get customer, plan, scopes, limits and settings',
  description: 'The customer, the scopes of the token, and the units left of each quota.',
  tag: { name: 'Account', description: 'The customer and the rights of the token' },
  errors: ['query'],
  answer: 'The customer',
}

export const describeLogin: Description = {
  rank: 10,
  operationId: 'login',
  summary: 'Exchange an API key for an access token',
  description:
    'Send the key in the body or by HTTP Basic: key id and key, or the key alone as either. Log in again when the token ' +
    'expires.',
  tag: authentication,
  errors: ['query', 'body', 'api_key'],
  answer: 'An access token',
}

export const describeSigningKeys: Description = {
  rank: 10,
  operationId: 'listSigningKeys',
  summary: 'The public keys that verify access tokens',
  description: 'A JSON Web Key Set (RFC 7517) with the current, previous and next keys.',
  tag: authentication,
  errors: [],
  answer: 'The keys',
}

const client =
  'The client is an API key, by HTTP Basic or in the form: its id is the key id, its secret the key. A client that ' +
  'signs sends a JWT instead (`private_key_jwt`, RFC 7523).'
const oauth = { rank: 70, tag: authentication, refusals: 'oauth', errors: ['body', 'api_key'] } as const

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
    `others the answer is the same. A leaked key revokes itself: send it as the client and as the token. ${client}`,
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
