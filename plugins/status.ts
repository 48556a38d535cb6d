import fp from 'fastify-plugin'
import type { SentAnswer } from '../app/observe/sent-answer.ts'
import { slotMs, slotsPerMinute } from '../app/observe/status/minutes.ts'
import { createProbe } from '../app/observe/status/probe.ts'
import { createStatus, type Status } from '../app/observe/status/status.ts'
import type { Deps } from './deps.ts'

type StatusPluginOptions = Pick<Deps, 'reserved' | 'now' | 'ping' | 'databaseNow'>

declare module 'fastify' {
  interface FastifyInstance {
    serviceStatus: Status
    countForStatus(answer: SentAnswer): void
    startStatus(): void
  }
}

/** From the start of a slot. The clocks of instances differ by less. */
const offsetMs = 1_000
const pruneEverySlots = 360

/** Counts the answers of the API. From `startStatus` on, stores the minutes that the status page shows. */
export default fp<StatusPluginOptions>(
  async (app, { reserved: db, now, ping, databaseNow }) => {
    const probe = createProbe({ records: app.records, ping, databaseNow })
    const status = createStatus({ db, now, probe })
    app.decorate('serviceStatus', status)
    const counted = new Set<string>()
    app.addHook('onRoute', ({ url, config }) => {
      if (config?.scope !== undefined || url.startsWith('/v1/')) counted.add(url)
    })
    app.decorate('countForStatus', ({ route = '', status: code, ms, source }: SentAnswer) => {
      if (!counted.has(route)) return
      // Only cached endpoints have a source: durations of streams, exports and logins do not count.
      const isTimed = source !== 'none' && code < 400
      status.addAnswer(code, isTimed ? ms : undefined, source !== 'database')
    })

    let timer: NodeJS.Timeout | undefined
    let running: Promise<void> = Promise.resolve()
    let isStopped = true
    const failing = new Set<string>()
    let slots = 0

    const attempt = async (step: 'report' | 'refresh' | 'prune', all?: boolean) => {
      try {
        await status[step](all)
        failing.delete(step)
      } catch (error) {
        const { message: reason } = error as Error
        if (!failing.has(step))
          app.log.warn({ reason, step }, 'the minutes of the status page wait: trying again')
        failing.add(step)
      }
    }
    const look = async () => {
      const probing = status.probe()
      const slot = Math.floor(now() / slotMs) % slotsPerMinute
      // Reads one slot after the report, when other instances have reported, too.
      if (slot === 0) await attempt('report')
      if (slot === 1 || slots === 0) await attempt('refresh')
      if (slots % pruneEverySlots === pruneEverySlots - 1) await attempt('prune')
      slots++
      await probing
    }
    // `setInterval` would drift.
    const schedule = () => {
      if (isStopped) return
      const ms = slotMs - ((now() - offsetMs) % slotMs)
      timer = setTimeout(run, ms).unref()
    }
    const run = () => {
      running = Promise.all([running, look()]).then(() => {})
      // Does not wait for a slow probe.
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
      if (wasRunning) await attempt('report', true)
    })
  },
  { name: 'status', dependencies: ['data'], fastify: '5.x' },
)
