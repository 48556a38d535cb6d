import { mediaTypes } from '../../http/formats.ts'
import { accountTag } from '../../openapi/account.ts'
import type { Description } from '../../openapi/description.ts'
import { choice, queryParameters } from '../../openapi/parameters.ts'

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

const usageExample =
  'day,endpoint,requests,not_modified,refused,bytes\r\n2026-11-27,/v1/products/{id},412,380,2,48210\r\n'

export const describeUsage: Description = {
  rank: 62,
  operationId: 'getMyUsage',
  summary: 'Get the usage of the last 31 days',
  description:
    'Requests by day and endpoint: all of them, those answered with 304, those refused with a status of 400 or more, and ' +
    'the bytes of the bodies as they were sent. Counts appear about a minute after the requests.',
  tag: accountTag,
  parameters: queryParameters(['format'], {
    format: choice('Overrides the header Accept.', ['json', 'csv']),
  }),
  errors: ['query'],
  files: { [mediaTypes.csv]: { schema: { type: 'string' }, example: usageExample } },
  headers: ['Content-Disposition', 'Data-As-Of'],
  answer: 'The usage, the newest day first',
}
