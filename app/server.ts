import cluster from 'node:cluster'
import { createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import packageJson from '../package.json' with { type: 'json' }
import { build } from './app.ts'
import { type Config, ConfigError, parseConfig } from './config.ts'
import type { LocalDatabase } from './demo/local-database.ts'
import { describeForLog } from './http/log-error.ts'
import { startMetricsServer } from './observe/metrics-server.ts'
import { createProcessRegistry } from './observe/process-metrics.ts'
import { type SecureServer, watchCertificate } from './running/certificate.ts'
import { createDrain } from './running/drain.ts'
import { openLogStream } from './running/log-stream.ts'
import { joinWorkers, type WorkerLink } from './running/worker.ts'
import { startWorkers, type Workers } from './running/workers.ts'
import { type Log, openStores, type Stores } from './stores.ts'
import { startUpkeep } from './upkeep.ts'

const packageRoot = fileURLToPath(new URL('..', import.meta.url))
/** After a signal: by then it has ended, whatever hangs. */
const shutdownMs = 20_000
/**
 * Connections that wait to be taken, up to the system's own bound: what is beyond is not refused but tried again by the
 * client's system, a second later.
 */
const backlog = 4_096
/** Of which requests get this much, after the time for load balancers; what was counted is written afterwards. */
const cutAfterMs = 8_000
/** Workers are cut by themselves first. */
const workersExtraMs = 2_000

const freePort = (host: string) =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

const localOrigin = ({ host, tls }: Config, port: number): string => {
  const wildcard = host === '0.0.0.0' || host === '::' || host === '127.0.0.1' || host === '::1'
  return `${tls ? 'https' : 'http'}://${wildcard ? 'localhost' : host}:${port}`
}

/** What a newcomer needs in the first minute; only where the bundled database serves. */
const welcome = (publicUrl: string, demoToken: string, apiKey: string): string => `
Certification Data API   ${publicUrl}

Try the example data:
  curl -g '${publicUrl}/v1/certificates?expiring=true&valid_until[lt]=today+60d&limit=2' -H 'Authorization: Bearer ${demoToken}'

A customer of your own ("local", plan premium) with this API key:
  ${apiKey}
Log in with it:
  curl -s ${publicUrl}/v1/auth/login -H 'Content-Type: application/json' -d '{"api_key":"${apiKey}"}'
Give it records:
  npx certdata import examples/records.ndjson --customer local
`

/** The example data show every computed value on the day they are loaded for: each new day they are loaded again. */
const keepExampleDataCurrent = (local: LocalDatabase, log: Log): NodeJS.Timeout => {
  const utcDay = () => new Date().toISOString().slice(0, 10)
  let day = utcDay()
  const check = () => {
    if (utcDay() === day) return
    day = utcDay()
    local.refreshExampleData(day).catch((error: Error) => {
      log.warn({ reason: error.message }, 'the example data could not be brought to the new day')
    })
  }
  return setInterval(check, 60_000).unref()
}

/** Nothing of it is loaded where nobody collects traces. */
const loadTracing = async (warn: (message: string, error?: Error) => void) => {
  const { startTracing } = await import('./observe/tracing.ts')
  return startTracing({ version: packageJson.version, warn })
}

/** Whoever reads them may go, or their disk be full: no reason to end. */
const outliveReaders = () => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** The log, and what ends this process in order: once, by whatever signal. */
const openLog = (config: Config) => {
  const stream = openLogStream(process.stdout.fd, (message) => process.stderr.write(`${message}\n`))
  return { stream, log: pino({ level: config.logLevel, serializers: { err: describeForLog } }, stream) }
}

/** A terminal's Ctrl-C and some platforms' SIGTERM reach workers too: they end when they are told to, and once. */
const workerSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

const closeWorkerWithGrace = (delayMs: number, close: (options: { err?: Error }) => Promise<void>) => {
  const grace = closeWithGrace({ delay: delayMs, logger: false, skip: [...workerSignals] }, close)
  let isClosing = false
  const stop = () => {
    if (!isClosing) void grace.close()
    isClosing = true
  }
  for (const signal of workerSignals) process.on(signal, signal === 'SIGTERM' ? stop : () => {})
  return stop
}

/** Keeps workers on one port; serves their metrics together; ends when they have. */
const supervise = async (config: Config) => {
  const { log } = openLog(config)
  let workers: Workers | undefined
  process.once('exit', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
  })
  closeWithGrace({ delay: shutdownMs + workersExtraMs, logger: false }, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    if (workers && !(await workers.stop())) throw new Error('a worker did not end in order')
  })
  const port = config.port === 0 ? await freePort(config.host) : config.port
  workers = await startWorkers({ count: config.workers, env: { PORT: String(port) }, log })
  const { metricsPort: at, host } = config
  if (at !== undefined) await startMetricsServer({ host, port: at, read: workers.readMetrics })
}

