import { createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import closeWithGrace from 'close-with-grace'
import pino from 'pino'
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
import { type Log, openStores, type Stores } from './stores.ts'
import { startUpkeep } from './upkeep.ts'

const packageRoot = fileURLToPath(new URL('..', import.meta.url))
/** After a signal: by then it has ended, whatever hangs. */
const shutdownMs = 20_000
/** Of which requests get this much, after the time for load balancers; what was counted is written afterwards. */
const cutAfterMs = 8_000

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

const main = async () => {
  outliveReaders()
  const config = parseConfig(process.env)
  const logStream = openLogStream(process.stdout.fd, (message) => process.stderr.write(`${message}\n`))
  const log = pino({ level: config.logLevel, serializers: { err: describeForLog } }, logStream)
  const starting = new AbortController()
  let stores: Stores | undefined
  let draining = false
  let stop = async () => {}
  closeWithGrace({ delay: shutdownMs, logger: false }, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    draining = true
    starting.abort()
    await stop()
    await stores?.close()
  })
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
  await app.listen({ host: config.host, port })
  const { metricsPort } = config
  const metrics =
    metricsPort === undefined
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
  const upkeep = startUpkeep({ db: stores.db, warn })
  const refresh = stores.local && keepExampleDataCurrent(stores.local, log)
  stop = async () => {
    clearInterval(refresh)
    certificate?.stop()
    drain.begin()
    await delay(config.drainMs)
    const late = setTimeout(() => {
      log.warn({ connections: drain.cut() }, 'requests did not end in time: their connections are cut')
    }, cutAfterMs)
    await app.close()
    clearTimeout(late)
    await upkeep.stop()
    await tracing?.close()
    await metrics?.close()
  }
  if (stores.local) process.stdout.write(welcome(publicUrl, config.demoToken, stores.local.apiKey))
}

main().catch((error: unknown) => {
  if ((error as Error).name === 'AbortError') return
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${error instanceof ConfigError ? message : `The service cannot start: ${message}`}\n`)
  process.exit(1)
})
