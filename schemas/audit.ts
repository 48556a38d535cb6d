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
  .meta({
    id: 'AuditFacts',
    description: 'The action and its circumstances. The leaf of the tree is the hash of this object',
  })

const proof = z
  .strictObject({
    root: field(z.int().positive(), 'Number of the signed root', 17),
    index: field(z.int().nonnegative(), 'Place of the leaf in the tree, from 0', 1),
    salt: field(z.string(), 'Hashed with the entry; base64url', 'pFYq2Yq1T0mQJ4b0sWk0Vg'),
    path: field(z.array(z.string()), 'Hashes next to the path to the root, the lowest first; base64url', [
      'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
    ]),
  })
  .meta({ id: 'AuditProof', description: 'The path from the entry to a signed root' })

const auditEntry = z
  .strictObject({
    id: field(z.string(), 'The number of the entry', '41'),
    entry,
    proof,
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit trail with its proof' })

const key = z
  .object({
    kty: field(z.string(), 'Always OKP', 'OKP'),
    crv: field(z.string(), 'Always Ed25519', 'Ed25519'),
    x: field(z.string(), 'The public key; base64url', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    kid: field(
      z.string(),
      'Id of the key, as in the header of the statement',
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    ),
  })
  .meta({
    id: 'AuditRootKey',
    description: 'The public key that signed it. The present one is in the key set, too',
  })

const auditRoot = z
  .strictObject({
    id: field(z.string(), 'The number of the root', '17'),
    at: field(instant, 'When it was made', '2026-11-21T16:21:20.123456Z'),
    statement: field(
      z.string(),
      'A JWS: number, time, root and size of the tree, head of the chain, hash of the statement before',
      'eyJhbGciOiJFZERTQSJ9.eyJudW1iZXIiOjE3fQ.c2lnbmF0dXJl',
    ),
    key,
  })
  .meta({ id: 'AuditRoot', description: 'A signed root of the tree of a minute' })

export const auditEntries = { line: auditEntry, page: createPageSchema(auditEntry, {}, false) }

export const auditRoots = { line: auditRoot, page: createPageSchema(auditRoot, {}, false) }
