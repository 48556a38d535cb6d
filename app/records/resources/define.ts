import type { z } from 'zod'
import type { ResourceName } from '../../../schemas/resource-name.ts'
import { type FieldKind, kindOf } from './kind.ts'

export type { ResourceName }

/**
 * What may be asked of a field: `equal` = eq ne in nin null (all on arrays), `range` adds gt gte lt lte,
 * `prefix` adds prefix.
 */
export type FilterKind = 'equal' | 'range' | 'prefix'

/**
 * A field computed at reading. SQL over the row alias `r`, with `:day` (date), `:window` (integer, days)
 * and `:customer` (text) as parameters. `where` partitions the rows by the field's value, in a form that
 * the indexes serve; a field without it cannot be filtered.
 */
export type ComputedField = { select: string; where?: Readonly<Record<string, string>> }

/** A moment that passes over a column as days go by or the window changes. */
export type Edge = Readonly<{ column: string; at: string }>

export type ResourceDefinition = {
  name: ResourceName
  /** Singular, as in a message: "no certificate with this id". */
  noun: string
  schema: z.ZodObject
  /** The name under `included` is the included resource's own; `by` is the field that holds its id. */
  includes: Readonly<Record<string, { resource: ResourceName; by: string }>>
  filters: Readonly<Record<string, FilterKind>>
  sorts: readonly string[]
  defaultSort: string
  computed: Readonly<Record<string, ComputedField>>
  /** Whether `on` and `expiring_within` mean something here, and answers depend on the day. */
  computedForDay: boolean
  /**
   * Computed fields that another day or window changes without a write, and where: the value can differ between
   * two moments only in rows over whose column one of the edges has passed, which lie above the lesser and not
   * above the greater of `at` at both. SQL like that of the fields; an index leads from the customer to `column`.
   * Edges of one column stand in ascending order of `at`.
   */
  flips?: { fields: readonly string[]; edges: readonly Edge[] }
  /** Arrays kept, element by element, in the table `elements`, where an index finds them. */
  elements: readonly string[]
  /**
   * Fields in whose words `q` looks: texts, arrays of texts, and of `authorities` names and abbreviations. Triggers keep
   * their words in the table `record_words` (`04-words.sql`).
   */
  search: readonly string[]
  /** Resources whose changes change this one's answers, itself included; includes add theirs. */
  reads: readonly ResourceName[]
  /** Reference data belongs to nobody: one row for all customers, no `customer_id`. */
  reference?: true
  importing: {
    required: readonly string[]
    /** Values of fields that are missing on import; all others become null, or `[]`. */
    initial: Readonly<Record<string, string | number>>
    /** Fields that take another's value when missing. */
    sameAs: Readonly<Record<string, string>>
    /** Which states may follow a state, by field; the import warns of the rest. */
    transitions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  }
}

export type Field = FieldKind & {
  name: string
  schema: z.ZodType
  computed?: ComputedField
  filter?: FilterKind
  /** Column that orders by this field: NOT NULL, null being the greatest value. Absent: not sortable. */
  sortColumn?: string
  indexedElements: boolean
}

export type Resource = ResourceDefinition & { fields: ReadonlyMap<string, Field> }

/**
 * Completes a definition with its fields, in the schema's order. Throws where the definition names a
 * field that the schema has not: the start fails, not a request.
 */
export const defineResource = (definition: ResourceDefinition): Resource => {
  const fields = new Map<string, Field>()
  for (const [name, schema] of Object.entries(definition.schema.shape) as [string, z.ZodType][]) {
    const kind = kindOf(schema)
    const field: Field = { ...kind, name, schema, indexedElements: definition.elements.includes(name) }
    const computed = definition.computed[name]
    if (computed) field.computed = computed
    const filter = definition.filters[name]
    if (filter) field.filter = filter
    if (definition.sorts.includes(name)) field.sortColumn = kind.nullable ? `${name}_sort` : name
    fields.set(name, field)
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
