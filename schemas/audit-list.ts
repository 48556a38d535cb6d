import { z } from 'zod'
import { field, instant } from './fields.ts'
import { createPageSchema } from './page.ts'

const nullable = (description: string, example: string | null) =>
  field(z.string().nullable(), description, example)

const entry = z
  .strictObject({
    action: field(
      z.string(),
      'The action: `login`, `reads`, `keys.issue`, `customers.export` and others',
      'login',
    ),
    actor: field(
      z.enum(['key', 'operator', 'system', 'anonymous', 'demo']),
      'The actor. `operator`: the certification house',
      'key',
    ),
    at: field(instant, 'When the entry was written', '2026-11-21T16:20:00.123456Z'),
    client: nullable('The network of the client: /24 of IPv4, /48 of IPv6', '192.0.2.0/24'),
    customer: nullable('The customer', 'acme'),
    details: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description:
          'More about the action. Of `reads`: the minute, the resource, a keyed hash of the query, the status, how ' +
          'many requests there were and how many records they got. `query` is null for reads of single records, ' +
          'and for all queries of a key beyond 100 in a minute',
        examples: [
          { count: 3, minute: '2026-11-21T16:20Z', query: null, resource: 'products', rows: 9, status: 200 },
        ],
      }),
    key: nullable('Id of the API key', '4f1c2a9b'),
    number: field(
      z.int().positive(),
      'Counts the entries of the customer from 1 without gaps: a missing number is a missing entry',
      41,
    ),
    outcome: field(
      z.enum(['ok', 'refused']),
      'The result. For `reads`: `refused` for each status of 400 or more',
      'ok',
    ),
    request_id: nullable('The header Request-Id of the answer', '3f0f4c1e-8a0e-4f43-9d0c-6f1d6a5c2b7a'),
    subject: nullable('The object of the action: the id of a key, the name of an endpoint', null),
  })
  .meta({ id: 'AuditFacts', description: 'The action and its circumstances' })

const auditEntry = z
  .strictObject({
    id: field(z.string(), 'The number of the entry', '41'),
    entry,
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit trail' })

export const auditEntries = { line: auditEntry, page: createPageSchema(auditEntry, {}, false) }
