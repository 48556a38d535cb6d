import fp from 'fastify-plugin'
import type { RedisFigures } from '../app/db/redis.ts'
import { readKeyExpiry } from '../app/identity/key-expiry.ts'
import { createSlowFigure } from '../app/observe/figures.ts'
import { listServiceFigures } from '../app/observe/service-metrics.ts'
import packageJson from '../package.json' with { type: 'json' }
import type { Deps } from './deps.ts'

const { version } = packageJson

/** All keys are read. */
const keyExpiryKeptMs = 60_000

const redisFigures = ({ shared, limitStore }: Deps): Record<string, RedisFigures> => {
  const cache = shared?.figures?.()
  return {
    ...(cache ? { cache } : {}),
    ...(limitStore
      ? { limits: { isUp: !limitStore.isDown && !limitStore.isRefused, isBreakerOpen: limitStore.isDown } }
      : {}),
  }
}

export default fp<Deps>(
  async (app, options) => {
    const { reserved, monotonicNow, freshness, exportSource, databaseNow, isDraining, logStream, figures } =
      options
    const { cache, memoryCache, audit, feedWaiting, freshnessProbes, readDistrust } = app
    const all = listServiceFigures({
      version,
      databaseNow,
      keyExpiry: createSlowFigure({
        read: () => readKeyExpiry(reserved),
        now: monotonicNow,
        keptMs: keyExpiryKeptMs,
      }),
      isDraining,
      asOf: freshness.asOf,
      isAway: freshness.isAway,
      pollAgeMs: figures?.pollAgeMs,
      pools: figures?.pools,
      redis: () => redisFigures(options),
      probes: freshnessProbes,
      distrust: readDistrust,
      memoryBytes: () => memoryCache.sizeBytes,
      fills: () => cache.fills,
      audit: audit.figures,
      connections: app.connections.figures,
      feed: () => ({ streams: exportSource.running, waiters: feedWaiting.count }),
      logLinesLost: () => logStream?.lost ?? 0,
    })
    app.metrics.add(all)
  },
  {
    name: 'service-metrics',
    dependencies: ['metrics', 'cache', 'audit', 'data'],
    fastify: '5.x',
  },
)
