import type { Description, Tag } from './description.ts'

/** The tag of logins, also of features. */
export const authentication: Tag = {
  name: 'Authentication',
  description: 'Exchange an API key for an access token, and verify a token',
}

export const accountTag: Tag = { name: 'Account', description: 'The customer and the rights of the token' }

export const describeMe: Description = {
  rank: 60,
  operationId: 'getMe',
  summary: 'Get customer, plan, scopes, key, limits and settings',
  description:
    'The customer, the scopes of the token, the end of its API key, and the units left of each quota.',
  tag: accountTag,
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
