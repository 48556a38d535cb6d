import type { z } from 'zod'
import type { Origin } from './errors.ts'
import type { HeaderName } from './headers.ts'

/** A JSON Schema (2020-12), or any other node of the document. */
export type SchemaNode = { readonly [key: string]: unknown }

/** A parameter as the document writes it. `example` is one that the service accepts. */
export type OpenApiParameter = Readonly<{
  name: string
  in: 'query' | 'path' | 'header'
  required?: true
  description: string
  schema: SchemaNode
  example: string | number
}>

export type Tag = Readonly<{ name: string; description: string }>

/** What a route says of itself for the document; the rest is read off the route. */
export type Description = Readonly<{
  operationId: string
  summary: string
  description: string
  tag: Tag
  parameters?: readonly OpenApiParameter[]
  /** Type of the request's body; absent: JSON. */
  bodyType?: string
  /** OAuth's own refusals in place of problems. */
  refusals?: 'oauth'
  /** Where its errors come from, beside those of every request and those of its scope. */
  errors: readonly Origin[]
  answer: Readonly<{
    description: string
    /** Default 200. */
    status?: 202
    /** An answer without a body. */
    isEmpty?: true
    /** With a name (`meta.id`); absent: the route's own response schema. */
    schema?: z.ZodType
    /** In place of a schema with a name, for what only one customer has. */
    inline?: Readonly<{ schema: SchemaNode; example: unknown; others?: SchemaNode }>
    /** The same as lines of another type, of this schema each. */
    lines?: Readonly<{ type: string; schema: z.ZodType }>
    /** The same as files, by their media type. */
    files?: Readonly<Record<string, SchemaNode>>
    headers: readonly HeaderName[]
  }>
}>

/** A described route. */
export type Route = Readonly<{
  method: string
  /** As the router has it, with `:id`. */
  path: string
  /** The scope it needs; null: any token; undefined: not behind authentication. */
  scope: string | null | undefined
  /** Refused with the demo token: it has no example data. */
  needsLiveToken?: boolean
  body?: z.ZodType
  /** Schema of the answer, where the route serialises by one. */
  response?: z.ZodType
  description: Description
}>
