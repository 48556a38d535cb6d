import { accountTag } from '../../openapi/account.ts'
import type { Description } from '../../openapi/description.ts'

export const describeKeys: Description = {
  rank: 61,
  operationId: 'listMyKeys',
  summary: 'List the API keys of the customer',
  description:
    'All keys of the customer with their state, last use, expiry and scopes, without secrets. A key sees networks only ' +
    'of itself.',
  tag: accountTag,
  errors: ['query'],
  headers: ['Data-As-Of'],
  answer: 'The keys, the newest first',
}
