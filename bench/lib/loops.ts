import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answered, type Connection, openConnection } from './client.ts'
import { createSchedule } from './schedule.ts'

export type LoopOptions = {
  url: string
  connections: number
  seconds: number
  request: (n: number) => string
  onAnswer?: (answered: Answered, n: number) => void
}

/** Histograms are in microseconds. */
export type LoopResult = {
  answers: number
  /** Answers per second. */
  rate: number
  latency: RecordableHistogram
  /** How late this process started each turn: the delay that the generator adds. Empty for a closed loop. */
  lag: RecordableHistogram
  /**
   * Requests that were not sent, were cut off, or have another status than 2xx and 304. A server that closes
   * an idle connection does not count.
   */
  failed: number
  generatorCpuMs: number
}

const highestMicroseconds = 60_000_000
/** Three significant digits. */
const createTimes = () => createHistogram({ lowest: 1, highest: highestMicroseconds, figures: 3 })
const record = (histogram: RecordableHistogram, ms: number) =>
  histogram.record(Math.min(highestMicroseconds, Math.max(1, Math.round(ms * 1000))))

const isGood = (status: number) => (status >= 200 && status < 300) || status === 304
const graceMs = 5_000
const tickMs = 1

/** `isCut`: the connection ended and is not used again. */
type Slot = { connection: Connection; n: number; dueAt: number; isBusy: boolean; isCut: boolean }

const start = async (
  { url, connections, onAnswer }: LoopOptions,
  onFree: (slot: Slot) => void,
): Promise<{ slots: Slot[]; result: LoopResult; end(seconds: number): Promise<LoopResult> }> => {
  const result: LoopResult = {
    answers: 0,
    rate: 0,
    failed: 0,
    generatorCpuMs: 0,
    latency: createTimes(),
    lag: createTimes(),
  }
  const open = async (): Promise<Slot> => {
    const slot = { n: -1, dueAt: 0, isBusy: false, isCut: false } as Slot
    slot.connection = await openConnection(
      url,
      (answered) => {
        record(result.latency, performance.now() - slot.dueAt)
        result.answers += 1
        if (!isGood(answered.status)) result.failed += 1
        slot.isBusy = false
        onAnswer?.(answered, slot.n)
        onFree(slot)
      },
      () => {
        slot.isCut = true
        if (slot.isBusy) result.failed += 1
        slot.isBusy = false
      },
    )
    return slot
  }
  const slots = await Promise.all(Array.from({ length: connections }, open))
  const cpu = process.cpuUsage()
  return {
    slots,
    result,
    async end(seconds) {
      const { user, system } = process.cpuUsage(cpu)
      result.generatorCpuMs = (user + system) / 1000
      result.rate = result.answers / seconds
      const giveUpAt = performance.now() + graceMs
      while (slots.some(({ isBusy }) => isBusy) && performance.now() < giveUpAt) await delay(5)
      result.failed += slots.filter(({ isBusy }) => isBusy).length
      for (const { connection } of slots) connection.close()
      return result
    },
  }
}

const send = (slot: Slot, request: string, n: number, dueAt: number) => {
  Object.assign(slot, { n, dueAt, isBusy: true })
  slot.connection.send(request)
}

/** Each connection sends its next request immediately after an answer. Measures the maximum throughput. */
export const runClosedLoop = async (options: LoopOptions): Promise<LoopResult> => {
  let n = 0
  let isOver = false
  const next = (slot: Slot) => {
    if (isOver) return
    send(slot, options.request(n), n, performance.now())
    n += 1
  }
  const { slots, end } = await start(options, next)
  const startedAt = performance.now()
  for (const slot of slots) next(slot)
  await delay(options.seconds * 1000)
  isOver = true
  return end((performance.now() - startedAt) / 1000)
}

/**
 * Sends requests at a constant rate, independent of the answers. Latency counts from when a request was due,
 * so that waiting for a connection or for this process counts as it does for a user (no coordinated
 * omission).
 */
export const runOpenLoop = async (options: LoopOptions & { perSecond: number }): Promise<LoopResult> => {
  const { perSecond, seconds, request } = options
  // First in, first out: otherwise the server would close connections that stay idle.
  const idle: Slot[] = []
  const takeIdle = (): Slot | undefined => {
    const slot = idle.shift()
    return slot?.isCut ? takeIdle() : slot
  }
  let n = 0
  let due = 0
  const { slots, result, end } = await start(options, (slot) => {
    idle.push(slot)
    sendDue()
  })
  const startedAt = performance.now()
  const schedule = createSchedule(startedAt, perSecond, seconds)
  const sendDue = () => {
    while (n < due) {
      const slot = takeIdle()
      if (!slot) return
      const dueAt = schedule.dueAt(n)
      send(slot, request(n), n, dueAt)
      n += 1
    }
  }
  idle.push(...slots)
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      if (due < schedule.total) record(result.lag, now - schedule.dueAt(due))
      due = schedule.countBy(now)
      sendDue()
      if (due < schedule.total) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  const elapsed = (performance.now() - startedAt) / 1000
  const giveUpAt = performance.now() + graceMs
  while (n < schedule.total && performance.now() < giveUpAt) await delay(5)
  result.failed += schedule.total - n
  return end(elapsed)
}
