import { setTimeout as delay } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { createMemoryCache } from '../app/cache/memory.ts'
import { createReadThrough, type ProbeResult, type ReadThrough } from '../app/cache/read-through.ts'
import { distrust } from '../app/db/trust.ts'
import { listCacheFigures } from '../app/observe/service-metrics.ts'
import { resourceNames } from '../app/records/resources/index.ts'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    cache: ReadThrough
    /** `different` is a fault: the change log misses a change. */
    freshnessProbes: Readonly<Record<ProbeResult, number>>
    /** Compares the next cached answer. Resolves when this instance knows the result. */
    probeFreshness(): Promise<ProbeResult>
    /** 1 for a distrusted resource, otherwise 0. */
    readDistrust(): Readonly<Record<string, number>>
  }
}

/** One percent of the time of one connection, and at most two answers a second. */
const probeEveryMs = 10_000
const probeForMs = 100
const mostProbes = 20

const different =
  'A cached answer differs from the database, and no change was logged: answers of these resources are at most 10 s ' +
  'old until `certdata migrate` finds all triggers right (docs/operations.md)'

/** Names in the change log that cached answers depend on. */
const dependencies: readonly string[] = [...resourceNames, 'settings', 'custom', 'history']

/** Compares cached answers with the database, to prove freshness in production. */
export default fp<Deps>(
  async (app, deps) => {
    const { config, shared, freshness, reserved, listen, monotonicNow, databaseNow, figures } = deps
    const memory = createMemoryCache(config.cacheBytes)
    const cache = createReadThrough({
      memory,
      shared,
      freshness,
      longestWaitMs: config.queueMs,
      wait: delay,
    })
    const counts: Record<ProbeResult, number> = { same: 0, superseded: 0, different: 0, nothing: 0 }

    const probeFreshness = async () => {
      const { result, dependsOn } = await cache.probe()
      counts[result] += 1
      if (result === 'different' && !dependsOn.every(freshness.isDistrusted)) {
        const found = await distrust(reserved, dependsOn)
        app.log.error({ ...found, counts }, different)
        await freshness.confirmAfter()
      }
      return result
    }

    const probeMany = async () => {
      const startedAt = monotonicNow()
      for (let probes = 0; probes < mostProbes && monotonicNow() - startedAt < probeForMs; probes += 1)
        if ((await probeFreshness()) === 'nothing') return
    }

    let isProbing = false
    const timer = setInterval(async () => {
      if (isProbing) return
      isProbing = true
      // The poller reports an unreachable database.
      await probeMany().catch(() => {})
      isProbing = false
    }, probeEveryMs).unref()

    let known: readonly string[] = []
    const reportDistrust = () => {
      const now = dependencies.filter(freshness.isDistrusted)
      const begun = now.filter((name) => !known.includes(name))
      const ended = known.filter((name) => !now.includes(name))
      known = now
      if (begun.length > 0) app.log.warn({ resources: begun }, 'cached answers are distrusted')
      if (ended.length > 0) app.log.info({ resources: ended }, 'cached answers are trusted again')
    }
    const stopListening = listen(reportDistrust)
    // A distrust may be older than this process.
    reportDistrust()

    app.decorate('cache', cache)
    app.decorate('freshnessProbes', counts)
    app.decorate('probeFreshness', probeFreshness)
    const readDistrust = () =>
      Object.fromEntries(dependencies.map((name) => [name, Number(freshness.isDistrusted(name))]))
    app.decorate('readDistrust', readDistrust)
    app.metrics.add(
      listCacheFigures({
        databaseNow,
        asOf: freshness.asOf,
        isAway: freshness.isAway,
        pollAgeMs: figures?.pollAgeMs,
        probes: counts,
        distrust: readDistrust,
        memoryBytes: () => memory.sizeBytes,
        fills: () => cache.fills,
      }),
    )
    app.addHook('onClose', async () => {
      clearInterval(timer)
      stopListening()
    })
  },
  { name: 'cache', dependencies: ['metrics'], fastify: '5.x' },
)
