import { setTimeout as delay } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { createMemoryCache, type MemoryCache } from '../app/cache/memory.ts'
import { createReadThrough, type ProbeResult, type ReadThrough } from '../app/cache/read-through.ts'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    cache: ReadThrough
    memoryCache: MemoryCache
    /** `different` is a fault: the change log misses a change. */
    freshnessProbes: Readonly<Record<ProbeResult, number>>
    probeFreshness(): Promise<ProbeResult>
  }
}

const probeEveryMs = 60_000
const different =
  'A cached answer differs from the database, and no change was logged. Check that the triggers of all tables are ' +
  'enabled (docs/freshness.md). Then restart the service, to empty its cache'

/** Compares a cached answer with the database once a minute, to prove freshness in production. */
export default fp<Pick<Deps, 'shared' | 'freshness' | 'config'>>(
  async (app, { config, shared, freshness }) => {
    const memory = createMemoryCache(config.cacheBytes)
    const cache = createReadThrough({ memory, shared, freshness, wait: delay })
    const counts: Record<ProbeResult, number> = { same: 0, superseded: 0, different: 0, nothing: 0 }
    const probeFreshness = async () => {
      const result = await cache.probe()
      counts[result] += 1
      if (result === 'different') app.log.error({ counts }, different)
      return result
    }
    // The poller reports an unreachable database.
    const timer = setInterval(() => probeFreshness().catch(() => {}), probeEveryMs).unref()
    app.decorate('memoryCache', memory)
    app.decorate('cache', cache)
    app.decorate('freshnessProbes', counts)
    app.decorate('probeFreshness', probeFreshness)
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'cache', fastify: '5.x' },
)
