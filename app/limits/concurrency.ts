import { randomUUID } from 'node:crypto'
import { demoCustomerId } from '../identity/principal.ts'
import { refuseQuota } from './meters.ts'
import type { AccountName } from './policy.ts'
import type { SlotStore } from './slots.ts'

/** Exports and waiting clients of an account at one time, whatever its plan (contract, section 8). */
const concurrencyQuotas = { exports: 2, long_polls: 10 } as const
/** Waiting clients of the demo at one time. Each address is an account, and one visitor may have many addresses. */
const demoLongPolls = 100

/** The name of the policy that a refusal shows. */
export type Concurrent = keyof typeof concurrencyQuotas

/** What ends: Node's answers and streams. `close` comes after the end and after a disconnection alike. */
export type Ending = {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

export type Concurrency = {
  /**
   * Holds one of the account's places of this kind until `ending` closes. A waiting client of the demo also holds one
   * of the demo's places. Holds nothing if `ending` has closed. Rejects with quota_exceeded if no place is free.
   */
  hold(account: AccountName, kind: Concurrent, ending: Ending): Promise<void>
}

type ConcurrencyOptions = {
  /** Where instances share places; absent, each gives out its own. */
  store: SlotStore | undefined
  /** See timer.ts. */
  after: (ms: number, call: () => void) => () => void
}

/** A place that is not renewed for so long is free again: its instance is gone. */
export const leaseMs = 15_000
/** A place that is held is renewed so often. */
export const renewEveryMs = 5_000
/** When a place will be free nobody knows: often enough to ask. */
const retryAfterSeconds = { exports: 5, long_polls: 1 } as const

/**
 * Bounds how much of a kind an account runs at once. This instance's own count is judged first and alone where
 * there is no store or it does not answer: then each instance gives out the whole quota. With a store the
 * quota holds across instances; a place is a lease there, renewed while it is held, so that those of an
 * instance that died come back by themselves.
 */
export const createConcurrency = ({ store, after }: ConcurrencyOptions): Concurrency => {
  const held = new Map<string, number>()

  const change = (key: string, by: number): void => {
    const count = (held.get(key) ?? 0) + by
    if (count > 0) held.set(key, count)
    else held.delete(key)
  }

  const keepRenewed = (renew: () => Promise<unknown>): (() => void) => {
    let callOff = () => {}
    const schedule = () => {
      callOff = after(renewEveryMs, () => {
        void renew()
        schedule()
      })
    }
    schedule()
    return () => callOff()
  }

  const holdPlace = async (account: AccountName, kind: Concurrent, quota: number, ending: Ending) => {
    const key = `${account.tag}\0${account.name}\0${kind}`
    const refusal = { violated: [kind], retryAfterSeconds: retryAfterSeconds[kind] }
    if ((held.get(key) ?? 0) >= quota) throw refuseQuota(refusal)
    change(key, 1)
    const slot = { account, kind, quota, id: randomUUID() }
    const isHeld = store ? await store.hold(slot, leaseMs) : true
    if (isHeld === false) {
      change(key, -1)
      throw refuseQuota(refusal)
    }
    const stopRenewing = store ? keepRenewed(() => store.hold(slot, leaseMs)) : () => {}
    const release = () => {
      change(key, -1)
      stopRenewing()
      void store?.release(slot)
    }
    if (ending.destroyed) release()
    else ending.once('close', release)
  }

  return {
    async hold(account, kind, ending) {
      await holdPlace(account, kind, concurrencyQuotas[kind], ending)
      // If this rejects, the first place is free again when the refusal has been sent.
      if (account.tag === demoCustomerId && kind === 'long_polls') {
        await holdPlace({ ...account, name: '' }, kind, demoLongPolls, ending)
      }
    },
  }
}
