import { z } from 'zod'

const unwrap = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable ? unwrap(schema.unwrap() as z.ZodType) : schema

const objectText = (schema: z.ZodObject, value: string): string => {
  const members = Object.entries(schema.shape).map(([name, member]) => {
    const text = compactText(member as z.ZodType, `(${value} -> '${name}')`)
    return `'${JSON.stringify(name)}:' || coalesce(${text}, 'null')`
  })
  return `'{' || ${members.join(` || ',' || `)} || '}'`
}

/** A set-returning function in FROM keeps the elements' order, and so does string_agg. */
const arrayText = (schema: z.ZodArray, value: string): string =>
  `(select '[' || coalesce(string_agg(${compactText(schema.element as z.ZodType, 'e.v')}, ','), '') || ']'
    from jsonb_array_elements(${value}) e (v))`

/** A value of another type than the schema's is shown as it is stored. */
const compactText = (nullable: z.ZodType, value: string): string => {
  const schema = unwrap(nullable)
  const asStored = `(${value})::text`
  if (schema instanceof z.ZodObject) {
    return `case jsonb_typeof(${value}) when 'object' then ${objectText(schema, value)} else ${asStored} end`
  }
  if (schema instanceof z.ZodArray) {
    return `case jsonb_typeof(${value}) when 'array' then ${arrayText(schema, value)} else ${asStored} end`
  }
  return asStored
}

/**
 * Returns SQL that writes a `jsonb` column without spaces and in the schema's order; PostgreSQL keeps
 * neither. Its type is `json`, so that answers contain the text unchanged.
 * See docs/decisions/0075-objects-are-ordered-at-reading.md.
 */
export const compactJson = (schema: z.ZodType, column: string): string =>
  `(${compactText(schema, column)})::json`
