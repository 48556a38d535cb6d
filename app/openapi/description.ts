import type { z } from 'zod'
import type { Origin } from './errors.ts'
import type { HeaderName, SchemaNode } from './headers.ts'

export type OpenApiParameter = Readonly<{
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  /** For filters: the member `lt` of `valid_until` is sent as `valid_until[lt]`. */
  style?: 'deepObject'
  explode?: true
  schema: z.ZodType
  /** Defaults to the description of the schema. */
  description?: string
  /** Defaults to the example of the schema. */
  example?: Readonly<Record<string, string>>
}>

/** Converts a path of the router, with `:id`, to a path of the document, with `{id}`. */
export const toTemplate = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

export type Tag = Readonly<{ name: string; description: string }>

/** Errors in a format of their own, by status. `prefix`: of the names of the components. */
export type Refusals = Readonly<{
  prefix: string
  schema: z.ZodType
  meanings: Readonly<Record<number, readonly [meaning: string, ...headers: HeaderName[]]>>
}>

/** The part of an operation that does not follow from its route. */
export type Description = Readonly<{
  /** A lower rank comes first in the document. Routes with the same rank stay in the order of their registration. */
  rank: number
  operationId: string
  summary: string
  description: string
  tag: Tag
  parameters?: readonly OpenApiParameter[]
  /** Errors of another format than problem documents. */
  refusals?: Refusals
  errors: readonly Origin[]
  answer: string
  /** Defaults to 200. */
  status?: 202
  isEmpty?: true
  /** Defaults to the route's response schema. */
  schema?: z.ZodType
  /** The same data as a stream of lines, each with this schema. */
  lines?: Readonly<{ type: string; schema: z.ZodType }>
  files?: Readonly<Record<string, SchemaNode>>
  /** In addition to the headers that follow from `errors` and the scope. */
  headers?: readonly HeaderName[]
}>

export type Route = Readonly<{
  method: string
  /** With `{id}`. */
  path: string
  /** The required scope. Null: any token. `undefined`: no authentication. */
  scope: string | null | undefined
  /** The demo token is refused, because there is no example data. */
  needsLiveToken?: boolean
  body?: z.ZodType
  bodyType?: string | undefined
  response?: z.ZodType
  description: Description
}>

/** Endpoints that only some customers have. Routes with the same `key` are equal. */
export type PersonalRoutes = Readonly<{ key: string; describe: () => readonly Route[] }>
