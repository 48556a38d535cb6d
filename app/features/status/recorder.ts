import { slotMs, slotsPerMinute } from './minutes.ts'
import type { Status } from './status.ts'

type RecorderOptions = {
  status: Pick<Status, 'probe' | 'report' | 'refresh' | 'prune'>
  /** Whole milliseconds since 1970. */
  now: () => number
  warn: (fields: Readonly<{ reason: string; step: string }>, message: string) => void
}

/** From the start of a slot. The clocks of instances differ by less. */
const offsetMs = 1_000
const pruneEverySlots = 360

/**
 * Creates the timers of a process: probes, and writes and reads minutes. A failing step is logged once, and tried again.
 * `stop` waits for the step in progress, and writes the last minute if `start` was called. See
 * docs/decisions/0251-each-process-measures-itself.md.
 */
export const createRecorder = ({ status, now, warn }: RecorderOptions) => {
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
      if (!failing.has(step)) warn({ reason, step }, 'the minutes of the status page wait: trying again')
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
  return {
    start() {
      isStopped = false
      run()
    },
    async stop() {
      const wasRunning = !isStopped
      isStopped = true
      clearTimeout(timer)
      await running
      if (wasRunning) await attempt('report', true)
    },
  }
}
