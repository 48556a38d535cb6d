import type { Description, Tag } from './description.ts'
import { commonHeaders, limitHeaders } from './headers.ts'

const account: Tag = { name: 'Account', description: 'The customer and the rights of the token' }
const authentication: Tag = {
  name: 'Authentication',
  description: 'Exchange an API key for an access token, and verify a token',
}

const access: Tag = { name: 'Access', description: 'For visitors who are not customers yet' }

export const describeMe: Description = {
  operationId: 'getMe',
  summary: 'Get customer, plan, scopes, limits and settings',
  description: 'The customer, the scopes of the token, and the units left of each quota.',
  tag: account,
  errors: ['query'],
  answer: {
    description: 'The customer',
    headers: [...commonHeaders, ...limitHeaders, 'Server-Timing', 'Vary'],
  },
}

export const describeLogin: Description = {
  operationId: 'login',
  summary: 'Exchange an API key for an access token',
  description:
    'Send the key in the body or by HTTP Basic: key id and key, or the key alone as either. When the token expires, log ' +
    'in again.',
  tag: authentication,
  errors: ['query', 'body', 'api_key'],
  answer: { description: 'An access token', headers: [...commonHeaders, 'Pragma'] },
}

export const describeAccessRequest: Description = {
  operationId: 'requestAccess',
  summary: 'Request access',
  description:
    'The contact form. Needs no token and does not reveal who is a customer. You get an answer within one business day. ' +
    'Limited by client address.',
  tag: access,
  errors: ['query', 'body', 'address'],
  answer: { description: 'Request received', status: 202, headers: commonHeaders },
}

export const describeSigningKeys: Description = {
  operationId: 'listSigningKeys',
  summary: 'The public keys that verify access tokens',
  description: 'A JSON Web Key Set (RFC 7517) with the current, previous and next keys.',
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

export const describeToken: Description = {
  operationId: 'issueToken',
  summary: 'Exchange client credentials for an access token',
  description: `The same as \`login\`, in the form of OAuth 2.0 (RFC 6749, section 4.4). ${client}`,
  ...oauth,
  answer: { description: 'An access token', headers },
}

export const describeRevocation: Description = {
  operationId: 'revokeToken',
  summary: 'Revoke an access token or an API key',
  description:
    'Every instance refuses it within a second (RFC 7009). Only a token or key of the same customer is revoked; for all ' +
    'others the answer is the same. A leaked API key revokes itself: send it as the client and as the token. ' +
    client,
  ...oauth,
  answer: { description: 'It is revoked, or it does not belong to this customer', isEmpty: true, headers },
}

export const describeIntrospection: Description = {
  operationId: 'introspectToken',
  summary: 'Get the state and the scopes of an access token',
  description: `Whether the service accepts the token now (RFC 7662). A token of another customer is not active. ${client}`,
  ...oauth,
  answer: { description: 'The state of the token', headers },
}
