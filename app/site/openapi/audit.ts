import { auditEntries, auditRoots } from '../../../schemas/audit.ts'
import { linesType } from '../../export/json-lines.ts'
import { entryList, rootList, type TrailList } from '../../operator/trail/lists.ts'
import { trailReaders } from '../../operator/trail/query.ts'
import type { Description } from './description.ts'
import { choice, cursor, limit, queryParameters, text } from './parameters.ts'

const parameters = {
  since: text('At or after this instant or day (UTC). Also relative: `today-30d`.', 'today-30d'),
  until: text('Before this instant or day (UTC). Also relative to today.', '2999-01-01'),
  action: text('Any of these actions, separated by commas.', 'login,keys.issue'),
  key: text('Any of these API keys, by id, separated by commas.', '4f1c2a9b'),
  outcome: text('`ok` or `refused`.', 'refused'),
  id: text('Any of these numbers of roots, separated by commas.', '17,18'),
  after_root: text('Roots after this number. To continue, send the number of your newest root.', '16'),
  limit: limit('Number of rows on a page. Without it, an export has no limit.'),
  cursor: cursor('with the same filters. Not with an export.'),
  format: choice('Overrides the header Accept. `ndjson` exports the whole list.', ['json', 'ndjson']),
}

const describeList = (list: TrailList) =>
  ({
    tag: { name: 'Audit', description: 'The audit trail of the customer, with proofs' },
    parameters: queryParameters(trailReaders(list, false).keys(), parameters),
    errors: ['query', 'cursor'],
    headers: ['Content-Disposition', 'Data-As-Of'],
  }) as const

export const describeAudit: Description = {
  ...describeList(entryList),
  operationId: 'listAuditEntries',
  summary: 'List the entries of the audit trail',
  description:
    "The customer's entries of the audit trail, newest first: logins, refusals, changes of keys, reads counted by the " +
    'minute, and actions of the operator. An entry appears within 90 seconds. Its proof leads to a signed root. NDJSON ' +
    'returns the whole list from one snapshot and costs ten units of `minute`. Reading the trail adds an entry, too. ' +
    'A key has this scope only if it was issued with it by name.',
  answer: 'The entries, newest first',
  lines: { type: linesType, schema: auditEntries.line },
}

export const describeAuditRoots: Description = {
  ...describeList(rootList),
  operationId: 'listAuditRoots',
  summary: 'List signed roots',
  description:
    'The signed roots of the trees over all entries of the trail, newest first. Each root contains the statement of ' +
    'the previous root, so that none can be removed. All customers get the same roots, which reveal no entries. ' +
    'A key has this scope only if it was issued with it by name.',
  answer: 'The roots, newest first',
  lines: { type: linesType, schema: auditRoots.line },
}
