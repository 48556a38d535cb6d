import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { Registry } from 'prom-client'
import packageJson from '../package.json' with { type: 'json' }
import accessLog from '../plugins/access-log.ts'
import accessRequests from '../plugins/access-requests.ts'
import answers from '../plugins/answers.ts'
import audit from '../plugins/audit.ts'
import auth from '../plugins/auth.ts'
import crossOrigin from '../plugins/cross-origin.ts'
import edge from '../plugins/edge.ts'
import endpoints from '../plugins/endpoints.ts'
import freshnessProbe from '../plugins/freshness-probe.ts'
import gate, { maxHeaderBytes } from '../plugins/gate.ts'
import limits from '../plugins/limits.ts'
import methodGuard from '../plugins/method-guard.ts'
import metrics from '../plugins/metrics.ts'
import openapi from '../plugins/openapi.ts'
import pages from '../plugins/pages.ts'
import problems from '../plugins/problems.ts'
import reference from '../plugins/reference.ts'
import { schemaController } from '../plugins/schema-compilers.ts'
import securityHeaders from '../plugins/security-headers.ts'
import signingKeyRefresh from '../plugins/signing-keys.ts'
import statusMinutes from '../plugins/status.ts'
import tracingPlugin from '../plugins/tracing.ts'
import { accessRoutes } from '../routes/access.ts'
import { accessRequestRoutes } from '../routes/access-requests.ts'
import { authRoutes } from '../routes/auth.ts'
import { changeEndpoints } from '../routes/changes.ts'
import { customEndpoints } from '../routes/custom.ts'
import { healthRoutes } from '../routes/health.ts'
import { meEndpoints } from '../routes/me.ts'
import { metricsRoutes } from '../routes/metrics.ts'
import { oauthRoutes } from '../routes/oauth.ts'
import { pageRoutes } from '../routes/pages.ts'
import { recordEndpoints } from '../routes/records.ts'
import { statusRoutes } from '../routes/status.ts'
import { wellKnownRoutes } from '../routes/well-known.ts'
import type { Judge } from './cache/freshness.ts'
import { createMemoryCache } from './cache/memory.ts'
import type { Poller } from './cache/poller.ts'
import { createReadThrough } from './cache/read-through.ts'
import type { SharedCache } from './cache/redis.ts'
import type { Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { createCustom } from './custom/custom.ts'
import { createCustomExports } from './custom/exports.ts'
import { createGranted } from './custom/granted.ts'
import type { RedisFigures } from './db/redis.ts'
import type { Db } from './db/schema.ts'
import { createExports } from './export/exports.ts'
import { createRecordExports } from './export/records.ts'
import type { ExportSource } from './export/source.ts'
import { createFeed } from './feed/feed.ts'
import { createTokenCodec } from './feed/token.ts'
import { createWaiting } from './feed/wait.ts'
import { answerClientError } from './http/client-error.ts'
import { createListener, type ListenerOptions } from './http/listener.ts'
import { describeForLog } from './http/log-error.ts'
import { replaceMethod } from './http/methods.ts'
import type { Principal } from './identity/principal.ts'
import { requireScope } from './identity/principals.ts'
import { listScopes } from './identity/scopes.ts'
import type { SigningKeys } from './identity/signing-keys.ts'
import { createConcurrency } from './limits/concurrency.ts'
import { createKeyChecks } from './limits/key-checks.ts'
import { createLogins } from './limits/logins.ts'
import { createQuotas } from './limits/quotas.ts'
import type { SlotStore } from './limits/slots.ts'
import type { LimitStore } from './limits/store.ts'
import { createSlowFigure } from './observe/figures.ts'
import type { LogStream } from './observe/log-stream.ts'
import { createRequestObserver } from './observe/requests.ts'
import { type PoolFigures, serviceCollectors } from './observe/service-metrics.ts'
import { createProbe } from './observe/status/probe.ts'
import { createStatus } from './observe/status/status.ts'
import type { Tracing } from './observe/tracing.ts'
import { createAccessForm } from './operator/access/form.ts'
import { createAccessRequests } from './operator/access/requests.ts'
import { after } from './overload/timer.ts'
import { createCalendar } from './records/calendar.ts'
import { createCursorCodec } from './records/query/cursor.ts'
import { createRecords } from './records/records.ts'
import { describeCustom } from './site/openapi/custom.ts'
import { createSite } from './site/site.ts'
import { keepAliveTimeoutMs } from './wire/prepared.ts'

export type Deps = {
  config: Config
  /** Origin that clients see; the configured one, or the local address. */
  publicUrl: string
  /** Connections of the serving role, for reading customers' data; in turns. */
  db: Db
  /** Connections of the serving role for logins, facts about keys and customers, revocations and the audit trail. */
  reserved: Db
  /** The same to a standby. */
  replica?: Db | undefined
  /** Connections for exports. */
  exportSource: ExportSource
  shared: SharedCache | undefined
  /** What may be served of what was read before. */
  judge: Judge
  /** Where instances count requests together; undefined: each for itself. */
  limitStore: (LimitStore & SlotStore) | undefined
  secrets: Secrets
  signingKeys: SigningKeys
  /** The database's clock, whole milliseconds since 1970: the day. */
  databaseNow: () => number
  /** Tells what became visible, within a poll of each commit. */
  listen: Poller['listen']
  /** Whole milliseconds since 1970: tokens' times, minutes of the status page. The same clock for all instances. */
  now: () => number
  /** Milliseconds from any start, never going back: limits, and how old anything is. */
  monotonicNow: () => number
  /** Rejects where the database does not answer. */
  ping: () => Promise<void>
  isDraining: () => boolean
  /** Absent: true. Without its edge the service answers the same, and slower; the tests run both ways. */
  hasEdge?: boolean | undefined
  /** Where the log goes; absent: to standard output. */
  logStream?: LogStream | undefined
  /** Absent: nobody collects traces. */
  tracing?: Tracing | undefined
  /** For metrics; what is absent is not in them. */
  figures?:
    | { pollAgeMs: () => number; pools: () => Readonly<Record<string, PoolFigures>>; process?: Registry }
    | undefined
}

const { version } = packageJson
/** Contract, section 4. */
const maxBodyBytes = 64 * 1024
/** Scrapes are as frequent as somebody likes, and come from several. */
const slowFigureKeptMs = 30_000

const serverOptions = (
  { config, publicUrl, logStream }: Deps,
  headers: () => Readonly<Record<string, string>>,
  front: NonNullable<ListenerOptions['front']>,
) => {
  const options: FastifyServerOptions = {
    logger: {
      level: config.logLevel,
      ...(logStream ? { stream: logStream } : {}),
      // Addresses hold ids and query values, headers hold tokens: neither is logged.
      serializers: {
        req: ({ method }) => ({ method }),
        res: ({ statusCode }) => ({ statusCode }),
        err: describeForLog,
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: maxBodyBytes,
    // Draining answers what still comes on open connections.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxHeaderBytes },
    schemaController,
    // So that a method nobody has is 405 where the path is known, like any other.
    rewriteUrl: (request) => {
      replaceMethod(request)
      return request.url ?? ''
    },
    frameworkErrors: (error, request, reply) => request.server.sendProblem(error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket, publicUrl, headers()),
  }
  // Exports have a bound of their own.
  const unreadTimeoutMs = Math.max(keepAliveTimeoutMs, config.exports.idleMs + 10_000)
  const serverFactory = createListener({ tls: config.tls, maxHeaderBytes, unreadTimeoutMs, front })
  return config.tls ? { ...options, serverFactory, http2: true } : { ...options, serverFactory }
}

const redisFigures = ({ shared, limitStore }: Deps): Record<string, RedisFigures> => {
  const cache = shared?.figures?.()
  return {
    ...(cache ? { cache } : {}),
    ...(limitStore ? { limits: { isUp: !limitStore.isDown, isBreakerOpen: limitStore.isDown } } : {}),
  }
}

/**
 * Puts the service together from what it is given; listens to nothing and opens nothing. Plugins are
 * registered in the order a request passes them.
 */
export const build = async (deps: Deps): Promise<FastifyInstance> => {
  const { config, publicUrl, db, reserved, shared, secrets, signingKeys, now, monotonicNow } = deps
  const constantHeaders = () => app.securityHeaders[config.tls ? 'tls' : 'plain']
  const options = serverOptions(
    deps,
    constantHeaders,
    (request, response) => app.answerAtEdge?.(request, response) ?? false,
  )
  const app = Fastify(options as FastifyServerOptions) as FastifyInstance
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.removeContentTypeParser('text/plain')

  await app.register(securityHeaders, { includeSubDomains: config.hasHstsOfSubdomains })
  await app.register(problems, { publicUrl, headers: constantHeaders })
  await app.register(answers)
  if (deps.tracing) await app.register(tracingPlugin, { tracing: deps.tracing })
  await app.register(accessLog, { stream: deps.logStream })
  const { trustedProxies, clientIpHeader, allowHttp } = config
  await app.register(gate, { trustedProxies, clientIpHeader, allowHttp, publicUrl })
  await app.register(pages)
  await app.register(methodGuard)
  const hasCors = config.corsOrigins.length > 0
  if (hasCors) await app.register(crossOrigin, { origins: config.corsOrigins })
  await app.register(signingKeyRefresh, { signingKeys })
  const counting = { limits: config.limits, store: deps.limitStore, now: monotonicNow, after }
  const logins = createLogins(counting)
  const { demoToken, accessTokenSeconds } = config
  await app.register(auth, {
    db: reserved,
    judge: deps.judge,
    signingKeys,
    publicUrl,
    demoToken,
    accessTokenSeconds,
    now,
    monotonicNow,
    logins,
  })
  await app.register(audit, { db: reserved, secrets, now, monotonicNow })
  await app.register(metrics, {
    observer: createRequestObserver(),
    processRegistry: deps.figures?.process,
  })
  const { holidays, accessRequestDays: keptDays } = config
  const requests = createAccessRequests({ ...counting, db: reserved, now, monotonicNow, holidays, keptDays })
  await app.register(accessRequests, { requests, after })

  const today = createCalendar(deps.databaseNow)
  const memory = createMemoryCache(config.cacheBytes)
  const cache = createReadThrough({ memory, shared, judge: deps.judge, wait: delay })
  await app.register(freshnessProbe, { probe: cache.probe })
  const { listen, databaseNow, isDraining } = deps
  const reading = {
    ...{ db, replica: deps.replica, cache, publicUrl, today },
    cursors: createCursorCodec(secrets),
  }
  const records = createRecords({ ...reading, monotonicNow })
  const granted = createGranted({ db, judge: deps.judge, now, monotonicNow })
  const custom = createCustom({ ...reading, databaseNow, granted })
  const status = createStatus({
    db: reserved,
    now,
    probe: createProbe({ records, ping: deps.ping, databaseNow }),
  })
  await app.register(statusMinutes, { status, now })

  const waiting = createWaiting({ listen, databaseNow, isDraining })
  // Before the server waits for what is in flight.
  app.addHook('preClose', (done) => {
    waiting.close()
    done()
  })
  const concurrency = createConcurrency({ store: deps.limitStore, after })
  const exports = createExports({ source: deps.exportSource, concurrency, today })
  const recordExports = createRecordExports({ exports, publicUrl, today })
  const customExports = createCustomExports({ exports, custom, today })
  const tokens = createTokenCodec(secrets)
  const feed = createFeed({
    ...{ db, tokens, waiting, publicUrl, today, requireScope },
    concurrency,
    source: deps.exportSource,
  })

  const overdueAccessRequests = createSlowFigure({
    read: requests.countOverdue,
    now: monotonicNow,
    keptMs: slowFigureKeptMs,
  })
  app.metrics.add(
    serviceCollectors({
      ...{ version, databaseNow, isDraining, overdueAccessRequests },
      asOf: deps.judge.asOf,
      isAway: deps.judge.isAway,
      pollAgeMs: deps.figures?.pollAgeMs,
      pools: deps.figures?.pools,
      redis: () => redisFigures(deps),
      probes: app.freshnessProbes,
      memoryBytes: () => memory.sizeBytes,
      fills: () => cache.fills,
      audit: app.audit.figures,
      feed: () => ({ streams: deps.exportSource.running, waiters: waiting.count }),
      logLinesLost: () => deps.logStream?.lost ?? 0,
    }),
  )

  const quotas = createQuotas(counting)
  const hasProxies = config.trustedProxies.length > 0
  if (deps.hasEdge !== false)
    await app.register(edge, { cache, judge: deps.judge, quotas, today, isDraining, hasProxies })
  const customOf = async ({ customerId }: Principal) =>
    (await custom.definitionsOf(customerId)).map(describeCustom)
  await app.register(openapi, { publicUrl, customOf, quotas })
  await app.register(authRoutes, { signingKeys })
  await app.register(metricsRoutes, { token: config.metricsToken })
  if (config.metricsToken !== undefined) app.guardMethods('/metrics', ['GET', 'HEAD'])
  await app.register(healthRoutes, { ping: deps.ping, isDraining: deps.isDraining })
  app.guardMethods('/v1/auth/login', ['POST'])
  app.guardMethods('/.well-known/jwks.json', ['GET', 'HEAD'])
  app.guardMethods('/health/live', ['GET', 'HEAD'])
  app.guardMethods('/health/ready', ['GET', 'HEAD'])
  await app.register(async (closed) => {
    await closed.register(endpoints, { publicUrl, variesWithOrigin: hasCors, judge: deps.judge })
    await closed.register(limits, { quotas })
    const rows = [
      ...recordEndpoints(records, recordExports),
      ...customEndpoints(custom, customExports),
      ...changeEndpoints(feed),
      ...meEndpoints(app.principals),
    ]
    for (const row of rows) closed.endpoint(row)
  })
  await app.register(oauthRoutes, { checks: createKeyChecks(counting), publicUrl, now })
  await app.register(accessRequestRoutes)
  await app.register(wellKnownRoutes, {
    publicUrl,
    scopes: listScopes(),
    securityContact: config.securityContact,
    now,
  })
  await app.register(statusRoutes)
  const site = createSite({ publicUrl, demoToken })
  await app.register(pageRoutes, { site })
  await app.register(reference)
  await app.register(accessRoutes, { site, form: createAccessForm(requests, secrets, now) })
  return app
}
