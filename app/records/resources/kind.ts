import { z } from 'zod'

/** What a field is to SQL, to the query grammar and to the import, read off its zod type. */
export type FieldKind = {
  kind: 'text' | 'date' | 'instant' | 'integer' | 'boolean' | 'json'
  /** Whether the field is an array of `kind`; arrays of objects are `json`. */
  array: boolean
  nullable: boolean
  /** The known values of an enumeration; absent for open types. */
  values?: readonly string[]
  /** The type of one value: what a filter value is checked against. */
  element: z.ZodType
}

/**
 * Reads the kind of a record's field off its schema, so that no definition says it again.
 * Throws on a type that no table column can hold: that is a fault of the definition, found at start.
 */
export const kindOf = (schema: z.ZodType): FieldKind => {
  if (schema instanceof z.ZodNullable) {
    return { ...kindOf(schema.unwrap() as z.ZodType), nullable: true }
  }
  if (schema instanceof z.ZodArray) {
    const inner = kindOf(schema.element as z.ZodType)
    if (inner.kind === 'json') return { kind: 'json', array: false, nullable: false, element: schema }
    return { ...inner, array: true, nullable: false }
  }
  const scalar = { array: false, nullable: false, element: schema }
  if (schema instanceof z.ZodEnum) return { ...scalar, kind: 'text', values: schema.options as string[] }
  if (schema instanceof z.ZodISODate) return { ...scalar, kind: 'date' }
  if (schema instanceof z.ZodISODateTime) return { ...scalar, kind: 'instant' }
  if (schema instanceof z.ZodString) return { ...scalar, kind: 'text' }
  if (schema instanceof z.ZodNumber) return { ...scalar, kind: 'integer' }
  if (schema instanceof z.ZodBoolean) return { ...scalar, kind: 'boolean' }
  if (schema instanceof z.ZodObject) return { ...scalar, kind: 'json' }
  throw new Error(`no column can hold a field of type ${schema.type}`)
}
