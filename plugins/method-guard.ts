import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../app/errors.ts'
import { routedMethods } from '../app/http/methods.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Refuses every other method on a path: 405 with `Allow`; answers OPTIONS. Paths without a token only. */
    guardMethods(url: string, methods: readonly HTTPMethods[]): void
  }
}

/** Public paths name their methods, as those behind authentication do. */
export default fp(
  (app, _options, done) => {
    app.decorate('guardMethods', guardMethods)
    function guardMethods(this: FastifyInstance, url: string, methods: readonly HTTPMethods[]) {
      const taken = new Set<string>([...methods, 'OPTIONS'])
      const allow = [...taken].join(', ')
      const others = routedMethods.filter((method) => !taken.has(method))
      const schema = { hide: true }
      const refuse = (): never => {
        throw new ApiError('method_not_allowed', { headers: { allow } })
      }
      const answer = (_request: FastifyRequest, reply: FastifyReply) =>
        reply.code(204).header('allow', allow).send()
      // As a hook, so that the refusal comes before the body is looked at.
      // On the caller's scope: its own form of errors counts.
      this.route({ url, schema, method: others, onRequest: refuse, handler: refuse })
      this.route({ url, schema, method: 'OPTIONS', handler: answer })
    }
    done()
  },
  { name: 'method-guard', dependencies: ['problems'], fastify: '5.x' },
)
