import type { FastifyPluginAsync } from 'fastify'
import type { Deps } from './deps.ts'

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
}>
