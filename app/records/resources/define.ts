import type { z } from 'zod'
import { type FieldKind, getKind } from './kind.ts'

/**
 * Each definition adds its name, as Fastify's plugins add their decorators. See
 * docs/decisions/0259-resources-are-found-in-their-folder.md.
 */
// biome-ignore lint/suspicious/noEmptyInterface: definitions merge with it.
export interface ResourceNames {}

export type ResourceName = keyof ResourceNames

/** `equal`: eq ne in nin, null if stored (on arrays: all). `range` adds gt gte lt lte, `prefix`: prefix. */
export type FilterKind = 'equal' | 'range' | 'prefix'

/**
 * SQL over the row `r` with `:day` (date), `:window` (days) and `:customer` (text). `where`: the condition for
 * each value, for filters. Every row meets exactly one.
 */
export type ComputedField = { select: string; where?: Readonly<Record<string, string>> }

export type Edge = Readonly<{ column: string; at: string }>

export type Include<Name = string> = Readonly<{ resource: ResourceName; by: Name }>

/** The effect of a value on the sale of a product. `by_certificate`: only a valid certificate lets it be sold. */
export type MarketOutcome = 'allowed' | 'by_certificate' | 'undecided' | 'refused'

type By<Name extends string, Value> = { readonly [name in Name]?: Value }

type Definition<Name extends string> = {
  /** The name of the file, the exported constant and the table, and the path below `/v1`. */
  name: ResourceName
  /** A lower rank comes first in lists and documents. */
  rank: number
  /**
   * Part of the keys of cached answers, so that no release serves the answers of another one. Raised with each change
   * of an answer: see docs/decisions/0210-versions-are-raised-by-hand.md.
   */
  version: number
  noun: string
  /** Describes the records on the start page, without a full stop. */
  contents: string
  includes: Readonly<Record<string, Include<Name>>>
  filters: By<Name, FilterKind>
  sorts: readonly Name[]
  defaultSort: Name | `-${Name}`
  computed: By<Name, ComputedField>
  /** Whether answers depend on the day, so that `on` and `expiring_within` apply. */
  computedForDay: boolean
  /**
   * Computed fields whose changes without a write the feed reports. Between two days (or windows) they change
   * only in rows in which an edge's `column` is between the two values of `at`. Each `column` has an index
   * after the customer. Edges of one column ascend by `at`.
   */
  flips?: { fields: readonly Name[]; edges: readonly Edge[] }
  /** Whether the product of a record may be sold in its country, by field and value. */
  market?: By<Name, Readonly<Record<string, MarketOutcome>>>
  /** Arrays that are also in the indexed table `elements`. */
  elements: readonly Name[]
  /** Fields that `q` searches. The triggers of `00-record-table.sql` store their words. */
  search: readonly Name[]
  /** Resources whose changes affect this resource's answers, without includes. */
  reads: readonly ResourceName[]
  /** Reference data: one row for all customers, without `customer_id`. */
  reference?: true
  importing: {
    required: readonly Name[]
    /** Values of missing fields, also of existing records. Other fields become null or `[]`. */
    initial: By<Name, string | number>
    /** Missing fields that copy another field's value. */
    sameAs: Readonly<Record<string, Name>>
    /** Next states by field and state. The import warns if no path leads to the new state. */
    expectedTransitions: By<Name, Readonly<Record<string, readonly string[]>>>
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

export type Resource = Definition<string> & { schema: z.ZodObject; fields: ReadonlyMap<string, Field> }

/** Adds the fields, in the schema's order. */
export const defineResource = <Schema extends z.ZodObject>(
  definition: Definition<keyof Schema['shape'] & string> & { schema: Schema },
): Resource => {
  const { schema, elements, computed, filters, sorts }: Omit<Resource, 'fields'> = definition
  const fields = Object.entries<z.ZodType>(schema.shape).map(([name, type]): [string, Field] => {
    const kind = getKind(type)
    const sortColumn = kind.nullable ? `${name}_sort` : name
    const field = {
      ...kind,
      name,
      schema: type,
      indexedElements: elements.includes(name),
      computed: computed[name],
      filter: filters[name],
      sortColumn: sorts.includes(name) ? sortColumn : undefined,
    }
    return [name, field]
  })
  return { ...definition, fields: new Map(fields) }
}

/** Whether `id` can be the id of a record. An invalid id is not sent to the database. */
export const isId = ({ fields }: Resource, id: string): boolean =>
  fields.get('id')?.element.safeParse(id).success === true

/** Returns a text that changes with the version of each of these resources. For keys of answers that read them. */
export const joinVersions = (resources: readonly Resource[]): string =>
  resources.map(({ version }) => version).join('.')
