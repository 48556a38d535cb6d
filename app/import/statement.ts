import type { Resource } from '../records/resources/define.ts'
import type { FieldKind } from '../records/resources/kind.ts'
import type { ParsedLine } from './line.ts'
import { listStoredFields } from './record.ts'

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

/** What a row has beside the record's own fields. */
const ownColumns = ['import_line', 'customer_id', 'customer_name'] as const
const ownTypes = ['integer', 'text collate "C"', 'text']

/**
 * The input rows: an array of texts for each column, which no number of parameters limits. JSON would name every
 * field of every row, and take PostgreSQL four times as long to read.
 */
export const inputRows = (resource: Resource): string => {
  const fields = listStoredFields(resource)
  const names = [...ownColumns, ...fields.map(({ name }) => name)]
  const types = [...ownTypes, ...fields.map(columnType)]
  const selected = names.map((name, index) => `u.${name}::${types[index]} as ${name}`)
  const arrays = names.map((_, index) => `$${index + 1}::text[]`)
  return `(select ${selected.join(', ')} from unnest(${arrays.join(', ')}) as u (${names.join(', ')})) i`
}

const toText = (value: unknown, { array }: FieldKind): string | null => {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (array) return toArrayText(value as string[])
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const special = /["\\]/
const quoteElement = (value: string | null): string => {
  if (value === null) return 'NULL'
  return special.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
}

/** Writes an array as text. See PostgreSQL's manual, "Array Input and Output Syntax". */
const toArrayText = (values: readonly (string | null)[]): string => `{${values.map(quoteElement).join(',')}}`

/** The parameters of `inputRows`: an array for each column, written out as a text. */
export type Input = readonly string[]

/** The rows of one resource as the parameters of `inputRows`. */
export const toInput = (resource: Resource, entries: readonly ParsedLine[]): Input => [
  `{${entries.map(({ line }) => line).join(',')}}`,
  toArrayText(entries.map(({ key }) => key.customer)),
  toArrayText(entries.map(({ customerName }) => customerName)),
  ...listStoredFields(resource).map((field) =>
    toArrayText(entries.map(({ record }) => toText(record[field.name], field))),
  ),
]

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
 * Returns the statement that writes rows of one resource, each key once. It inserts unknown rows and updates
 * changed ones. It does not touch unchanged rows, so they cause no index write, trigger or event. It creates
 * customers that do not exist. With `remember` it notes every key in `import_seen`. Rows are written in the order
 * of their keys, so concurrent imports wait for each other and do not deadlock.
 */
export const upsertStatement = (resource: Resource, remember: boolean): string => {
  const key = listKeyColumns(resource)
  const fields = listStoredFields(resource).map((field) => field.name)
  const columns = [...new Set([...key, ...fields])]
  const values = fields.filter((name) => !key.includes(name))
  const list = (names: string[], alias = '') => names.map((name) => `${alias}${name}`).join(', ')
  const states = Object.keys(resource.importing.transitions)
  const before = states.map((name) => `'${name}', before_${name}`)
  const owned = !resource.reference
  return `
with input as materialized (select * from ${inputRows(resource)}),
compared as materialized (
  select i.*, r.id is null as created,
    (${list(values, 'r.')}) is distinct from (${list(values, 'i.')}) as differs${states.map((name) => `, r.${name} as before_${name}`).join('')}
  from input i left join ${resource.name} r on ${key.map((name) => `r.${name} = i.${name}`).join(' and ')}
)${owned ? newCustomers : ''}${owned && remember ? seenRecords(resource) : ''}, written as (
  insert into ${resource.name} (${list(columns)})
  select ${list(columns)} from compared where created or differs order by ${list(key)}
  on conflict (${list(key)}) do update set ${values.map((name) => `${name} = excluded.${name}`).join(', ')}
)
select import_line as line, created, case when not created then json_build_object(${before.join(', ')}) end as before,
  ${owned ? '(select count(*)::integer from new_customers)' : '0'} as customers_created
from compared where created or differs`
}
