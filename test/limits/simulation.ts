import { windowParts } from '../../app/limits/meters.ts'
import type { LimitStore, Settlement } from '../../app/limits/store.ts'

/** A clock that only `runTo` advances. */
export type Simulation = {
  now: () => number
  after: (ms: number, call: () => void) => () => void
  /** Runs the timers and promises that are due until then. */
  runTo: (ms: number) => Promise<void>
}

const promisesRun = () => new Promise<void>((resolve) => setImmediate(resolve))

export const createSimulation = (): Simulation => {
  let nowMs = 0
  let due: { atMs: number; call: () => void }[] = []
  return {
    now: () => nowMs,
    after(ms, call) {
      const entry = { atMs: nowMs + ms, call }
      due.push(entry)
      return () => {
        due = due.filter((each) => each !== entry)
      }
    },
    async runTo(ms) {
      await promisesRun()
      for (;;) {
        due.sort((a, b) => a.atMs - b.atMs)
        const [first] = due
        if (!first || first.atMs > ms) break
        due.shift()
        nowMs = Math.max(nowMs, first.atMs)
        first.call()
        await promisesRun()
      }
      nowMs = ms
    },
  }
}

export type Server = {
  /**
   * Adds an instance. An exchange is executed after half of the round trip. While the server is down, it is not
   * executed.
   */
  connect: (roundTripMs: () => number) => LimitStore
  isDown: boolean
  /** Exchanges are executed, but fail. */
  losesAnswers: boolean
  /** Granted units of lost answers. */
  lostGrants: number
  exchanges: number
  /** Units in all windows. */
  counted: () => number
}

/** Does the same as the script of Redis. */
export const createServer = ({ now, after }: Simulation): Server => {
  const slots = new Map<string, Map<number, { units: number; lastMs: number }>>()
  let instances = 0
  const server: Server = {
    isDown: false,
    losesAnswers: false,
    lostGrants: 0,
    exchanges: 0,
    counted() {
      let sum = 0
      for (const counts of slots.values()) for (const { units } of counts.values()) sum += units
      return sum
    },
    connect(roundTripMs) {
      instances++
      return {
        get isDown() {
          return server.isDown
        },
        get instances() {
          return instances
        },
        exchange: ({ tag, name }, demands) =>
          new Promise((resolve) => {
            server.exchanges++
            const oneWayMs = roundTripMs() / 2
            const lost = server.isDown
            after(lost ? 25 : oneWayMs, () => {
              if (lost) return resolve(undefined)
              const windows = demands.map(({ policy, spent, refunds = [] }) => {
                const key = `${tag}/${name}/${policy.name}`
                const windowMs = policy.windowSeconds * 1000
                const counted = slots.get(key) ?? new Map<number, { units: number; lastMs: number }>()
                slots.set(key, counted)
                for (const [slot, { lastMs }] of counted) if (lastMs + windowMs <= now()) counted.delete(slot)
                const add = (units: number) => {
                  const slot = Math.floor((now() * windowParts) / windowMs)
                  const entry = counted.get(slot) ?? { units: 0, lastMs: 0 }
                  if (units !== 0) counted.set(slot, { units: entry.units + units, lastMs: now() })
                }
                const used = () => [...counted.values()].reduce((sum, { units }) => sum + units, 0)
                add(spent)
                for (const [ageMs, units] of refunds) {
                  const entered = Math.floor(((now() - ageMs) * windowParts) / windowMs)
                  const nearest = Math.min(...[...counted.keys()].filter((slot) => slot >= entered))
                  const entry = counted.get(nearest)
                  if (entry && ageMs < windowMs) entry.units -= units
                }
                return { add, used, counted }
              })
              const share = Math.min(
                1,
                ...demands.map(({ wanted, policy }, index) =>
                  wanted === 0 ? 1 : Math.max(0, policy.quota - (windows[index]?.used() ?? 0)) / wanted,
                ),
              )
              const settlements = demands.map(({ wanted }, index): Settlement => {
                const granted = Math.floor(wanted * share + 1e-9)
                windows[index]?.add(granted)
                const counts = [...(windows[index]?.counted.values() ?? [])].map(
                  ({ units, lastMs }) => [now() - lastMs, units] as const,
                )
                return { granted, counts }
              })
              after(oneWayMs, () => {
                if (!server.losesAnswers) return resolve(settlements)
                for (const { granted } of settlements) server.lostGrants += granted
                resolve(undefined)
              })
            })
          }),
        close: async () => {
          instances--
        },
      }
    },
  }
  return server
}
