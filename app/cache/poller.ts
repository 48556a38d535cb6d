import { setTimeout as delay } from 'node:timers/promises'
import type { Fence } from './fence.ts'
import type { ClockReading, LeaseClock } from './freshness.ts'
import type { Snapshot } from './snapshot.ts'
import type { ChangeEvent, Poll } from './stamped.ts'

/** What asks the database; one question at a time. */
export type ChangeSource = {
  /** Where a new process begins: a snapshot from which the log is still whole; undefined: from now. */
  begin(): Promise<Snapshot | undefined>
  /** Rejects when it has taken longer than its time. */
  poll(since: Snapshot | undefined): Promise<Poll>
  close(): Promise<void>
}

export type PollerOptions = {
  source: ChangeSource
  fence: Fence
  clock: LeaseClock
  warn: (message: string, error?: Error) => void
  /** From the sending of one poll to that of the next. One that takes longer is followed at once by the next. */
  intervalMs?: number
  /** How long after its sending a poll speaks for the present. */
  leaseMs?: number
}

/** Called with what became visible; undefined: anything may have. */
export type Listener = (events: readonly ChangeEvent[] | undefined) => void

export type Poller = {
  /** The first poll, tried again for a while where it fails; rejects when none is good. Then one each interval. */
  start(): Promise<void>
  /** Whether the last poll was sent so lately that nothing older than the lease can be unknown. */
  isLeased(): boolean
  /** Whether the last poll failed: the database is not reachable, as far as we know. */
  isDown(): boolean
  /** A poll that may be running already; while polls fail, the next that is due. False: it failed. */
  confirm(): Promise<boolean>
  /** A poll that starts after this call; false: it failed. */
  confirmAfter(): Promise<boolean>
  /** Milliseconds since the last good poll was sent. */
  ageMs(): number
  /**
   * The database's clock, carried on by the monotonic one; whole milliseconds since 1970. Before the first good poll
   * it is this machine's.
   * See docs/decisions/0056-the-database-clock-counts.md.
   */
  databaseNow(): number
  /** Returns what ends it. */
  listen(listener: Listener): () => void
  close(): Promise<void>
}

const defaultIntervalMs = 100
const defaultLeaseMs = 500
/** With 400 ms for each poll they take some ten seconds where nothing answers. */
const startAttempts = 20

/**
 * Keeps a fence informed: one poll in flight and at most one queued, however many ask. Polls go on through
 * failures; the first and the last of a row of them are reported.
 */
export const createPoller = (options: PollerOptions): Poller => {
  const { source, fence, clock, warn } = options
  const { intervalMs = defaultIntervalMs, leaseMs = defaultLeaseMs } = options
  const listeners = new Set<Listener>()
  let running: Promise<boolean> | undefined
  let queued: Promise<boolean> | undefined
  /** Of those who wait for the poll that is due. */
  let due: PromiseWithResolvers<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isFailing = false
  let sentAt: ClockReading | undefined
  let received: { databaseMs: number; monotonic: number } | undefined

  const pollOnce = async (): Promise<void> => {
    const now = clock.now()
    const poll = await source.poll(fence.last ? fence.last.snapshot : await source.begin())
    const before = fence.last
    fence.apply(poll)
    sentAt = now
    received = { databaseMs: Date.parse(poll.at), monotonic: clock.now().monotonic }
    const events = before?.epoch === poll.epoch ? poll.events : undefined
    if (events?.length !== 0) for (const listener of listeners) listener(events)
  }

  const run = async (): Promise<boolean> => {
    try {
      await pollOnce()
      if (isFailing) warn('the database is reachable again: answers are fresh')
      isFailing = false
      return true
    } catch (error) {
      if (!isFailing && !isClosed) {
        warn('the change log cannot be read: answers say that they are stale', error as Error)
      }
      isFailing = true
      return false
    }
  }

  // From far away an answer takes a while, and the lease would end before the next one if that time were added. A
  // database that fails gets the whole interval.
  const restOf = (begun: ClockReading): number =>
    isFailing ? intervalMs : Math.max(0, intervalMs - clock.since(begun))

  const start = (): Promise<boolean> => {
    clearTimeout(timer)
    const begun = clock.now()
    running = run().finally(() => {
      running = undefined
      if (!isClosed) timer = setTimeout(start, restOf(begun))
    })
    due?.resolve(running)
    due = undefined
    return running
  }

  // A database that refuses at once would be asked as often as anybody wants to know.
  const awaitDue = (): Promise<boolean> => {
    due ??= Promise.withResolvers()
    return due.promise
  }

  const confirm = () => running ?? (isFailing && !isClosed ? awaitDue() : start())
  const confirmAfter = (): Promise<boolean> => {
    if (!running) return start()
    queued ??= running.then(() => {
      queued = undefined
      // Another may have started it in between; that one is after the call too.
      return running ?? start()
    })
    return queued
  }

  return {
    async start() {
      for (let failures = 1; ; failures++) {
        try {
          await pollOnce()
          break
        } catch (error) {
          if (failures >= startAttempts || isClosed) throw error
          // A machine that has just started others is slow for a moment.
          await delay(intervalMs)
        }
      }
      timer = setTimeout(start, intervalMs)
    },
    isLeased: () => sentAt !== undefined && clock.since(sentAt) <= leaseMs,
    isDown: () => isFailing,
    confirm,
    confirmAfter,
    ageMs: () => (sentAt ? clock.since(sentAt) : Number.POSITIVE_INFINITY),
    databaseNow() {
      const { monotonic, wall } = clock.now()
      return Math.floor(received ? received.databaseMs + monotonic - received.monotonic : wall)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      due?.resolve(false)
      await source.close()
      await running
      clearTimeout(timer)
    },
  }
}
