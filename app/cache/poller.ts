import { setTimeout as delay } from 'node:timers/promises'
import type { Fence } from './fence.ts'
import type { Snapshot } from './snapshot.ts'
import type { ChangeEvent, Poll } from './stamped.ts'

export type ChangeSource = {
  /** Returns a snapshot since which the log is complete. `undefined` to start from now. */
  begin(): Promise<Snapshot | undefined>
  poll(since: Snapshot | undefined): Promise<Poll>
  close(): Promise<void>
}

export type ClockReading = Readonly<{ monotonic: number; wall: number }>

export type LeaseClock = {
  now(): ClockReading
  since(moment: ClockReading): number
}

export type PollerOptions = {
  source: ChangeSource
  fence: Fence
  clock: LeaseClock
  warn: (message: string, error?: Error) => void
  intervalMs?: number
  leaseMs?: number
}

/** `undefined`: anything may have changed. */
export type Listener = (events: readonly ChangeEvent[] | undefined) => void

export type Poller = {
  /** Resolves after the first good poll, rejects after 20 failed ones. Then polls once per interval. */
  start(): Promise<void>
  /** Whether the last good poll started at most `leaseMs` ago. */
  isLeased(): boolean
  isDown(): boolean
  /** Waits for the running poll or a new one; after a failure, for the next regular one. False if it failed. */
  confirm(): Promise<boolean>
  /** Waits for a poll that starts after this call; after a failure, for the next regular one. False if it failed. */
  confirmAfter(): Promise<boolean>
  /** Waits for the next regular poll, unlike `confirmAfter`, so that a flood of callers causes none. False if it failed. */
  confirmNext(): Promise<boolean>
  /** Since the start of the last good poll. Infinity before it. */
  ageMs(): number
  /** Milliseconds since 1970, from the last good poll. See docs/decisions/0056-the-database-clock-counts.md. */
  databaseNow(): number
  listen(listener: Listener): () => void
  close(): Promise<void>
}

const defaultIntervalMs = 100
const defaultLeaseMs = 500
const startAttempts = 20

/** Creates a poller that applies each poll to the fence. One poll runs at a time, and at most one is queued. */
export const createPoller = (options: PollerOptions): Poller => {
  const { source, fence, clock, warn } = options
  const { intervalMs = defaultIntervalMs, leaseMs = defaultLeaseMs } = options
  const listeners = new Set<Listener>()
  let running: Promise<boolean> | undefined
  let queued: Promise<boolean> | undefined
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

  const tryPoll = async (): Promise<boolean> => {
    try {
      await pollOnce()
      if (isFailing) warn('the database is reachable again: answers are fresh')
      isFailing = false
      return true
    } catch (error) {
      if (!isFailing && !isClosed) {
        warn('the change log cannot be read: answers may be stale', error as Error)
      }
      isFailing = true
      return false
    }
  }

  // Measured from the start of the poll, or the lease could end before the next poll of a distant database.
  const getDelay = (begun: ClockReading): number =>
    isFailing ? intervalMs : Math.max(0, intervalMs - clock.since(begun))

  const startPoll = (): Promise<boolean> => {
    clearTimeout(timer)
    const begun = clock.now()
    running = tryPoll().finally(() => {
      running = undefined
      if (!isClosed) timer = setTimeout(startPoll, getDelay(begun))
    })
    due?.resolve(running)
    due = undefined
    return running
  }

  // After a failure, callers share the next regular poll: a database that refuses quickly would get many.
  const awaitDue = (): Promise<boolean> => {
    due ??= Promise.withResolvers()
    return due.promise
  }

  const confirm = () => running ?? (isFailing && !isClosed ? awaitDue() : startPoll())
  const confirmAfter = (): Promise<boolean> => {
    if (!running) return confirm()
    queued ??= running.then(() => {
      queued = undefined
      return confirm()
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
          await delay(intervalMs)
        }
      }
      timer = setTimeout(startPoll, intervalMs)
    },
    isLeased: () => sentAt !== undefined && clock.since(sentAt) <= leaseMs,
    isDown: () => isFailing,
    confirm,
    confirmAfter,
    confirmNext: async () => !isClosed && awaitDue(),
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
    },
  }
}
