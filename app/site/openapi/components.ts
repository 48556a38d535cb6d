import type { z } from 'zod'
import type { SchemaNode } from './description.ts'
import { type Direction, toNamedSchemas } from './json-schema.ts'

type Kind = 'responses' | 'parameters' | 'examples' | 'headers'
type Reference = { readonly $ref: string }

/** Shared parts of the document. Contains only parts that are referred to. */
export type Components = Readonly<{
  refer(kind: Kind, name: string, make: () => SchemaNode): Reference
  referSchema(schema: z.ZodType, direction: Direction): Reference
  /** Returns all parts, sorted by name. Throws if two different schemas have the same name. */
  list(): SchemaNode
}>

const base = '#/components/schemas/'

const sorted = (entries: Iterable<readonly [string, SchemaNode]>): SchemaNode =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))

const listSchemas = (roots: ReadonlyMap<Direction, ReadonlySet<z.ZodType>>): SchemaNode => {
  const named = new Map<string, SchemaNode>()
  for (const [direction, schemas] of roots) {
    for (const [name, node] of toNamedSchemas([...schemas], direction, base)) {
      if (named.has(name)) throw new Error(`${name} is both asked for and answered: give each a name`)
      named.set(name, node)
    }
  }
  return sorted(named)
}

/** Creates an empty collection. */
export const createComponents = (): Components => {
  const nodes = new Map<Kind, Map<string, SchemaNode>>()
  const roots = new Map<Direction, Set<z.ZodType>>()
  return {
    refer(kind, name, make) {
      const ofKind = nodes.get(kind) ?? new Map<string, SchemaNode>()
      nodes.set(kind, ofKind)
      if (!ofKind.has(name)) ofKind.set(name, make())
      return { $ref: `#/components/${kind}/${name}` }
    },
    referSchema(schema, direction) {
      const ofDirection = roots.get(direction) ?? new Set()
      roots.set(direction, ofDirection.add(schema))
      return { $ref: `${base}${schema.meta()?.id}` }
    },
    list: () => ({
      schemas: listSchemas(roots),
      ...Object.fromEntries([...nodes].map(([kind, ofKind]) => [kind, sorted(ofKind)])),
    }),
  }
}
