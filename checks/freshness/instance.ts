import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { build } from '../../app/app.ts'
import { createChangeSource } from '../../app/cache/changes.ts'
import { createFence } from '../../app/cache/fence.ts'
import { createFreshnessCheck, createLeaseClock } from '../../app/cache/freshness.ts'
import { createPoller } from '../../app/cache/poller.ts'
import { createRedisCache } from '../../app/cache/redis.ts'
import { parseConfig } from '../../app/config/config.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { variables } from '../../app/config/variables.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import { createExportSource } from '../../app/export/source.ts'
import { loadSigningKeys } from '../../app/identity/signing-keys.ts'
import { createRedisLimits } from '../../app/limits/redis.ts'
import { after } from '../../app/overload/timer.ts'
import {
  believeAll,
  dropFloor,
  type Fault,
  freeze,
  openFence,
  overwrite,
  readByPosition,
  stopLease,
} from './faults.ts'
import { believeStandby, type Counters, countFills, countFromStandby, trustStandby } from './fills.ts'

/**
 * One instance as a process. It composes the service like `app/main/stores.ts` and `app/server.js`. Its
 * clocks can be moved, its fills are counted, and it has at most one planted fault.
 */

export type InstanceOptions = {
  /** Logs in as owner, which the fault `by-position` needs to read the log. */
  databaseUrl: string
  redisUrl: string | undefined
  /** Number of connections that read data. Optional. Defaults to the service's default. */
  databasePool?: number | undefined
  standbyUrl: string | undefined
  fault: Fault | undefined
  publicUrl: string
  secretKey: string
}

export type Command =
  | { type: 'clock'; wallMs: number; monotonicMs: number }
  | { type: 'day'; days: number }
  | { type: 'counters' }
  | { type: 'stop' }
export type Report = { type: 'ready'; port: number } | ({ type: 'counters' } & Counters)

/** Polls before the planted freeze: a few seconds of normal work. */
const pollsBeforeFrost = 20
const cacheTtlSeconds = 600
const staleMaxMs = 300_000
const dayMs = 86_400_000
const ignore = () => {}

const main = async (options: InstanceOptions) => {
  const { databaseUrl, databasePool, redisUrl, standbyUrl, fault, publicUrl, secretKey } = options
  const offset = { wallMs: 0, monotonicMs: 0, days: 0 }
  const now = () => Date.now() + offset.wallMs
  const monotonicNow = () => performance.now() + offset.monotonicMs

  const limits = Object.keys(variables).filter((name) => name.startsWith('LIMIT_'))
  const config = parseConfig({
    LOG_LEVEL: 'fatal',
    NODE_ENV: 'test',
    ...Object.fromEntries(limits.map((name) => [name, '1000000000'])),
    // Faults block the database for seconds, and every request needs an answer.
    QUEUE_SECONDS: '30',
    ...(databasePool === undefined ? {} : { DATABASE_POOL: String(databasePool) }),
  })
  const secrets = createSecrets([secretKey])
  const healthyFence = createFence()
  const fence = fault === 'fence-off' ? openFence(healthyFence) : healthyFence
  const counters: Counters = { fills: 0, mostFillsAtOnce: 0, fromStandby: 0 }
  const pool = createPool(databaseUrl, {
    role: readerRole,
    max: config.databasePool,
    minIdle: 2,
    applicationName: 'certdata',
    onError: ignore,
  })
  const standby = standbyUrl
    ? createPool(standbyUrl, { role: readerRole, max: 10, applicationName: 'certdata', onError: ignore })
    : undefined
  const isTrusting = fault === 'replica-as-primary'
  const reading = standby && isTrusting ? trustStandby(pool, standby, fence, counters) : pool
  const db = createDb(countFills(reading, counters))
  const readingStandby = (from: typeof pool) =>
    fault === 'foreign-standby' ? believeStandby(from, fence, counters) : countFromStandby(from, counters)
  const replica = standby && !isTrusting ? createDb(readingStandby(standby)) : undefined

  const createSource = () => {
    const source = createChangeSource({ url: databaseUrl, role: readerRole, reachSeconds: cacheTtlSeconds })
    if (fault === 'by-position') return readByPosition(source, databaseUrl)
    if (fault === 'floor-off') return dropFloor(source)
    return fault === 'poller-frozen' ? freeze(source, pollsBeforeFrost) : source
  }
  const clock = createLeaseClock(monotonicNow, now)
  const poller = createPoller({
    source: createSource(),
    fence,
    clock: fault === 'lease-off' ? stopLease(clock) : clock,
    warn: ignore,
  })
  await poller.start()

  const sealing = fault === 'envelope-off' ? believeAll(secrets) : secrets
  const createShared = (url: string) => {
    const epoch = () => fence.last?.epoch ?? ''
    const shared = createRedisCache({
      url,
      secrets: sealing,
      epoch,
      ttlSeconds: cacheTtlSeconds,
      warn: ignore,
    })
    return fault === 'cas-off' ? overwrite(shared, url, secrets) : shared
  }
  const shared = redisUrl ? createShared(redisUrl) : undefined
  const limitStore = redisUrl
    ? createRedisLimits({ url: redisUrl, view: () => '', after, warn: ignore })
    : undefined
  const { pool: max, ...exportLimits } = config.exports
  const exportPool = createPool(databaseUrl, {
    role: readerRole,
    max,
    applicationName: 'certdata exports',
    isStreaming: true,
    onError: ignore,
  })
  const exportSource = createExportSource({ pool: exportPool, max, ...exportLimits })
  const app = await build({
    config,
    publicUrl,
    db,
    reserved: db,
    replica,
    exportSource,
    shared,
    freshness: createFreshnessCheck(fence, poller, staleMaxMs),
    limitStore,
    secrets,
    signingKeys: await loadSigningKeys(db, secrets),
    databaseNow: () => poller.databaseNow() + offset.days * dayMs,
    listen: poller.listen,
    now,
    monotonicNow,
    ping: async () => {},
    isDraining: () => false,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })

  const send = (report: Report) => process.send?.(report)
  const commands = {
    clock: ({ wallMs, monotonicMs }: Extract<Command, { type: 'clock' }>) =>
      Object.assign(offset, { wallMs, monotonicMs }),
    day: ({ days }: Extract<Command, { type: 'day' }>) => Object.assign(offset, { days }),
    counters: () => {
      send({ type: 'counters', ...counters })
      Object.assign(counters, { fills: 0, mostFillsAtOnce: 0, fromStandby: 0 })
    },
    stop: () => process.exit(0),
  }
  process.on('message', (command: Command) => commands[command.type](command as never))
  send({ type: 'ready', port: (app.server.address() as AddressInfo).port })
}

// The parent process ended, so no other process would stop this one.
process.on('disconnect', () => process.exit(0))
process.once('message', (options: InstanceOptions) => {
  main(options).catch((error: unknown) => {
    process.stderr.write(`instance: ${error instanceof Error ? error.stack : error}\n`)
    process.exit(1)
  })
})
