import fp from 'fastify-plugin'
import { type CrossOrigin, createCrossOrigin } from '../app/http/cross-origin.ts'

declare module 'fastify' {
  interface FastifyInstance {
    crossOrigin: CrossOrigin
  }
}

/**
 * Adds the fields of CORS to every answer, also to refusals by later hooks. Answers preflights itself, whatever
 * their address: a browser shows a page the refusal of a request only if its preflight succeeded.
 */
export default fp<{ origins: readonly string[] }>(
  async (app, { origins }) => {
    const crossOrigin = createCrossOrigin(origins)
    app.decorate('crossOrigin', crossOrigin)
    if (origins.length === 0) return
    app.addHook('onRequest', (request, reply, next) => {
      const { method, headers } = request
      const preflight = method === 'OPTIONS' ? crossOrigin.getPreflightFields(headers) : undefined
      if (preflight) {
        reply.code(204).headers(preflight).send()
        return
      }
      reply.headers(crossOrigin.getFields(headers.origin ?? ''))
      next()
    })
  },
  { name: 'cross-origin', fastify: '5.x' },
)
