import type { AccountName } from '../limits/policy.ts'
import { refuseQuota } from '../limits/refusal.ts'
import type { Ending } from './wait.ts'

/** What a customer may have under way at once (contract, section 8). */
const most = { exports: 2, long_polls: 10 } as const

/** Bounds how much of a kind an account runs at once. */
export type Places = {
  /** Holds a place until `ending` closes. Rejects with quota_exceeded where none is free. */
  hold(account: AccountName, kind: keyof typeof most, ending: Ending): Promise<void>
}

/** Places of this process alone. */
export const createPlaces = (): Places => {
  const held = new Map<string, number>()
  const change = (key: string, by: number): void => {
    const count = (held.get(key) ?? 0) + by
    if (count > 0) held.set(key, count)
    else held.delete(key)
  }
  return {
    async hold({ tag, name }, kind, ending) {
      const key = `${kind}\0${tag}\0${name}`
      if ((held.get(key) ?? 0) >= most[kind]) throw refuseQuota({ violated: [kind], retryAfterSeconds: 1 })
      if (ending.destroyed) return
      change(key, 1)
      ending.once('close', () => change(key, -1))
    },
  }
}
