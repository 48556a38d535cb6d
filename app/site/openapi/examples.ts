import { z } from 'zod'
import { joinList } from '../../http/pairs.ts'
import type { Field } from '../../records/resources/define.ts'

/** Returns an example for a schema, composed of its fields' examples. Optional members are omitted. */
export const exampleOf = (schema: z.ZodType): unknown => {
  const examples = schema.meta()?.examples as unknown[] | undefined
  if (examples && examples.length > 0) return examples[0]
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element as z.ZodType)]
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape as Record<string, z.ZodType>)
    const present = members.filter(([, member]) => !(member instanceof z.ZodOptional))
    return Object.fromEntries(present.map(([name, member]) => [name, exampleOf(member)]))
  }
  throw new Error(`a schema of type ${schema.type} needs an example`)
}

const valuesOf = (field: Field): [string, ...string[]] => {
  const own = [exampleOf(field.schema)].flat().filter((value) => value !== null)
  const [first = '2026-01-31', ...others] = new Set([...own.map(String), ...(field.values ?? [])])
  return [first, ...others]
}

/** Returns an example of a filter value that the query grammar accepts. */
export const filterExample = (field: Field, operator: string, isList: boolean): string => {
  const values = valuesOf(field)
  if (operator === 'null') return 'true'
  if (operator === 'prefix') return values[0].slice(0, Math.ceil(values[0].length / 2))
  return isList ? joinList(values.slice(0, 2)) : values[0]
}
