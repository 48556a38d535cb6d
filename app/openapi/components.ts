import type { z } from 'zod'
import type { SchemaNode } from './headers.ts'

import { type Direction, toJsonSchema, toNamedSchemas } from './json-schema.ts'

type Kind = 'responses' | 'parameters' | 'examples' | 'headers'

const base = '#/components/schemas/'

const sorted = (entries: Iterable<readonly [string, SchemaNode]>): SchemaNode =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))

/** Collects the shared parts of the document (`components`) while the document refers to them. */
export const createComponents = (publicUrl: string) => {
  const nodes: Partial<Record<Kind, Record<string, SchemaNode>>> = {}
  const roots = { answer: new Set<z.ZodType>(), request: new Set<z.ZodType>() }
  return {
    publicUrl,
    refer(kind: Kind, name: string, make: () => SchemaNode): SchemaNode {
      nodes[kind] ??= {}
      nodes[kind][name] ??= make()
      return { $ref: `#/components/${kind}/${name}` }
    },
    referSchema(schema: z.ZodType, direction: Direction): SchemaNode {
      const id = schema.meta()?.id
      if (id === undefined) return toJsonSchema(schema, direction)
      roots[direction].add(schema)
      return { $ref: `${base}${id}` }
    },
    /** Sorts all parts by name. Throws if a name has two schemas, or is in both requests and answers. */
    list(): SchemaNode {
      const answers = toNamedSchemas([...roots.answer], 'answer', base)
      const requests = toNamedSchemas([...roots.request], 'request', base)
      const twin = requests.find(([name]) => answers.some(([other]) => other === name))
      if (twin) throw new Error(`${twin[0]} is both requested and answered: give each a name`)
      return {
        schemas: sorted([...answers, ...requests]),
        ...Object.fromEntries(
          Object.entries(nodes).map(([kind, parts]) => [kind, sorted(Object.entries(parts))]),
        ),
      }
    },
  }
}

export type Components = ReturnType<typeof createComponents>
