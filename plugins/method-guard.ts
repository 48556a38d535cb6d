import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../app/errors.ts'
import { routedMethods } from '../app/http/methods.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds OPTIONS and 405 to the public paths registered so far. */
    guardMethods(): void
  }
}

const guard = (scope: FastifyInstance, url: string, methods: readonly string[]) => {
  const allow = [...methods, 'OPTIONS'].join(', ')
  const throwRefusal = (): never => {
    throw new ApiError('method_not_allowed', { headers: { allow } })
  }
  const others = routedMethods.filter((method) => method !== 'OPTIONS' && !methods.includes(method))
  scope.route({ url, method: others, onRequest: throwRefusal, handler: throwRefusal })
  scope.options(url, (_request, reply) => reply.code(204).header('allow', allow).send())
}

/** Refuses unsupported methods on public paths. `endpoints` does it for paths that need a token. */
export default fp(
  async (app) => {
    const open = new Map<string, { scope: FastifyInstance; methods: string[] }>()
    app.addHook('onRoute', function ({ url, method, config }) {
      if (config?.scope !== undefined || url.endsWith('*')) return
      const known = open.get(url) ?? { scope: this, methods: [] }
      known.methods.push(...[method].flat())
      open.set(url, known)
    })
    app.decorate('guardMethods', () => {
      for (const [url, { scope, methods }] of [...open]) guard(scope, url, [...methods].sort())
    })
  },
  { name: 'method-guard', dependencies: ['problems'], fastify: '5.x' },
)
