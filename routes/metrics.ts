import type { FastifyPluginCallback } from 'fastify'
import { ApiError } from '../app/errors.ts'
import { createTokenCheck } from '../app/observe/token-check.ts'

export type MetricsRouteOptions = {
  /** Who asks must have it; undefined: there is no such page. */
  token: string | undefined
}

const challenge = 'Bearer realm="certdata metrics"'
const detail = 'Send Authorization: Bearer <METRICS_TOKEN of the service>.'

/** For Prometheus; the token is the operator's, and no customer's opens it. */
export const metricsRoutes: FastifyPluginCallback<MetricsRouteOptions> = (app, { token }, done) => {
  if (token === undefined) return done()
  const isRight = createTokenCheck(token)
  app.addHook('onRequest', (request, _reply, next) => {
    const { authorization } = request.headers
    if (isRight(authorization)) return next()
    const code = authorization === undefined ? 'credentials_required' : 'invalid_token'
    next(new ApiError(code, { detail, headers: { 'www-authenticate': challenge } }))
  })
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    const { type, text } = await app.metrics.read()
    return reply.headers({ 'cache-control': 'no-store', 'content-type': type }).send(text)
  })
  done()
}
