import Fastify, { type FastifyInstance } from 'fastify'
import crossOrigin from '../../plugins/cross-origin.ts'
import problems from '../../plugins/problems.ts'
import { schemaController } from '../../plugins/schema-compilers.ts'
import securityHeaders from '../../plugins/security-headers.ts'
import type { Config } from '../config/config.ts'
import { unavailable } from '../errors.ts'
import { createConnections } from '../http/connections.ts'
import { listenOn } from '../http/listen.ts'
import { createListener } from '../http/listener.ts'

export type Early = { close(): Promise<void> }

type EarlyOptions = {
  config: Pick<
    Config,
    'host' | 'tls' | 'hasHstsOfSubdomains' | 'maxConnections' | 'keepAliveMs' | 'corsOrigins'
  >
  port: number
  publicUrl: string
}

const maxHeaderBytes = 16 * 1024
const livePath = '/health/live'

/**
 * Listens until the service does. `/health/live` is 200, so that no platform restarts the process; other requests get
 * 503 `unavailable`. Rejects if the address is in use.
 */
export const listenEarly = async ({ config, port, publicUrl }: EarlyOptions): Promise<Early> => {
  const { tls, host, maxConnections: max, keepAliveMs: keepAliveTimeoutMs } = config
  const connections = createConnections({ max, mostOfNetwork: max, toNetwork: () => undefined })
  const serverFactory = createListener({ tls, maxHeaderBytes, keepAliveTimeoutMs, connections })
  const options = {
    schemaController,
    serverFactory,
    forceCloseConnections: true,
    ...(tls ? { http2: true } : {}),
  }
  const app = Fastify(options as object) as FastifyInstance
  await app.register(securityHeaders, { includeSubDomains: config.hasHstsOfSubdomains })
  await app.register(crossOrigin, { origins: config.corsOrigins })
  await app.register(problems, { publicUrl, headers: () => app.securityHeaders[tls ? 'tls' : 'plain'] })
  app.addHook('onRequest', async ({ url }) => {
    if (url !== livePath) throw unavailable()
  })
  app.addHook('onSend', async ({ raw }, reply) => {
    reply.headers({ ...app.securityHeaders[tls ? 'tls' : 'plain'], 'cache-control': 'no-store' })
    if (raw.httpVersionMajor < 2) reply.header('connection', 'close')
  })
  app.get(livePath, () => ({ status: 'live' }))
  // The cluster's primary would keep a connection that arrives while this server closes.
  const place = { host, port, exclusive: true }
  await listenOn(app.server, place, (each) => app.listen(each))
  return { close: () => app.close() }
}
