import type { FastifyPluginCallback } from 'fastify'
import { ApiError } from '../app/errors.ts'

export type HealthOptions = {
  /** Rejects where the database does not answer. */
  ping: () => Promise<void>
  /** Whether the service has been told to stop. */
  isDraining: () => boolean
}

/** For load balancers: live says that the process runs, ready that it can answer. */
export const healthRoutes: FastifyPluginCallback<HealthOptions> = (app, { ping, isDraining }, done) => {
  app.addHook('onSend', (_request, reply, payload, next) => {
    reply.header('cache-control', 'no-store')
    next(null, payload)
  })
  app.get('/health/live', { schema: { hide: true } }, () => ({ status: 'live' }))
  app.get('/health/ready', { schema: { hide: true } }, async () => {
    if (isDraining()) throw new ApiError('unavailable', { headers: { 'retry-after': '5' } })
    await ping()
    return { status: 'ready' }
  })
  done()
}