const serve = async (config: Config) => {
  const { stream: logStream, log } = openLog(config)
  const isWorker = cluster.isWorker
  /** What is done once on a machine is the first worker's. */
  const isFirst = !isWorker || process.env.WORKER_INDEX === '0'
  const starting = new AbortController()
  let stores: Stores | undefined
  let draining = false
  let stop = async () => {}
  const close = async ({ err }: { err?: Error }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    draining = true
    starting.abort()
    await stop()
    await stores?.close()
  }
  const stopNow = isWorker
    ? closeWorkerWithGrace(shutdownMs, close)
    : void closeWithGrace({ delay: shutdownMs, logger: false }, close)
  const warn = (message: string, error?: Error) => log.warn({ reason: error?.message }, message)
  const tracing = config.hasTraces ? await loadTracing(warn) : undefined
  stores = await openStores(config, packageRoot, log, starting.signal, tracing?.noteStatement)
  const port = config.port === 0 ? await freePort(config.host) : config.port
  const publicUrl = config.publicUrl ?? localOrigin(config, port)
  const app = await build({
    config,
    publicUrl,
    ...stores,
    databaseNow: stores.poller.databaseNow,
    listen: stores.poller.listen,
    now: Date.now,
    monotonicNow: () => performance.now(),
    isDraining: () => draining,
    tracing,
    logStream,
    figures: { pollAgeMs: stores.poller.ageMs, pools: stores.pools, process: createProcessRegistry() },
  })
  const drain = createDrain(app.server)
  await app.listen({ host: config.host, port, backlog })
  if (stopNow) shareMetrics(app, joinWorkers({ stop: stopNow, collect: app.metrics.readJson }))
  const { metricsPort } = config
  const metrics =
    metricsPort === undefined || isWorker
      ? undefined
      : await startMetricsServer({ host: config.host, port: metricsPort, read: app.metrics.read })
  const certificate =
    config.tls &&
    watchCertificate({
      files: config.tls,
      server: app.server as unknown as SecureServer,
      info: (message) => log.info(message),
      warn,
    })
  app.startStatus()
  const upkeep = isFirst ? startUpkeep({ db: stores.db, warn }) : undefined
  const refresh = isFirst && stores.local && keepExampleDataCurrent(stores.local, log)
  stop = async () => {
    if (refresh) clearInterval(refresh)
    certificate?.stop()
    drain.begin()
    await delay(config.drainMs)
    const late = setTimeout(() => {
      log.warn({ connections: drain.cut() }, 'requests did not end in time: their connections are cut')
    }, cutAfterMs)
    await app.close()
    clearTimeout(late)
    await upkeep?.stop()
    await tracing?.close()
    await metrics?.close()
  }
  if (isFirst && stores.local) process.stdout.write(welcome(publicUrl, config.demoToken, stores.local.apiKey))
}

/** Whichever worker a scrape comes to answers for all. */
const shareMetrics = ({ metrics }: Pick<FastifyInstance, 'metrics'>, { scrape }: WorkerLink) => {
  metrics.read = async () => ({ type: Registry.PROMETHEUS_CONTENT_TYPE, text: await scrape() })
}

const main = async () => {
  outliveReaders()
  const config = parseConfig(process.env)
  await (config.workers > 1 && cluster.isPrimary ? supervise(config) : serve(config))
}

main().catch((error: unknown) => {
  if ((error as Error).name === 'AbortError') return
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${error instanceof ConfigError ? message : `The service cannot start: ${message}`}\n`)
  process.exit(1)
})
