import { sql } from 'kysely'
import type { CustomerTables, KnownTable } from '../../db/customer-tables.ts'
import type { Db } from '../../db/schema.ts'
import { listStoredFields } from '../../import/record.ts'
import type { Resource } from '../../records/resources/define.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'

/** Features with the tables that they add. */
export type FeatureTables = readonly Readonly<{ customerTables?: CustomerTables }>[]

const toKnownTable = (resource: Resource): KnownTable => {
  const sortColumns = [...resource.fields.values()].flatMap(({ sortColumn = '' }) =>
    sortColumn.endsWith('_sort') ? [sortColumn] : [],
  )
  const stored = listStoredFields(resource).map(({ name }) => name)
  return {
    exported: [...new Set(['customer_id', 'id', ...stored]), 'created_at', 'updated_at'],
    internal: ['created_xid', ...sortColumns],
  }
}

const recordTables = resourceNames
  .filter((name) => !resources[name].reference)
  .map((name): [string, KnownTable] => [name, toKnownTable(resources[name])])

const key = ['customer_id', 'key_id']

const kernelTables: readonly (readonly [name: string, KnownTable])[] = [
  [
    'customers',
    {
      exported: ['customer_id', 'name', 'plan', 'suspended_at', 'expiring_within', 'created_at', 'audit_ref'],
      internal: [],
    },
  ],
  ...recordTables,
  [
    'record_history',
    {
      exported: ['customer_id', 'resource', 'record_id', 'position', 'at', 'since', 'old'],
      internal: ['xid'],
    },
  ],
  ['history_begun', { exported: ['customer_id', 'resource', 'since'], internal: [], staysBehind: true }],
  ['removals', { exported: ['customer_id', 'resource', 'changed_at'], internal: ['xid'] }],
  [
    'change_log',
    {
      exported: ['customer_id', 'position', 'resource', 'record_id', 'changed_at'],
      internal: ['xid'],
      staysBehind: true,
    },
  ],
  [
    'api_keys',
    {
      exported: [
        ...key,
        'name',
        'scopes',
        'expires_at',
        'revoked_at',
        'last_used_on',
        'created_at',
        'replaced_by',
        'networks',
        'client_jwks',
        'replaces',
        'overlap',
        'lifetime',
        'rotated_at',
      ],
      proofs: ['secret_sha256'],
      internal: [],
    },
  ],
  [
    'key_links',
    {
      exported: [
        ...key,
        'name',
        'scopes',
        'networks',
        'lifetime',
        'created_at',
        'expires_at',
        'replaces',
        'overlap',
      ],
      proofs: ['secret_sha256'],
      internal: [],
    },
  ],
  ['revoked_tokens', { exported: [...key, 'jti', 'expires_at', 'revoked_at'], internal: [] }],
  ['custom_grants', { exported: ['customer_id', 'name', 'granted', 'changed_at'], internal: [] }],
  [
    'elements',
    { exported: [], internal: ['customer_id', 'resource', 'field', 'value', 'id'], isDerived: true },
  ],
  ['record_words', { exported: [], internal: ['customer_id', 'resource', 'id', 'words'], isDerived: true }],
]

/** Every table of the service with a column `customer_id`, except the audit trail. */
export type KnownTables = ReadonlyMap<string, KnownTable>

/**
 * Lists the tables of the kernel and of features. Fixed lists, so that tables and columns of the operator are in no
 * export. Throws if two of them have the same name.
 */
export const listKnownTables = (features: FeatureTables): KnownTables => {
  const known = new Map(kernelTables)
  for (const [name, table] of features.flatMap(({ customerTables = {} }) => Object.entries(customerTables))) {
    if (known.has(name)) throw new Error(`the table ${name} is listed twice`)
    known.set(name, table)
  }
  return known
}

export type CustomerTable = { name: string; columns: string[] }

const ofTheTrail = '^audit_'

/**
 * Lists every table with a column `customer_id`, also the operator's, `customers` last. The audit trail is handled
 * separately.
 */
export const listCustomerTables = async (db: Db): Promise<CustomerTable[]> => {
  const { rows } = await sql<CustomerTable>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname !~ ${ofTheTrail}
      and exists (
        select from pg_attribute k
        where k.attrelid = c.oid and k.attname = 'customer_id' and not k.attisdropped)
    group by c.relname order by c.relname = 'customers', c.relname`.execute(db)
  return rows
}

/** Lists the tables and columns (`table.column`) of the operator, which no export contains. */
export const listAdditions = async (db: Db, knownTables: KnownTables): Promise<string[]> => {
  const tables = await listCustomerTables(db)
  return tables.flatMap(({ name, columns }) => {
    const known = knownTables.get(name)
    if (known === undefined) return [name]
    const own = new Set([...known.exported, ...(known.proofs ?? []), ...known.internal])
    return columns.filter((column) => !own.has(column)).map((column) => `${name}.${column}`)
  })
}
