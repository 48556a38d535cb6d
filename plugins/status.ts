import fp from 'fastify-plugin'
import { isServiceFault } from '../app/errors.ts'
import type { SentAnswer } from '../app/observe/sent-answer.ts'
import { slotMs, slotsPerMinute } from '../app/observe/status/minutes.ts'
import { createProbe } from '../app/observe/status/probe.ts'
import { createStatus, type Status } from '../app/observe/status/status.ts'
import type { Deps } from './deps.ts'

/** `now` is the same clock for all instances: they agree on slots. */
type StatusPluginOptions = Pick<Deps, 'reserved' | 'now' | 'ping' | 'databaseNow'>

declare module 'fastify' {
  interface FastifyInstance {
    serviceStatus: Status
    /** Counts an answer if it is one of the API. */
    countForStatus(answer: SentAnswer): void
    /** Probes and reports from now on until the service closes. */
    startStatus(): void
  }
}

/** Into the slot: what instances know of the clock differs by less. */
const offsetMs = 1_000
const pruneEverySlots = 360

/** Counts the answers of the API, and keeps the minutes of which the uptime page is made. */
export default fp<StatusPluginOptions>(
  (app, { reserved: db, now, ping, databaseNow }, done) => {
    const probe = createProbe({ records: app.records, ping, databaseNow })
    const status = createStatus({ db, now, probe })
    app.decorate('serviceStatus', status)
    const counted = new Set<string>()
    app.addHook('onRoute', ({ url, config }) => {
      // What needs a token, and the addresses without one below /v1: the API, and no pages or probes.
      if (config?.scope !== undefined || url.startsWith('/v1/')) counted.add(url)
    })
    app.decorate('countForStatus', ({ route = '', principal, status: code, ms, source }: SentAnswer) => {
      // Some requests are refused before routing, because the service is overloaded. The demo does not count.
      const isShed = route === '' && isServiceFault(code) && principal?.kind !== 'demo'
      if (!isShed && !counted.has(route)) return
      // Only answers of data are a time to judge by: not streams, polls that wait, or errors.
      const isTimed = source !== 'none' && code < 400
      status.addAnswer(code, isTimed ? ms : undefined, source !== 'database')
    })

    let timer: NodeJS.Timeout | undefined
    let running: Promise<void> = Promise.resolve()
    let isStopped = true
    let isFailing = false
    let slots = 0

    const attempt = async (work: () => Promise<void>) => {
      try {
        await work()
        isFailing = false
      } catch (error) {
        const { message: reason } = error as Error
        if (!isFailing) app.log.warn({ reason }, 'the minutes of the status page wait: trying again')
        isFailing = true
      }
    }
    const look = async () => {
      const probing = status.probe()
      const slot = Math.floor(now() / slotMs) % slotsPerMinute
      // Reported in the first slot of a minute, read in the second, so that others have reported too.
      if (slot === 0) await attempt(() => status.report())
      if (slot === 1 || slots === 0) await attempt(() => status.refresh())
      if (slots % pruneEverySlots === pruneEverySlots - 1) await attempt(() => status.prune())
      slots++
      await probing
    }
    // By the clock each time: an interval would drift, and a slot would be left out now and then.
    const schedule = () => {
      if (isStopped) return
      const ms = slotMs - ((now() - offsetMs) % slotMs)
      timer = setTimeout(run, ms).unref()
    }
    const run = () => {
      running = Promise.all([running, look()]).then(() => {})
      // The next probe is due whether or not this one has come back.
      schedule()
    }
    app.decorate('startStatus', () => {
      isStopped = false
      run()
    })
    app.addHook('onClose', async () => {
      const wasRunning = !isStopped
      isStopped = true
      clearTimeout(timer)
      await running
      if (wasRunning) await attempt(() => status.report(true))
    })
    done()
  },
  { name: 'status', dependencies: ['records'], fastify: '5.x' },
)
