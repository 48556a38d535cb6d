import { createChangeSchema, createChangesSchema } from '../../../schemas/feed.ts'
import { linesType } from '../../export/json-lines.ts'
import type { Description } from '../../openapi/description.ts'
import { getExample } from '../../openapi/examples.ts'
import { sharedFilterParameters } from '../../openapi/filters.ts'
import {
  choice,
  headerParameter,
  integer,
  limit,
  maxHeadBytes,
  queryParameters,
  text,
} from '../../openapi/parameters.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'
import { feedReaders, maxWaitSeconds } from './query.ts'
import { eventsType } from './request.ts'

const schemas = Object.fromEntries(resourceNames.map((name) => [name, resources[name].schema]))
const change = createChangeSchema(schemas, getExample(resources.certificates.schema) as object)

export const changesPage = createChangesSchema(change)

const parameters = {
  after: text(
    '`page.next_token` of the previous answer, unchanged. `snapshot` streams all records as lines, and the header ' +
      'Sync-Token has the token to continue with. Default: start now.',
    'snapshot',
    maxHeadBytes,
  ),
  lastEventId: text(
    'The header `Last-Event-ID` of a client that can only send it in the query. Only with `Accept: text/event-stream`. ' +
      'The header overrides it.',
    'AVsiNzU3NTYwNDE2MTY5NDc2NTg5OC4wMDAwMDAwMS4xNjM4NC4xNjUwMCIsMTc5NTI1MzQwMF0',
    maxHeadBytes,
  ),
  resources: text(
    "Any of these resources, separated by commas. Each needs its scope. Default: the token's resources, or all that " +
      'the key may read. A token belongs to its resources.',
    resourceNames.slice(0, 2).join(','),
  ),
  limit: limit('Number of changes on a page. Not with `after=snapshot`.'),
  wait: integer(
    'Seconds to wait for a change if there is none. The answer may arrive earlier, empty and with the same token. Not ' +
      'with `after=snapshot`; `HEAD` does not wait.',
    [0, maxWaitSeconds],
    maxWaitSeconds,
    0,
  ),
  previous: choice(
    'Adds to each change the previous values of the fields in `changed`. Not with `after=snapshot`.',
    ['true', 'false'],
    'false',
  ),
  fields: text(
    'Fields of the records, separated by commas. Only with one resource in `resources`. They belong to the token.',
    'id,name',
  ),
  format: choice('Overrides the header Accept: `ndjson` with `after=snapshot`, else `json`.', [
    'ndjson',
    'json',
  ]),
}

export const describeChanges: Description = {
  rank: 40,
  operationId: 'followChanges',
  summary: 'Follow changes',
  description:
    'Start with `after=snapshot`, then follow `page.next_token`: your copy then has exactly the records of a full read. To ' +
    'apply a change, replace or remove the record with its id. A change may arrive twice. A new day or another expiry ' +
    'window adds the certificates whose `validity` or `expiring` changes. `days_remaining` and `approval_info` change ' +
    'without an entry. `changed` names the fields that differ from the state of the token. With one resource in ' +
    '`resources`, its filters and `fields` select records and fields, and belong to the token. A record that no longer ' +
    'matches is a `delete` with the `cause` `filter`. A token is valid for 90 days. Each resource also needs its own scope. ' +
    'With `Accept: text/event-stream`, the pages arrive as server-sent events: the id of an event is its token, and the ' +
    'header `Last-Event-ID` continues after it.',
  tag: { name: 'Changes', description: 'For copies that are kept up to date' },
  parameters: [
    ...queryParameters([...feedReaders({}).keys(), 'fields'], parameters),
    ...sharedFilterParameters(resources),
    headerParameter(
      'Last-Event-Id',
      'The id of the last event of an interrupted stream. It overrides `after`.',
      'AVsiNzU3NTYwNDE2MTY5NDc2NTg5OC4wMDAwMDAwMS4xNjM4NC4xNjUwMCIsMTc5NTI1MzQwMF0',
    ),
  ],
  errors: ['query', 'sync_token'],
  answer: 'The changes; with `after=snapshot` all records, one change on each line',
  lines: { type: linesType, schema: change },
  files: {
    [eventsType]: {
      schema: {
        type: 'string',
        description: 'Events whose data is a page as JSON, and whose id is its token',
      },
      example: 'id: AVsi\ndata: {"data":[],"page":{"has_more":false,"next_token":"AVsi"}}\n\n',
    },
  },
  headers: ['Data-As-Of', 'Sync-Token'],
}
