import { historyReaders } from '../../records/history/query.ts'
import { defaultLimit, maxLimit } from '../../records/query/query.ts'
import type { Resource } from '../../records/resources/define.ts'
import { resourceNames } from '../../records/resources/index.ts'
import { maxHeadBytes } from './controls.ts'
import type { Description, OpenApiParameter, Tag } from './description.ts'
import { entryHeaders } from './headers.ts'
import { idParameter, nameOf } from './records.ts'

const text = { type: 'string', minLength: 1, maxLength: 8_192 }

const parameters: Readonly<Record<string, Omit<OpenApiParameter, 'name' | 'in'>>> = {
  resource: {
    description:
      'Only these resources, comma-separated; each needs its scope. Absent: all that the token may read.',
    schema: text,
    example: resourceNames.slice(0, 2).join(','),
  },
  since: {
    description:
      'Only changes at or after this instant (2026-01-31T12:00:00Z) or day (UTC; also today-30d). This filters. To keep ' +
      'a copy up to date, follow /v1/changes: a transaction that commits late has an early time.',
    schema: text,
    example: 'today-30d',
  },
  limit: {
    description: 'Number of entries on a page.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxLimit, default: defaultLimit },
    example: defaultLimit,
  },
  cursor: {
    description:
      '`page.next_cursor` of the answer before, unchanged, with the same parameters. Absent: the newest entries.',
    schema: { ...text, maxLength: maxHeadBytes },
    example: 'AXq3x0a2c0F1WyIyMDI2LTA0LTI1VDExOjAyOjAzLjQ1Njc4OVoiLCI0Mzg1ZGNlMmE5ZWY2MjJiIl0',
  },
  format: {
    description: 'Overrides the header Accept.',
    schema: { type: 'string', enum: ['json'] },
    example: 'json',
  },
}

/** Throws if a parameter has no description here. */
const listParameters = (shape: 'record' | 'list'): OpenApiParameter[] =>
  [...historyReaders({}, shape).keys()].map((name) => {
    const described = parameters[name]
    if (!described) throw new Error(`the parameter ${name} has no description`)
    return { name, in: 'query', ...described }
  })

const tag: Tag = { name: 'History', description: 'What records were before' }

const kept =
  '`page.history_from` says from when on history is complete. `changes` has the former and the new value of each ' +
  'field that changed.'

/** `GET /v1/{resource}/{id}/history`. */
export const describeRecordHistory = (resource: Resource): Description => ({
  operationId: `get${nameOf(resource)}History`,
  summary: `List what changed in one ${resource.noun}`,
  description:
    `The history of the ${resource.noun} with this id, the newest change first. A deleted record keeps its history. ` +
    `${kept}${resource.flips ? ' What a new day changed has `cause` `day`; it is computed for the present expiry window.' : ''}`,
  tag,
  parameters: [idParameter(resource), ...listParameters('record')],
  errors: ['query', 'cursor', 'record', 'tag'],
  answer: {
    description: 'A page of the history',
    headers: [...entryHeaders, 'Link'],
  },
})

/** `GET /v1/history`. */
export const describeHistory: Description = {
  operationId: 'listHistory',
  summary: 'List what changed',
  description:
    `What changed in all records of the customer, the newest change first. ${kept} What only a new day changed stands in ` +
    'the history of each record.',
  tag,
  parameters: listParameters('list'),
  errors: ['scope', 'query', 'cursor', 'tag'],
  answer: {
    description: 'A page of the history',
    headers: [...entryHeaders, 'Link'],
  },
}
