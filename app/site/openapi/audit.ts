import { auditEntries, auditRoots } from '../../../schemas/audit.ts'
import { linesType } from '../../export/json-lines.ts'
import { entryList, rootList, type TrailList } from '../../operator/trail/lists.ts'
import { trailReaders } from '../../operator/trail/query.ts'
import { defaultLimit, maxLimit } from '../../records/query/query.ts'
import { maxHeadBytes } from './controls.ts'
import type { Description, OpenApiParameter } from './description.ts'
import { commonHeaders, limitHeaders } from './headers.ts'

const text = { type: 'string', minLength: 1, maxLength: 8_192 }

const parameters: Readonly<Record<string, Omit<OpenApiParameter, 'name' | 'in'>>> = {
  since: {
    description: 'From this instant, day (UTC) or relative day on.',
    schema: text,
    example: 'today-30d',
  },
  until: {
    description: 'Before this instant, day (UTC) or relative day.',
    schema: text,
    example: '2999-01-01',
  },
  action: { description: 'Only these actions, comma-separated.', schema: text, example: 'login,keys.issue' },
  key: {
    description: 'Only entries of these API keys, by id, comma-separated.',
    schema: text,
    example: '4f1c2a9b',
  },
  outcome: {
    description: 'Only entries that ended so: `ok` or `refused`.',
    schema: text,
    example: 'refused',
  },
  id: { description: 'Only roots of these numbers, comma-separated.', schema: text, example: '17,18' },
  after_root: {
    description:
      'Only after the root of this number. To go on where you ended, give the newest root you have.',
    schema: text,
    example: '16',
  },
  limit: {
    description: 'Number of rows on a page. An export has no limit unless this is given.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxLimit, default: defaultLimit },
    example: defaultLimit,
  },
  cursor: {
    description:
      '`page.next_cursor` of the answer before, unchanged, with the same filters. Not with an export.',
    schema: { type: 'string', minLength: 1, maxLength: maxHeadBytes },
    example: 'AXq3x0a2c0F1WyIyMDI2LTA0LTI1VDExOjAyOjAzLjQ1Njc4OVoiLCI0Mzg1ZGNlMmE5ZWY2MjJiIl0',
  },
  format: {
    description: 'Overrides the header Accept. `ndjson` exports the whole list.',
    schema: { type: 'string', enum: ['json', 'ndjson'] },
    example: 'json',
  },
}

/** Throws if a parameter has no description here. */
const listParameters = (list: TrailList): OpenApiParameter[] =>
  [...trailReaders(list, false).keys()].map((name) => {
    const described = parameters[name]
    if (!described) throw new Error(`the parameter ${name} has no description`)
    return { name, in: 'query', ...described }
  })

const tag = { name: 'Audit', description: 'Who looked, with proofs' }
const headers = [
  ...commonHeaders,
  ...limitHeaders,
  'Content-Disposition',
  'Data-As-Of',
  'Link',
  'Vary',
] as const
const onlyNamed = 'A key has the scope only if it was issued with it by name.'

/** `GET /v1/audit`. */
export const describeAudit: Description = {
  operationId: 'listAuditEntries',
  summary: 'List who looked',
  description:
    "The customer's own entries of the audit trail, newest first: logins, refusals, changes of keys, reads counted " +
    'by the minute, and what the operator did. An entry appears within 90 seconds. The proof of an entry leads to a ' +
    'signed root. As NDJSON, the answer is the whole list from one snapshot, and costs ten of `minute`. Reading the ' +
    `trail is an entry, too. ${onlyNamed}`,
  tag,
  parameters: listParameters(entryList),
  errors: ['query', 'cursor'],
  answer: {
    description: 'The entries, newest first',
    lines: { type: linesType, schema: auditEntries.line },
    headers,
  },
}

/** `GET /v1/audit/roots`. */
export const describeAuditRoots: Description = {
  operationId: 'listAuditRoots',
  summary: 'List signed roots',
  description:
    'The signed roots of the trees over all entries of the trail, newest first. A root names the statement before it, ' +
    'so that none can be taken out. The roots are the same for all customers, and tell nothing of their entries. ' +
    onlyNamed,
  tag,
  parameters: listParameters(rootList),
  errors: ['query', 'cursor'],
  answer: {
    description: 'The roots, newest first',
    lines: { type: linesType, schema: auditRoots.line },
    headers,
  },
}
