import cluster from 'node:cluster'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics } from 'node:v8'
import packageJson from '../../package.json' with { type: 'json' }
import { build } from '../app.ts'
import { type Config, ConfigError, parseConfig } from '../config/config.ts'
import { describeMissingHouse } from '../config/house.ts'
import { localOrigin } from '../config/local-origin.ts'
import { features } from '../features.ts'
import { listenOn } from '../http/listen.ts'
import { welcome } from '../local/welcome.ts'
import type { LogStream } from '../observe/log-stream.ts'
import { startMetricsServer } from '../observe/metrics-server.ts'
import { createProcessRegistry } from '../observe/process-metrics.ts'
import type { Tracing } from '../observe/tracing.ts'
import { certificateFigure, type SecureServer, watchCertificate } from './certificate.ts'
import { createDrain } from './drain.ts'
import { type Early, listenEarly } from './early.ts'
import { endBySignal, endWorker } from './end.ts'
import { captureConsole, ignoreStreamErrors, type Log, type OpenLog, openLog } from './log.ts'
import { findPort } from './port.ts'
import { describeStartFault } from './start-fault.ts'
import { openStores, type Stores } from './stores.ts'
import { supervise } from './supervise.ts'
import { startTasks } from './tasks.ts'
import { joinWorkers } from './worker.ts'

const packageRoot = fileURLToPath(new URL('../..', import.meta.url))
/** This long after a signal, the process ends even if a step hangs. */
const shutdownMs = 20_000
const backlog = 4_096
const acceptingSockets = 64
/** For requests, after `drainMs`. Final writes get the rest of `shutdownMs`. */
const cutAfterMs = 8_000
/** The primary waits for the deadline of its workers. */
const workersExtraMs = 2_000
/** Cached answers have their bodies outside of the heap, but small ones need as many bytes in it. */
const heapShareOfCache = 0.5

/** Its packages are optional peers. Throws a ConfigError if they are not installed. */
const loadTracing = async (warn: (message: string, error?: Error) => void) => {
  const { startTracing } = await import('../observe/tracing.ts')
  try {
    return await startTracing({ version: packageJson.version, warn })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigError(
      'Configuration:\n  OTEL_EXPORTER_OTLP_ENDPOINT: the packages of OpenTelemetry are not installed. Run: npm install --no-save --omit=dev @opentelemetry/exporter-trace-otlp-http@0.223.0 @opentelemetry/resources@2.12.0 @opentelemetry/sdk-trace-node@2.12.0',
    )
  }
}

const monotonicNow = () => performance.now()

const warnTo = (log: Log) => (message: string, error?: Error) => log.warn({ reason: error?.message }, message)

type Opened = {
  config: Config
  stores: Stores
  log: Log
  logStream: LogStream
  tracing: Tracing | undefined
  isDraining: () => boolean
  port: number
  publicUrl: string
  early: Early | undefined
}

