import type { z } from 'zod'
import type { ResourceName } from '../../../schemas/resource-name.ts'
import { type FieldKind, getKind } from './kind.ts'

export type { ResourceName }

/** `equal`: eq ne in nin, and null (on arrays: all). `range` adds gt gte lt lte, `prefix` adds prefix. */
export type FilterKind = 'equal' | 'range' | 'prefix'

/**
 * SQL over the row `r` with `:day` (date), `:window` (days) and `:customer` (text). `where`: the condition for
 * each value, for filters. Every row meets exactly one.
 */
export type ComputedField = { select: string; where?: Readonly<Record<string, string>> }

export type Edge = Readonly<{ column: string; at: string }>

export type ResourceDefinition = {
  name: ResourceName
  noun: string
  schema: z.ZodObject
  includes: Readonly<Record<string, { resource: ResourceName; by: string }>>
  filters: Readonly<Record<string, FilterKind>>
  sorts: readonly string[]
  defaultSort: string
  computed: Readonly<Record<string, ComputedField>>
  /** Whether answers depend on the day, so that `on` and `expiring_within` apply. */
  computedForDay: boolean
  /**
   * Computed fields that change without a write. Between two days (or windows) they change only in rows in
   * which an edge's `column` is between the two values of `at`. Each `column` has an index after the customer.
   * Edges of one column ascend by `at`.
   */
  flips?: { fields: readonly string[]; edges: readonly Edge[] }
  /** Arrays that are also in the indexed table `elements`. */
  elements: readonly string[]
  /** Fields that `q` searches. The triggers of `04-words.sql` store their words. */
  search: readonly string[]
  /** Resources whose changes affect this resource's answers, without includes. */
  reads: readonly ResourceName[]
  /** Reference data: one row for all customers, without `customer_id`. */
  reference?: true
  importing: {
    required: readonly string[]
    /** Values of missing fields. Others become null or `[]`. */
    initial: Readonly<Record<string, string | number>>
    /** Missing fields that copy another field's value. */
    sameAs: Readonly<Record<string, string>>
    /** Next states by field and state. The import warns if no path leads to the new state. */
    transitions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  }
}

export type Field = FieldKind & {
  name: string
  schema: z.ZodType
  computed?: ComputedField | undefined
  filter?: FilterKind | undefined
  /** NOT NULL column in which null is the greatest value. `undefined` if not sortable. */
  sortColumn?: string | undefined
  indexedElements: boolean
}

export type Resource = ResourceDefinition & { fields: ReadonlyMap<string, Field> }

/** Adds the fields, in the schema's order. Throws if the definition names an unknown field. */
export const defineResource = (definition: ResourceDefinition): Resource => {
  const fields = new Map<string, Field>()
  for (const [name, schema] of Object.entries(definition.schema.shape) as [string, z.ZodType][]) {
    const kind = getKind(schema)
    const sortColumn = kind.nullable ? `${name}_sort` : name
    fields.set(name, {
      ...{ ...kind, name, schema, indexedElements: definition.elements.includes(name) },
      ...{ computed: definition.computed[name], filter: definition.filters[name] },
      sortColumn: definition.sorts.includes(name) ? sortColumn : undefined,
    })
  }
  const named = [
    ...Object.keys(definition.filters),
    ...definition.sorts,
    ...Object.keys(definition.computed),
    ...(definition.flips?.fields ?? []),
    ...definition.elements,
    ...definition.search,
    ...Object.values(definition.includes).map((include) => include.by),
    ...definition.importing.required,
    ...Object.keys(definition.importing.initial),
  ]
  const unknown = named.filter((name) => !fields.has(name))
  if (unknown.length > 0) throw new Error(`${definition.name}: no such field: ${unknown.join(', ')}`)
  return { ...definition, fields }
}
