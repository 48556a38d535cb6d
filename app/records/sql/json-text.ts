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

/** A set-returning function in FROM gives the elements in their order, and string_agg keeps it. */
const arrayText = (schema: z.ZodArray, value: string): string =>
  `(select '[' || coalesce(string_agg(${compactText(schema.element as z.ZodType, 'e.v')}, ','), '') || ']'
    from jsonb_array_elements(${value}) e (v))`

/** What does not have the schema's type is shown as it is stored. */
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
 * The SQL expression that writes a `jsonb` column as answers have it: without spaces, the members in the schema's
 * order. PostgreSQL keeps neither. Its type is `json`, so that the text goes into every answer unchanged.
 * See docs/decisions/0075-objects-are-ordered-at-reading.md.
 */
export const compactJson = (schema: z.ZodType, column: string): string =>
  `(${compactText(schema, column)})::json`
