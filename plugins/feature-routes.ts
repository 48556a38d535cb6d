import type { FastifyInstance } from 'fastify'
import type { Deps } from './deps.ts'

/** The endpoints of a feature, as Fastify plugins. */
export type FeatureRoutes = Readonly<{
  /** Endpoints that need no token. */
  open?: (app: FastifyInstance, deps: Deps) => Promise<void>
  /** Endpoints in the encapsulated context of `plugins/endpoints.ts`, where each needs a token. */
  closed?: (app: FastifyInstance, deps: Deps) => Promise<void>
}>
