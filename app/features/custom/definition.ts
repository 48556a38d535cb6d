import type { SortKey } from '../../records/query/query.ts'
import type { Field, Resource, ResourceName } from '../../records/resources/define.ts'
import type { TestOperator } from './document.ts'

export type Scalar = string | number | boolean | null

export type Parameter = Readonly<{
  name: string
  type: 'integer' | 'string' | 'date' | 'boolean'
  description?: string | undefined
  default?: string | undefined
  example?: string | undefined
  /** Bounds are inclusive. For a string: its number of characters, at least 1. */
  min?: string | number | undefined
  max?: string | number | undefined
  values?: readonly string[] | undefined
  /** True: without a value, its conditions in `where` are dropped. False: required, unless it has a default. */
  optional: boolean
}>

export type Template = readonly (string | { param: string })[]

export type Where = Readonly<{ name: string; isList: boolean; values: readonly Template[] }>

export type Source = Readonly<{ resource: Resource; where: readonly Where[]; sort: readonly SortKey[] }>

/** A field of a row, or of its join `alias`. `path` leads into a field that is an object. */
export type FieldRef = Readonly<{
  alias: string | undefined
  field: Field
  path: readonly string[]
  type: Field['kind']
  array: boolean
}>

export type Operand = { literal: Scalar } | { param: Parameter }

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
  | Readonly<{ kind: 'date'; ref: FieldRef; format: string }>
  | Readonly<{ kind: 'case'; branches: readonly (readonly [Test, Value])[]; otherwise: Value }>
  | Readonly<{ kind: 'items'; join: JoinMany }>

export type Select = readonly (readonly [name: string, value: Value])[]

/** The record of another resource whose id is in `on`. */
export type JoinOne = Readonly<{
  kind: 'one'
  alias: string
  source: Source
  on: FieldRef
  pick: readonly Field[]
}>

/** At most `limit` records of another resource whose `field` equals or contains `on`. */
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

export type Rows = Readonly<{ source: Source; joins: readonly Join[]; select: Select; limit: number }>

export type Node =
  | Readonly<{ kind: 'object'; members: readonly (readonly [name: string, node: Node])[] }>
  | Readonly<{ kind: 'literal'; value: Scalar }>
  | Readonly<{ kind: 'param'; param: Parameter }>
  | Readonly<{ kind: 'count' | 'exists'; source: Source }>
  | Readonly<{ kind: 'sum' | 'min' | 'max' | 'avg'; source: Source; field: Field }>
  | Readonly<{ kind: 'count_by'; source: Source; fields: readonly Field[]; limit: number }>
  | Readonly<{ kind: 'newest'; resources: readonly ResourceName[]; as: 'date' | 'instant' }>
  /** `plain`: the row's only value instead of an object. */
  | Readonly<{ kind: 'first' | 'list'; rows: Rows; plain: boolean }>
  /** One row for each value of `by`, ordered by it. A row whose `prefer` is true wins, then the earlier part. */
  | Readonly<{ kind: 'merge'; parts: readonly Rows[]; by: string; prefer: string | undefined; limit: number }>

export type List = Rows & Readonly<{ filters: readonly string[] }>

export type Definition = Readonly<{
  name: string
  revision: number
  title?: string | undefined
  description?: string | undefined
  params: ReadonlyMap<string, Parameter>
  body: Readonly<{ object: Node } | { list: List }>
  /** Hash of the document, part of its cache keys. */
  digest: string
  /** Names in the change log that invalidate cached responses. */
  dependsOn: readonly string[]
  /** True if all responses depend on the day. Otherwise, a relative date as a parameter adds this. */
  dependsOnDay: boolean
  /** True if the response depends on the expiry window of the customer. */
  needsSettings: boolean
}>
