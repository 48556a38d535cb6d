import fp from 'fastify-plugin'
import type { ProbeResult } from '../app/cache/read-through.ts'

type FreshnessProbeOptions = {
  /** Milliseconds from one probe to the next. */
  everyMs?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Probes so far, by what they found. `different` is a fault: a change that the log does not have. */
    freshnessProbes: Readonly<Record<ProbeResult, number>>
    /** Probes now, without waiting for the minute to end. */
    probeFreshness(): Promise<ProbeResult>
  }
}

const minuteMs = 60_000
const different =
  'A cached answer differs from the database, and no change of it was logged: are the triggers of all tables ' +
  'enabled (docs/freshness.md)? Restart the service to forget what it has'

/** Compares, once a minute, an answer from memory with the database: the proof that production is right too. */
export default fp<FreshnessProbeOptions>(
  (app, { everyMs = minuteMs }, done) => {
    const counts: Record<ProbeResult, number> = { same: 0, superseded: 0, different: 0, nothing: 0 }
    const probeFreshness = async () => {
      const result = await app.cache.probe()
      counts[result] += 1
      if (result === 'different') app.log.error({ counts }, different)
      return result
    }
    // Errors are ignored here. The poller reports a database that does not answer.
    const timer = setInterval(() => probeFreshness().catch(() => {}), everyMs).unref()
    app.decorate('freshnessProbes', counts)
    app.decorate('probeFreshness', probeFreshness)
    app.addHook('onClose', async () => clearInterval(timer))
    done()
  },
  { name: 'freshness-probe', dependencies: ['cache'], fastify: '5.x' },
)
