import { sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import type { Field, Resource } from '../resources/define.ts'
import type { Sql } from './column.ts'
import { customer, setting } from './session.ts'

/** `day`: YYYY-MM-DD, or SQL of type date. `window`: days; `undefined`: the customer's setting. */
export type Bindings = { day: string | Sql; window: number | undefined }

const isSql = (day: string | Sql): day is Sql => typeof day === 'object' && 'toOperationNode' in day

const parameters = /:(day|window|customer)\b/

/** Binds the parameters of an expression of `resources/`. */
export const bindExpression = (text: string, bindings: Bindings): Sql => {
  const parts = text.split(parameters).map((part, index) => {
    if (index % 2 === 0) return sql.raw(part)
    if (part === 'day') return isSql(bindings.day) ? bindings.day : sql`${bindings.day}::date`
    if (part === 'customer') return customer
    return bindings.window === undefined ? setting : sql`${bindings.window}::integer`
  })
  return sql.join(parts, sql.raw(''))
}

/** Returns a stored field's column. See docs/decisions/0135-objects-are-composite-types.md for objects. */
export const storedValue = ({ name, kind }: Field): string =>
  kind === 'json' ? `to_json(r.${name})` : `r.${name}`

/** Converts SQL of type jsonb to the type of a resource's column. */
export const columnFromJson = (resource: Resource, name: string, json: string): string =>
  `(jsonb_populate_record(null::${resource.name}, jsonb_build_object('${name}', ${json}))).${name}`

/** Returns the SQL of a field's value for answers, over the row `r`. */
export const fieldValue = (field: Field, bindings: Bindings): Sql => {
  if (field.computed) return bindExpression(field.computed.select, bindings)
  // PostgreSQL's JSON of an instant depends on the session's settings.
  return sql.raw(field.kind === 'instant' ? instantText(`r.${field.name}`) : storedValue(field))
}

/** Compiles the response schema to a select list over the row `r`. `names`: `undefined` for all fields. */
export const projection = (
  { fields }: Resource,
  names: readonly string[] | undefined,
  bindings: Bindings,
): Sql => {
  const chosen = [...fields.values()].filter(({ name }) => !names || names.includes(name))
  return sql.join(chosen.map((field) => sql`${fieldValue(field, bindings)} as ${sql.ref(field.name)}`))
}
