import { me } from '../../../schemas/me.ts'
import type { Description, Tag } from './description.ts'
import { commonHeaders, limitHeaders } from './headers.ts'

const account: Tag = { name: 'Account', description: 'The customer and what the token may do' }
export const authentication: Tag = {
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
    schema: me,
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
