import type { FastifyInstance } from 'fastify'
import answers from '../plugins/answers.ts'
import audit from '../plugins/audit.ts'
import auth from '../plugins/auth.ts'
import cache from '../plugins/cache.ts'
import crossOrigin from '../plugins/cross-origin.ts'
import data from '../plugins/data.ts'
import type { Deps } from '../plugins/deps.ts'
import edge from '../plugins/edge.ts'
import gate from '../plugins/gate.ts'
import limiters from '../plugins/limiters.ts'
import methodGuard from '../plugins/method-guard.ts'
import metrics from '../plugins/metrics.ts'
import openapi from '../plugins/openapi.ts'
import pages from '../plugins/pages.ts'
import problems from '../plugins/problems.ts'
import securityHeaders from '../plugins/security-headers.ts'
import { constantHeaders, createServer } from '../plugins/server.ts'
import signingKeyRefresh from '../plugins/signing-keys.ts'
import tracing from '../plugins/tracing.ts'
import transport from '../plugins/transport.ts'
import routes from '../routes/index.ts'
import { features } from './features.ts'

/** Assembles the service without opening a connection. Hooks run in the order of registration. */
export const build = async (deps: Deps): Promise<FastifyInstance> => {
  const { config, publicUrl, reserved: db, secrets, now, monotonicNow } = deps
  const { trustedProxies, clientIpHeader, allowHttp, demoToken, accessTokenSeconds } = config
  const app = createServer(deps)
  await app.register(securityHeaders, { includeSubDomains: config.hasHstsOfSubdomains })
  await app.register(problems, { publicUrl, headers: (origin) => constantHeaders(app, config, origin) })
  if (deps.tracing) await app.register(tracing, { tracing: deps.tracing })
  await app.register(transport, { trustedProxies, clientIpHeader, allowHttp })
  await app.register(crossOrigin, { origins: config.corsOrigins })
  await app.register(gate, { publicUrl, features })
  await app.register(pages, { publicUrl, demoToken, house: config.house, features })
  await app.register(methodGuard)
  await app.register(signingKeyRefresh, deps)
  await app.register(limiters, deps)
  await app.register(auth, { ...deps, db, demoToken, accessTokenSeconds })
  await app.register(metrics, deps)
  await app.register(audit, { db, secrets, now, monotonicNow })
  await app.register(cache, deps)
  await app.register(data, deps)
  await app.register(answers, { stream: deps.logStream, logsCustomers: deps.config.logCustomers })
  if (deps.hasEdge !== false) await app.register(edge, deps)
  await app.register(openapi, deps)
  await app.register(routes, deps)
  return app
}
