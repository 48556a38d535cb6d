import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { ReadResult } from '../app/cache/freshness.ts'
import type { FormatName } from '../app/http/formats.ts'
import type { PreparedQuery } from '../app/records/query/prepare.ts'
import type { ResourceName } from '../app/records/resources/define.ts'
import type { Deps } from './deps.ts'
import type { EndpointRequest } from './endpoint.ts'

/** A further format of a resource's list, which is cached. It has the parameters of an export, and costs as much. */
export type ListFormat = Readonly<{
  resource: ResourceName
  format: FormatName
  /** The value of `Content-Type`. */
  contentType: string
  headers: Readonly<Record<string, string>>
  /** A sentence and an answer for the OpenAPI document. */
  description: string
  example: string
  answer(request: EndpointRequest & { query: PreparedQuery }): ReadResult | Promise<ReadResult>
}>

/**
 * The endpoints of a feature, as Fastify plugins, each in its own context. A hook, decorator or content type parser
 * belongs to one of them. `app.endpoint(row)` registers its row next to rows of the kernel, so hooks in `withToken` do
 * not apply to it.
 */
export type FeatureRoutes = Readonly<{
  /** Endpoints that need no token. */
  public?: FastifyPluginAsync<Deps>
  /** Endpoints for `app.endpoint` (`plugins/endpoints.ts`), each of which needs a token. */
  withToken?: FastifyPluginAsync<Deps>
  /** Further formats of the kernel's lists. */
  formats?: (app: FastifyInstance, deps: Deps) => readonly ListFormat[]
}>
