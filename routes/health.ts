import type { FastifyPluginCallback } from 'fastify'
import { unavailable } from '../app/errors.ts'

export type HealthOptions = {
  /** Rejects where the database does not answer. */
  ping: () => Promise<void>
  /** Whether the service has been told to stop. */
  isDraining: () => boolean
}

const unready = () => unavailable(5)

/** For load balancers: live says that the process runs, ready that requests should be sent to it. */
export const healthRoutes: FastifyPluginCallback<HealthOptions> = (app, { ping, isDraining }, done) => {
  app.addHook('onSend', (_request, reply, payload, next) => {
    reply.header('cache-control', 'no-store')
    next(null, payload)
  })
  app.get('/health/live', { schema: { hide: true } }, () => ({ status: 'live' }))
  app.get('/health/ready', { schema: { hide: true } }, async () => {
    if (isDraining()) throw unready()
    await ping().catch(() => {
      throw unready()
    })
    return { status: 'ready' }
  })
  done()
}
