import fp from 'fastify-plugin'
import type { ProbeResult } from '../app/cache/read-through.ts'

type FreshnessProbeOptions = {
  everyMs?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Number of probes by result. `different` is a fault: the change log misses a change. */
    freshnessProbes: Readonly<Record<ProbeResult, number>>
    probeFreshness(): Promise<ProbeResult>
  }
}

const minuteMs = 60_000
const different =
  'A cached answer differs from the database, and no change of it was logged: are the triggers of all tables ' +
  'enabled (docs/freshness.md)? Restart the service to forget what it has'

/** Compares an answer from memory with the database once a minute, to prove freshness in production. */
export default fp<FreshnessProbeOptions>(
  (app, { everyMs = minuteMs }, done) => {
    const counts: Record<ProbeResult, number> = { same: 0, superseded: 0, different: 0, nothing: 0 }
    const probeFreshness = async () => {
      const result = await app.cache.probe()
      counts[result] += 1
      if (result === 'different') app.log.error({ counts }, different)
      return result
    }
    // Ignore errors here: the poller reports an unreachable database.
    const timer = setInterval(() => probeFreshness().catch(() => {}), everyMs).unref()
    app.decorate('freshnessProbes', counts)
    app.decorate('probeFreshness', probeFreshness)
    app.addHook('onClose', async () => clearInterval(timer))
    done()
  },
  { name: 'freshness-probe', dependencies: ['cache'], fastify: '5.x' },
)
