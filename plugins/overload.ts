import fp from 'fastify-plugin'
import { byLabel, counter, gauge } from '../app/observe/figures.ts'
import { createAdmission } from '../app/overload/admission.ts'
import { guardServer } from '../app/overload/guard.ts'
import { watchLag } from '../app/overload/lag.ts'
import { createTurns, ofRequests } from '../app/overload/turns.ts'

export type OverloadOptions = {
  /** Requests that may wait at once. */
  concurrency: number
  /** To the database. */
  connections: number
  /** An event loop that is later than this again and again sheds requests. */
  lagMs: number
  publicUrl: string
  demoToken: string
  /** What every answer carries. */
  headers: () => Readonly<Record<string, string>>
  /** Milliseconds from any start, never going back. */
  monotonicNow: () => number
}

/** Refuses what is too much in front of everything, before Fastify sees it. */
export default fp<OverloadOptions>(
  (app, { concurrency, connections, lagMs, publicUrl, demoToken, headers, monotonicNow }, done) => {
    const lag = watchLag({ lateMs: lagMs, now: monotonicNow })
    const shed = { demo: 0, other: 0 }
    const admission = createAdmission({ concurrency, connections, lag, now: monotonicNow })
    const onShed = (kind: keyof typeof shed) => {
      shed[kind] += 1
      app.requestObserver.observe('', kind === 'demo' ? 'demo' : 'none', 503, 0, 'none')
    }
    app.addHook('onReady', async () =>
      guardServer(app.server, {
        ...{ admission, publicUrl, demoToken, headers, onShed },
        answerFast: app.answerFast,
        turns: createTurns(ofRequests),
        isHeld: app.isHeld,
      }),
    )
    app.addHook('onClose', async () => lag.stop())
    app.metrics.add([
      counter('certdata_shed_total', 'Requests refused because there were too many, by kind', () =>
        byLabel('kind', shed),
      ),
      gauge('certdata_requests_waiting', 'Requests that wait for something', () => admission.active, 'sum'),
      gauge('certdata_event_loop_late', '0 while the event loop is in time, up to 4', lag.level),
    ])
    done()
  },
  { name: 'overload', dependencies: ['fast-lane', 'metrics', 'tarpit'], fastify: '5.x' },
)
