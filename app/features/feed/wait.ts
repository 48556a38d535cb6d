import type { Listener } from '../../cache/poller.ts'
import { type ChangeEvent, wildcard } from '../../cache/stamped.ts'
import { dayMs } from '../../config/units.ts'
import type { Ending } from '../../limits/concurrency.ts'
import { after as afterMs } from '../../overload/timer.ts'
import type { ResourceName } from '../../records/resources/define.ts'

/** `unknown`: changes were missed, or a customer was erased. `rights`: settings, keys or plan changed. */
export type Wake = 'changed' | 'unknown' | 'day' | 'rights' | 'time' | 'closing' | 'gone'

export type Watch = {
  /** The strongest wake since the last result. One call at a time. It may stay pending after `end`. */
  next(): Promise<Wake>
  end(): void
}

export type Waiting = {
  /** Records changes from now on. Call it before the first read, so that no change is missed. */
  watch(customerId: string, resources: readonly ResourceName[], waitMs: number, ending: Ending): Watch
  /** Wakes all clients with `closing`, now and later. */
  close(): void
  readonly count: number
}

type WaitingOptions = {
  listen: (listener: Listener) => () => void
  databaseNow: () => number
  isDraining: () => boolean
  after?: typeof afterMs
  random?: () => number
}

const pastMidnightMs = 20
/** From weak to strong. */
const strength: readonly Wake[] = ['day', 'changed', 'time', 'unknown', 'rights', 'closing', 'gone']
/** Many clients wake for these at the same time, so they are spread. */
const shared: readonly Wake[] = ['day', 'changed', 'unknown']
/** The spread is 1 ms per waiting client up to this, because a change must appear within a second. */
const longestSpreadMs = 500
const final: readonly Wake[] = ['gone', 'closing', 'time']
/** The client must be authorized again. See docs/decisions/0114-waiting-clients-are-authorized-again.md. */
export const reauthorizingWakes: readonly (Wake | 'ready')[] = ['rights', 'unknown']

type Watcher = { resources: ReadonlySet<string>; wake: (wake: Wake) => void }

const wakeFor = ({ resources }: Watcher, { resource }: ChangeEvent): Wake | undefined => {
  if (resource === 'auth') return 'rights'
  // An erasure writes a row for all customers, so that the log does not name the erased one.
  if (resource === wildcard) return 'unknown'
  return resources.has(resource) ? 'changed' : undefined
}

/** Keeps the strongest wake until `next` returns it, a final one forever. `spread` delays shared wakes. */
const createWakes = (spread: (call: () => void) => () => void) => {
  let pending: Wake | undefined
  let isOver = false
  let resolve: ((wake: Wake) => void) | undefined
  let cancel: (() => void) | undefined
  const settle = () => {
    cancel?.()
    cancel = undefined
    const wake = pending
    if (!wake || !resolve) return
    resolve(wake)
    resolve = undefined
    if (!final.includes(wake)) pending = isOver ? 'time' : undefined
  }
  return {
    wake(reason: Wake): void {
      isOver ||= reason === 'time'
      if (!pending || strength.indexOf(reason) > strength.indexOf(pending)) pending = reason
      if (!shared.includes(reason)) settle()
      else if (resolve) cancel ??= spread(settle)
    },
    next: () =>
      new Promise<Wake>((resolveWake) => {
        resolve = resolveWake
        settle()
      }),
    cancel: () => cancel?.(),
  }
}

/** Creates the registry of waiting clients. It holds no database connection for them. */
export const createWaiting = (options: WaitingOptions): Waiting => {
  const { listen, databaseNow, isDraining, after = afterMs, random = Math.random } = options
  const watchers = new Map<string, Set<Watcher>>()
  let count = 0
  let isClosed = false

  const wakeAll = (wake: Wake): void => {
    for (const group of watchers.values()) for (const watcher of group) watcher.wake(wake)
  }
  const notify = (group: ReadonlySet<Watcher> | undefined, event: ChangeEvent): void => {
    for (const watcher of group ?? []) {
      const wake = wakeFor(watcher, event)
      if (wake) watcher.wake(wake)
    }
  }
  const stopListening = listen((events) => {
    if (!events) return wakeAll('unknown')
    for (const event of events) {
      if (event.customerId !== wildcard) notify(watchers.get(event.customerId), event)
      else for (const group of watchers.values()) notify(group, event)
    }
  })

  const add = (customerId: string, watcher: Watcher): (() => void) => {
    const group = watchers.get(customerId) ?? new Set()
    watchers.set(customerId, group.add(watcher))
    count += 1
    return () => {
      if (group.delete(watcher)) count -= 1
      if (group.size === 0 && watchers.get(customerId) === group) watchers.delete(customerId)
    }
  }

  return {
    watch(customerId, resources, waitMs, ending) {
      const wakes = createWakes((call) => after(random() * Math.min(count, longestSpreadMs), call))
      const remove = add(customerId, { resources: new Set(resources), wake: wakes.wake })
      const timer = setTimeout(wakes.wake, waitMs, 'time')
      let midnight: NodeJS.Timeout | undefined
      let hasEnded = false
      if (ending.destroyed) wakes.wake('gone')
      else ending.once('close', () => wakes.wake('gone'))
      return {
        next() {
          clearTimeout(midnight)
          const untilDayMs = dayMs - (databaseNow() % dayMs) + pastMidnightMs
          // A stream may call `next` once more after `end`.
          if (!hasEnded) midnight = setTimeout(wakes.wake, untilDayMs, 'day')
          if (isClosed || isDraining()) wakes.wake('closing')
          return wakes.next()
        },
        end() {
          hasEnded = true
          wakes.cancel()
          remove()
          clearTimeout(timer)
          clearTimeout(midnight)
        },
      }
    },
    close() {
      isClosed = true
      stopListening()
      wakeAll('closing')
    },
    get count() {
      return count
    },
  }
}
