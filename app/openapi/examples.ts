import { z } from 'zod'
import type { Field } from '../records/resources/define.ts'

/** Returns or composes an example, without optional members. Throws if a member has none. */
export const getExample = (schema: z.ZodType): unknown => {
  const examples = schema.meta()?.examples as unknown[] | undefined
  if (examples && examples.length > 0) return examples[0]
  if (schema instanceof z.ZodNull) return null
  if (schema instanceof z.ZodNullable) return getExample(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodUnion) return getExample(schema.options[0] as z.ZodType)
  if (schema instanceof z.ZodArray) return [getExample(schema.element as z.ZodType)]
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape as Record<string, z.ZodType>)
    const present = members.filter(([, member]) => !(member instanceof z.ZodOptional))
    return Object.fromEntries(present.map(([name, member]) => [name, getExample(member)]))
  }
  throw new Error(`a schema of type ${schema.type} needs an example`)
}

/** Returns the examples of a field as text; for an array, the examples of its elements. */
export const listExamples = ({ schema }: Field): string[] =>
  ((schema.meta()?.examples ?? []) as unknown[])
    .flat()
    .flatMap((value) => (value === null ? [] : String(value)))
