import { createHistoryPage } from '../../../schemas/history.ts'
import type { Description, Tag } from '../../openapi/description.ts'
import { choice, cursor, limit, queryParameters, text } from '../../openapi/parameters.ts'
import { idParameter, recordName } from '../../openapi/records.ts'
import type { Resource } from '../../records/resources/define.ts'
import { resourceNames } from '../../records/resources/index.ts'
import { historyReaders } from './query.ts'

export const historyPage = createHistoryPage(resourceNames)

const parameters = {
  resource: text(
    'Any of these resources, separated by commas. Each needs its scope. Default: all that the token may read.',
    resourceNames.slice(0, 2).join(','),
  ),
  since: text(
    'Changes at or after this instant or day (UTC). Also relative: `today-30d`. To keep a copy up to date, follow ' +
      '`/v1/changes` instead: a transaction that commits late has an early time.',
    'today-30d',
  ),
  limit: limit('Number of entries on a page.'),
  cursor: cursor('with the same parameters.'),
  format: choice('Overrides the header Accept.', ['json']),
}

const listParameters = (shape: 'record' | 'list') =>
  queryParameters(historyReaders({}, shape).keys(), parameters)

const tag: Tag = { name: 'History', description: 'Earlier values of records' }

const kept =
  'History is complete since `page.history_from`. `changes` has the old and the new value of each changed field.'

export const describeRecordHistory = (resource: Resource): Description => ({
  rank: 30,
  operationId: `get${recordName(resource)}History`,
  summary: `List the changes of one ${resource.noun}`,
  description:
    `The history of the ${resource.noun} with this id, the newest change first. A deleted record keeps its history. ` +
    `${kept}${resource.flips ? ' A change by a new day has `cause` `day` and is computed with the current expiry window.' : ''}`,
  tag,
  parameters: [idParameter(resource), ...listParameters('record')],
  errors: ['query', 'cursor', 'record', 'tag'],
  answer: 'A page of the history',
})

export const describeHistory: Description = {
  rank: 30,
  operationId: 'listHistory',
  summary: 'List all changes of records',
  description:
    `Changes of all records of the customer, newest first. ${kept} The history of each record also has the changes that ` +
    'only a new day made.',
  tag,
  parameters: listParameters('list'),
  errors: ['scope', 'query', 'cursor', 'tag'],
  answer: 'A page of the history',
}
