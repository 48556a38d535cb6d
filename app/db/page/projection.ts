import { type RawBuilder, sql } from 'kysely'
import type { Field, Resource } from '../../resources/define.ts'

/** Parameters of computed expressions; `window` undefined = the customer's setting, which the statement reads. */
export type Bindings = { day: string; window: number | undefined }

/** The customer that the statement set for row level security: a column, so that no row is read before. */
export const customer = sql.raw('s.customer_id')

const setting = sql.raw('s.expiring_within')

const parameters = /:(day|window|customer)\b/

/** An expression of `resources/` with its named parameters bound. Rows go by the alias `r`. */
export const bindExpression = (text: string, bindings: Bindings): RawBuilder<unknown> => {
  const parts = text.split(parameters).map((part, index) => {
    if (index % 2 === 0) return sql.raw(part)
    if (part === 'day') return sql`${bindings.day}::date`
    if (part === 'customer') return customer
    return bindings.window === undefined ? setting : sql`${bindings.window}::integer`
  })
  return sql.join(parts, sql.raw(''))
}

/** An instant as answers write it: RFC 3339, UTC, six decimals, whatever the session's time zone. */
export const instantText = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const column = (field: Field, bindings: Bindings): RawBuilder<unknown> => {
  if (field.computed) return bindExpression(field.computed.select, bindings)
  return sql.raw(field.kind === 'instant' ? instantText(`r.${field.name}`) : `r.${field.name}`)
}

/**
 * The response schema compiled to a select list: its fields, in its order, in its formats, so that
 * PostgreSQL writes the JSON that the schema would. `fields` undefined = all.
 */
export const projection = (
  resource: Resource,
  fields: readonly string[] | undefined,
  bindings: Bindings,
): RawBuilder<unknown> => {
  const chosen = [...resource.fields.values()].filter((field) => !fields || fields.includes(field.name))
  return sql.join(chosen.map((field) => sql`${column(field, bindings)} as ${sql.ref(field.name)}`))
}
