import { type RawBuilder, sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import type { Field, Resource } from '../resources/define.ts'
import { compactJson } from './json-text.ts'
import { customer, setting } from './session.ts'

/**
 * Parameters of computed expressions. `day`: YYYY-MM-DD, or SQL of type date. `window` undefined = the customer's setting,
 * which the statement reads.
 */
export type Bindings = { day: string | RawBuilder<unknown>; window: number | undefined }

const parameters = /:(day|window|customer)\b/

/** An expression of `resources/` with its named parameters bound. Rows go by the alias `r`. */
export const bindExpression = (text: string, bindings: Bindings): RawBuilder<unknown> => {
  const parts = text.split(parameters).map((part, index) => {
    if (index % 2 === 0) return sql.raw(part)
    if (part === 'day') return typeof bindings.day === 'string' ? sql`${bindings.day}::date` : bindings.day
    if (part === 'customer') return customer
    return bindings.window === undefined ? setting : sql`${bindings.window}::integer`
  })
  return sql.join(parts, sql.raw(''))
}

/** The column of a stored field over the row alias `r`; objects in the form that answers have. */
export const storedValue = ({ name, kind, schema }: Field): string =>
  kind === 'json' ? compactJson(schema, `r.${name}`) : `r.${name}`

/** The same, with instants as text: PostgreSQL's JSON would show them in the session's form. */
export const shown = (field: Field): string =>
  field.kind === 'instant' ? instantText(storedValue(field)) : storedValue(field)

/** The fields of an answer, in the schema's order; `names` undefined = all. */
export const chosenFields = ({ fields }: Resource, names: readonly string[] | undefined): Field[] =>
  [...fields.values()].filter(({ name }) => !names || names.includes(name))

/** The SQL of a field's value over the row alias `r`, in the form that answers show. */
export const fieldValue = (field: Field, bindings: Bindings): RawBuilder<unknown> =>
  field.computed ? bindExpression(field.computed.select, bindings) : sql.raw(shown(field))

/**
 * The response schema compiled to a select list: its fields, in its order and formats, so that PostgreSQL writes the
 * JSON that the schema describes. `fields` undefined = all.
 */
export const projection = (
  resource: Resource,
  fields: readonly string[] | undefined,
  bindings: Bindings,
): RawBuilder<unknown> =>
  sql.join(
    chosenFields(resource, fields).map(
      (field) => sql`${fieldValue(field, bindings)} as ${sql.ref(field.name)}`,
    ),
  )
