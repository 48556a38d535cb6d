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

/** The same of a field as PostgreSQL's own JSON has to show it. */
export const shown = (field: Field): string =>
  field.kind === 'instant' ? instantText(storedValue(field)) : storedValue(field)

const selectList = (
  fields: readonly Field[],
  bindings: Bindings,
  columnOf: (field: Field) => string,
): RawBuilder<unknown> =>
  sql.join(
    fields.map((field) => {
      const value = field.computed
        ? bindExpression(field.computed.select, bindings)
        : sql.raw(columnOf(field))
      return sql`${value} as ${sql.ref(field.name)}`
    }),
  )

/** The fields of an answer, in the schema's order; `names` undefined = all. */
export const chosenFields = ({ fields }: Resource, names: readonly string[] | undefined): Field[] =>
  [...fields.values()].filter(({ name }) => !names || names.includes(name))

/**
 * The response schema compiled to a select list: its fields, in its order, in its formats, so that
 * PostgreSQL writes the JSON that the schema would. `fields` undefined = all.
 */
export const projection = (
  resource: Resource,
  fields: readonly string[] | undefined,
  bindings: Bindings,
): RawBuilder<unknown> => selectList(chosenFields(resource, fields), bindings, shown)

/** The same fields in the same order, each as it is stored: for `record_send`, of which `record-json.ts` makes JSON. */
export const recordProjection = (
  resource: Resource,
  fields: readonly string[] | undefined,
  bindings: Bindings,
): RawBuilder<unknown> => selectList(chosenFields(resource, fields), bindings, ({ name }) => `r.${name}`)
