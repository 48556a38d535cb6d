import type { SortKey } from '../records/query/query.ts'
import type { Field, Resource, ResourceName } from '../records/resources/define.ts'
import type { TestOperator } from './document.ts'

/** What stands for itself in a document. */
export type Scalar = string | number | boolean | null

/** A parameter that the caller gives. */
export type Parameter = Readonly<{
  name: string
  type: 'integer' | 'string' | 'date' | 'boolean'
  description?: string | undefined
  /** In canonical text. */
  default?: string | undefined
  /** For the description of the API. */
  example?: string | undefined
  min?: string | number | undefined
  max?: string | number | undefined
  values?: readonly string[] | undefined
  /** Without a default it must be given, unless this is true: then what names it falls away. */
  optional: boolean
}>

/** A text with parameters in it: what the query grammar will read as a condition's value. */
export type Template = readonly (string | { param: string })[]

/** A condition of the query grammar, less its parameters. */
export type Where = Readonly<{ name: string; isList: boolean; values: readonly Template[] }>

/** Rows of one resource. */
export type Source = Readonly<{ resource: Resource; where: readonly Where[]; sort: readonly SortKey[] }>

/** What a value is in SQL. */
export type ValueType = 'text' | 'date' | 'instant' | 'integer' | 'number' | 'boolean' | 'json'

/** A field of the row, or of one that is joined to it; `path` leads into a field that is an object. */
export type FieldRef = Readonly<{
  alias: string | undefined
  field: Field
  path: readonly string[]
  type: ValueType
  array: boolean
}>

export type Operand = { literal: Scalar } | { param: string }

export type Test =
  | Readonly<{ kind: 'any' | 'all'; tests: readonly Test[] }>
  | Readonly<{ kind: 'compare'; ref: FieldRef; operator: TestOperator; operands: readonly Operand[] }>

export type Value =
  | Readonly<{ kind: 'field'; ref: FieldRef }>
  | Readonly<{ kind: 'literal'; value: Scalar }>
  | Readonly<{ kind: 'param'; param: Parameter }>
  | Readonly<{ kind: 'concat'; parts: readonly Value[]; separator: string }>
  | Readonly<{
      kind: 'map'
      ref: FieldRef
      values: readonly (readonly [string, Scalar])[]
      otherwise: Scalar
    }>
  /** `format`: PostgreSQL's, of `to_char`. */
  | Readonly<{ kind: 'date'; ref: FieldRef; format: string }>
  | Readonly<{ kind: 'case'; branches: readonly (readonly [Test, Value])[]; otherwise: Value }>
  /** The rows of a to-many join. */
  | Readonly<{ kind: 'items'; join: JoinMany }>

export type Select = readonly (readonly [name: string, value: Value])[]

/** One row of another resource: the one whose id `on` holds. */
export type JoinOne = Readonly<{
  kind: 'one'
  alias: string
  source: Source
  on: FieldRef
  pick: readonly Field[]
}>

/** At most `limit` rows of another resource: those whose `field` holds what `on` does. */
export type JoinMany = Readonly<{
  kind: 'many'
  alias: string
  source: Source
  field: Field
  on: FieldRef
  limit: number
  select: Select
}>

export type Join = JoinOne | JoinMany

/** Rows that are shown. */
export type Rows = Readonly<{ source: Source; joins: readonly Join[]; select: Select; limit: number }>

export type Node =
  | Readonly<{ kind: 'object'; members: readonly (readonly [name: string, node: Node])[] }>
  | Readonly<{ kind: 'literal'; value: Scalar }>
  | Readonly<{ kind: 'param'; param: Parameter }>
  | Readonly<{ kind: 'count' | 'exists'; source: Source }>
  | Readonly<{ kind: 'sum' | 'min' | 'max' | 'avg'; source: Source; field: Field }>
  | Readonly<{ kind: 'count_by'; source: Source; fields: readonly Field[]; limit: number }>
  | Readonly<{ kind: 'newest'; resources: readonly ResourceName[]; as: 'date' | 'instant' }>
  /** `plain`: not an object a row, but its only value. */
  | Readonly<{ kind: 'first' | 'list'; rows: Rows; plain: boolean }>
  /** Rows of several sources, one for each value of the member `by`: a true `prefer` first, then in the sources' order. */
  | Readonly<{ kind: 'merge'; parts: readonly Rows[]; by: string; prefer: string | undefined; limit: number }>

export type List = Rows & Readonly<{ filters: readonly string[] }>

/** A document that was checked: all that is needed to answer. */
export type Definition = Readonly<{
  name: string
  revision: number
  title?: string | undefined
  description?: string | undefined
  params: ReadonlyMap<string, Parameter>
  body: Readonly<{ object: Node } | { list: List }>
  /** Of the document's text: part of the keys of its answers. */
  digest: string
  /** Names in the change log whose changes change the answer. */
  dependsOn: readonly string[]
  /** Whether the same data give another answer on another day, whatever the parameters. */
  dependsOnDay: boolean
  /** Whether the customer's window matters. */
  needsSettings: boolean
}>
