import { auditEntries } from '../../../schemas/audit-list.ts'
import { linesType } from '../../export/json-lines.ts'
import type { Description } from '../../openapi/description.ts'
import { choice, cursor, limit, queryParameters, text } from '../../openapi/parameters.ts'
import { trailReaders } from './query.ts'

const parameters = {
  since: text('At or after this instant or day (UTC). Also relative: `today-30d`.', 'today-30d'),
  until: text('Before this instant or day (UTC). Also relative to today.', '2999-01-01'),
  action: text('Any of these actions, separated by commas.', 'login,keys.issue'),
  key: text('Any of these API keys, by id, separated by commas.', '4f1c2a9b'),
  outcome: text('`ok` or `refused`.', 'refused'),
  after: text('Entries after this number. To continue, send the number of your newest entry.', '40'),
  limit: limit('Number of rows on a page. Without it, an export has no limit.'),
  cursor: cursor('with the same filters. Not with an export.'),
  format: choice('Overrides the header Accept. `ndjson` exports the whole list.', ['json', 'ndjson']),
}

export const describeAudit: Description = {
  tag: { name: 'Audit', description: 'The audit trail of the customer' },
  parameters: queryParameters(trailReaders(false).keys(), parameters),
  errors: ['query', 'cursor'],
  headers: ['Content-Disposition', 'Data-As-Of'],
  rank: 50,
  operationId: 'listAuditEntries',
  summary: 'List the entries of the audit trail',
  description:
    "The customer's entries of the audit trail, newest first: logins, refusals, changes of keys, reads counted by the " +
    'minute, and actions of the operator. An entry appears within 90 seconds. NDJSON returns the whole list from one ' +
    'snapshot and costs ten units of `minute`. Reading the trail adds an entry, too. A key has this scope only if it ' +
    'was issued with it by name.',
  answer: 'The entries, newest first',
  lines: { type: linesType, schema: auditEntries.line },
}
