import { z } from 'zod'

export type FieldKind = {
  kind: 'text' | 'date' | 'instant' | 'integer' | 'boolean' | 'json'
  /** False for an array of objects, which is `json`. */
  array: boolean
  nullable: boolean
  /** The values of an enum. `undefined` for other types. */
  values?: readonly string[]
  element: z.ZodType
}

/** PostgreSQL's type of a parameter. Columns of kind `json` are composite types (see `columnFromJson`). */
export const columnTypes: Readonly<Record<FieldKind['kind'], string>> = {
  text: 'text',
  date: 'date',
  instant: 'timestamptz',
  integer: 'integer',
  boolean: 'boolean',
  json: 'jsonb',
}

/** Derives a field's kind from its schema. Throws on a type without a column type. */
export const getKind = (schema: z.ZodType): FieldKind => {
  if (schema instanceof z.ZodNullable) {
    return { ...getKind(schema.unwrap() as z.ZodType), nullable: true }
  }
  if (schema instanceof z.ZodArray) {
    const inner = getKind(schema.element as z.ZodType)
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
