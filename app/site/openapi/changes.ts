import { createChangeSchema, createChangesSchema } from '../../../schemas/changes.ts'
import { linesType } from '../../export/json-lines.ts'
import { eventsType } from '../../feed/offer.ts'
import { feedReaders, maxWaitSeconds } from '../../feed/query.ts'
import { defaultLimit, maxLimit } from '../../records/query/query.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'
import { maxHeadBytes } from './controls.ts'
import type { Description, OpenApiParameter } from './description.ts'
import { exampleOf } from './examples.ts'
import { sharedFilterParameters } from './filters.ts'
import { commonHeaders, limitHeaders } from './headers.ts'

const schemas = Object.fromEntries(resourceNames.map((name) => [name, resources[name].schema]))
const [first] = resourceNames
if (!first) throw new Error('there is no resource')
const change = createChangeSchema(schemas, exampleOf(resources[first].schema) as object)

/** The response schema of a page. */
export const changesPage = createChangesSchema(change)

const text = { type: 'string', minLength: 1, maxLength: maxHeadBytes }

const parameters: Readonly<Record<string, Omit<OpenApiParameter, 'name' | 'in'>>> = {
  after: {
    description:
      '`page.next_token` of the answer before, unchanged. `snapshot` streams the whole state as lines and gives ' +
      'the token to go on from in the header Sync-Token. Absent: begin now.',
    schema: text,
    example: 'snapshot',
  },
  resources: {
    description:
      "Only these resources, comma-separated; each needs its scope. Absent: the token's, or all that the key may " +
      'read. A token belongs to its resources.',
    schema: text,
    example: resourceNames.slice(0, 2).join(','),
  },
  limit: {
    description: 'Number of changes on a page. Not with `after=snapshot`.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxLimit, default: defaultLimit },
    example: maxLimit,
  },
  wait: {
    description:
      'Seconds to hold an empty answer until a change arrives. The answer may come earlier and empty, ' +
      'with the same token. Not with `after=snapshot`; `HEAD` does not wait.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: maxWaitSeconds, default: 0 },
    example: maxWaitSeconds,
  },
  previous: {
    description:
      'Adds to each change of a record what the fields in `changed` were. Not with `after=snapshot`.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
    example: 'true',
  },
  fields: {
    description:
      'The fields of each record, separated by commas. Only with one resource in `resources`. They belong to the token.',
    schema: text,
    example: 'id,name',
  },
  format: {
    description: 'Overrides the header Accept: `ndjson` with `after=snapshot`, else `json`.',
    schema: { type: 'string', enum: ['json', 'ndjson'] },
    example: 'ndjson',
  },
}

/** Throws if a parameter has no description here. */
const listParameters = (): OpenApiParameter[] => {
  const controls = [...feedReaders({}).keys(), 'fields'].map((name): OpenApiParameter => {
    const described = parameters[name]
    if (!described) throw new Error(`the parameter ${name} has no description`)
    return { name, in: 'query', ...described }
  })
  return [...controls, ...sharedFilterParameters(resources)]
}

const lastEventId: OpenApiParameter = {
  name: 'Last-Event-Id',
  in: 'header',
  description: 'Of a stream of events that broke: the id of its last event. It goes before `after`.',
  schema: { type: 'string', maxLength: maxHeadBytes },
  example: 'AVsiNzU3NTYwNDE2MTY5NDc2NTg5OC4wMDAwMDAwMS4xNjM4NC4xNjUwMCIsMTc5NTI1MzQwMF0',
}

/** `GET /v1/changes`. */
export const describeChanges: Description = {
  operationId: 'followChanges',
  summary: 'Follow what changes',
  description:
    'Start with `after=snapshot`, then follow `page.next_token`. Your copy then has exactly the records ' +
    'that a full read shows, even while records are being written. Apply a change by replacing or removing ' +
    'the record of that id. A change may come twice. A new day or another expiry window brings the ' +
    'certificates whose `validity` or `expiring` changes. `days_remaining` and `approval_info` change without ' +
    'an entry here. `changed` names the fields that differ from the state of the token. With one resource in ' +
    '`resources`, its filters and `fields` narrow what is sent; a record that leaves the filter is a `delete` with ' +
    '`cause` `filter`. Filters take the values that the list of the resource takes, but no relative dates. The ' +
    'operators `eq`, `in` and `ne` are also accepted: the bare name and `nin` say the same. Filters and `fields` belong ' +
    'to the token. A token is valid for 90 days. Each resource also needs its own ' +
    'scope. With `Accept: text/event-stream` the pages come as server-sent events on a connection that stays; the ' +
    'id of an event is its token, and the header `Last-Event-ID` goes on after it.',
  tag: { name: 'Changes', description: 'To keep a copy up to date' },
  parameters: [...listParameters(), lastEventId],
  errors: ['query', 'sync_token'],
  answer: {
    description: 'The changes; with `after=snapshot` all records, one change on each line',
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
    headers: [...commonHeaders, ...limitHeaders, 'Data-As-Of', 'Sync-Token', 'Vary'],
  },
}
