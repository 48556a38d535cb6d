import type { Description } from '../../openapi/description.ts'

export const describeAccessRequest: Description = {
  rank: 80,
  operationId: 'requestAccess',
  summary: 'Request access',
  description:
    'The contact form. Needs no token and does not reveal who is a customer. You get an answer within one business day. ' +
    'Limited by client address.',
  tag: { name: 'Access', description: 'For visitors who are not customers yet' },
  errors: ['query', 'body', 'address'],
  answer: 'Request received',
  status: 202,
}