const listen = async (opened: Opened): Promise<() => Promise<void>> => {
  const { config, stores, log, logStream, tracing, isDraining, port, publicUrl, early } = opened
  const isWorker = cluster.isWorker
  const isFirst = !isWorker || process.env.WORKER_INDEX === '0'
  const warn = warnTo(log)
  const started = Promise.withResolvers<void>()
  const app = await build({
    config,
    publicUrl,
    ...stores,
    databaseNow: stores.poller.databaseNow,
    listen: stores.poller.listen,
    // See docs/decisions/0056-the-database-clock-counts.md.
    now: stores.poller.databaseNow,
    monotonicNow,
    isDraining,
    started: started.promise,
    tracing,
    logStream,
    figures: { pollAgeMs: stores.poller.ageMs, pools: stores.pools, process: createProcessRegistry() },
  })
  const drain = createDrain(app.server)
  const certificate =
    config.tls &&
    watchCertificate({
      files: config.tls,
      server: app.server as unknown as SecureServer,
      info: (message) => log.info(message),
      warn,
    })
  await early?.close()
  const sockets = isWorker || process.platform !== 'linux' ? 1 : acceptingSockets
  // Fastify does not know that our listener speaks TLS.
  const listenTextResolver = (address: string) =>
    `Server listening at ${config.tls ? address.replace(/^http:/, 'https:') : address}`
  await listenOn(app.server, { host: config.host, port, backlog, sockets }, (place) =>
    app.listen({ ...place, listenTextResolver }),
  )
  if (isWorker) app.metrics.read = joinWorkers(app.metrics.readJson)
  const { metricsPort } = config
  const metrics =
    metricsPort === undefined || isWorker
      ? undefined
      : await startMetricsServer({ host: config.host, port: metricsPort, read: app.metrics.read, log })
  if (certificate) app.metrics.add([certificateFigure(certificate)])
  const missing = config.production ? describeMissingHouse(process.env) : undefined
  if (missing !== undefined && isFirst) log.warn({}, missing)
  started.resolve()
  const tasks = isFirst
    ? await startTasks({ config, publicUrl, stores, log, warn, addFigures: app.metrics.add })
    : undefined
  if (isFirst && stores.local) {
    const steps = features.flatMap(({ firstSteps = [] }) => firstSteps)
    process.stdout.write(welcome({ config, publicUrl, local: stores.local, steps }))
  }
  return async () => {
    tasks?.quiet()
    certificate?.stop()
    drain.begin()
    await delay(config.drainMs)
    const late = setTimeout(() => {
      log.warn(
        { connections: drain.cut() },
        'requests did not end in time: the service closes their connections',
      )
    }, cutAfterMs)
    const stopLooking = drain.endIdle()
    await app.close()
    stopLooking()
    clearTimeout(late)
    await tasks?.stop()
    await tracing?.close()
    await metrics?.close()
  }
}

const serve = async (config: Config, { stream: logStream, log }: OpenLog) => {
  const starting = new AbortController()
  const started = Promise.withResolvers<void>()
  let stores: Stores | undefined
  let draining = false
  let early: Early | undefined
  let stop = async () => early?.close()
  const close = async ({ err }: { err?: Error }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    else log.info('the service stops after the requests in progress')
    draining = true
    starting.abort()
    try {
      // The start may be in a step that cannot be undone before its end, such as the start of the bundled PostgreSQL.
      await started.promise
      await stop()
      await stores?.close()
      if (!err) log.info('the service has stopped')
    } finally {
      await logStream.end()
    }
  }
  if (cluster.worker) {
    cluster.worker.once('disconnect', () =>
      log.warn({}, 'the primary process has ended, and the worker stops'),
    )
    endWorker(cluster.worker, shutdownMs, close)
  } else endBySignal(shutdownMs, close)
  const warn = warnTo(log)
  const isDraining = () => draining
  try {
    if (config.cacheBytes > heapShareOfCache * getHeapStatistics().heap_size_limit)
      log.warn({}, 'CACHE_BYTES needs a larger heap: raise --max-old-space-size (docs/operations.md)')
    const tracing = config.hasTraces ? await loadTracing(warn) : undefined
    const port = await findPort(config)
    const publicUrl = config.publicUrl ?? localOrigin(config, port)
    // Other workers already run when one is replaced.
    if (!cluster.isWorker || process.env.WORKER_IS_FIRST)
      early = await listenEarly({ config, port, publicUrl })
    const { signal } = starting
    stores = await openStores({ config, packageRoot, log, signal, onStatement: tracing?.noteStatement })
    signal.throwIfAborted()
    const network = { port, publicUrl, early }
    stop = await listen({ config, stores, log, logStream, tracing, isDraining, ...network })
  } catch (error) {
    if (draining) return
    // Releases the bundled PostgreSQL, which would keep running.
    await stores?.close()
    throw error
  } finally {
    started.resolve()
  }
}

/** Starts the service, or several workers, from the environment. Exits with 1 on an error. */
export const start = async (): Promise<void> => {
  let opened: OpenLog | undefined
  try {
    ignoreStreamErrors()
    const config = parseConfig(process.env)
    opened = openLog(config)
    captureConsole(opened.log)
    await (config.workers > 1 && cluster.isPrimary
      ? supervise(config, opened, shutdownMs + workersExtraMs)
      : serve(config, opened))
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : describeStartFault(error)}\n`)
    await opened?.stream.end()
    process.exit(1)
  }
}
