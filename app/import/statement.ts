import type { Resource } from '../resources/define.ts'
import type { FieldKind } from '../resources/kind.ts'
import { listStoredFields } from './record.ts'
import { listStateFields } from './transitions.ts'

const columnTypes: Record<FieldKind['kind'], string> = {
  text: 'text',
  date: 'date',
  instant: 'timestamptz',
  integer: 'integer',
  boolean: 'boolean',
  json: 'jsonb',
}

/** Collation "C" as the tables have it: two collations in one comparison are an error. */
const columnType = ({ kind, array }: FieldKind) =>
  `${columnTypes[kind]}${array ? '[]' : ''}${kind === 'text' ? ' collate "C"' : ''}`

/** The columns of a record's primary key. */
export const listKeyColumns = (resource: Resource): string[] =>
  resource.reference ? ['id'] : ['customer_id', 'id']

/** A row of `$1`, next to the record's own fields. */
export type InputRow = { import_line: number; customer_id: string; customer_name: string }

/** The input rows: one JSON array, which no number of parameters limits. */
export const inputRows = (resource: Resource): string => {
  const fields = listStoredFields(resource).map((field) => `${field.name} ${columnType(field)}`)
  return `json_to_recordset($1::json) as i (
    import_line integer, customer_id text collate "C", customer_name text, ${fields.join(', ')})`
}

/** What the statement answers for each line that created or changed a record. */
export type ChangedRow = {
  line: number
  created: boolean
  customers_created: number
  /** State fields before, by name; null for a new record. */
  before: Record<string, string> | null
}

const newCustomers = `, new_customers as (
  insert into customers (customer_id, name)
  select distinct on (customer_id) customer_id, customer_name from compared where created
  order by customer_id, import_line
  on conflict do nothing
  returning customer_id
)`

const seenRecords = (resource: Resource) => `, seen as (
  insert into import_seen (resource, customer_id, id, created)
  select '${resource.name}', customer_id, id, created from compared
  on conflict do nothing
)`

/**
 * The statement that takes rows of one resource, each key once, into the table: unknown ones are inserted,
 * changed ones updated, the others not touched, so that they cost no index, trigger or event. Customers
 * that do not exist are created; `remember` notes every key in `import_seen`. Rows go in by key, so that
 * imports that run side by side wait for each other rather than deadlock.
 */
export const upsertStatement = (resource: Resource, remember: boolean): string => {
  const key = listKeyColumns(resource)
  const fields = listStoredFields(resource).map((field) => field.name)
  const columns = [...new Set([...key, ...fields])]
  const values = fields.filter((name) => !key.includes(name))
  const list = (names: string[], alias = '') => names.map((name) => `${alias}${name}`).join(', ')
  const before = listStateFields(resource).map((name) => `'${name}', r.${name}`)
  const owned = !resource.reference
  return `
with input as materialized (select * from ${inputRows(resource)}),
compared as materialized (
  select i.*, r.id is null as created,
    (${list(values, 'r.')}) is distinct from (${list(values, 'i.')}) as differs,
    case when r.id is not null then json_build_object(${before.join(', ')}) end as before
  from input i left join ${resource.name} r on ${key.map((name) => `r.${name} = i.${name}`).join(' and ')}
)${owned ? newCustomers : ''}${owned && remember ? seenRecords(resource) : ''}, written as (
  insert into ${resource.name} (${list(columns)})
  select ${list(columns)} from compared where created or differs order by ${list(key)}
  on conflict (${list(key)}) do update set ${values.map((name) => `${name} = excluded.${name}`).join(', ')}
)
select import_line as line, created, before,
  ${owned ? '(select count(*)::integer from new_customers)' : '0'} as customers_created
from compared where created or differs`
}
