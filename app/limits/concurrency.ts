import { randomUUID } from 'node:crypto'
import { demoCustomerId } from '../identity/principal.ts'
import { repeat } from '../overload/repeat.ts'
import type { AccountDeps } from './account.ts'
import { toQuotaError } from './meters.ts'
import type { AccountName, PolicyName, SlotStore } from './store.ts'

export type Concurrent = Extract<PolicyName, 'exports' | 'long_polls'>

/** `retryAfterSeconds` is a guess, because the end of a request is unknown. */
const limits: Record<Concurrent, { quota: number; retryAfterSeconds: number }> = {
  exports: { quota: 2, retryAfterSeconds: 5 },
  long_polls: { quota: 10, retryAfterSeconds: 1 },
}
/** Of all demo clients together, because one visitor may have many addresses. */
const demoLongPolls = 100

export type Ending = {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

type ConcurrencyOptions = Pick<AccountDeps, 'after'> & { store: SlotStore | undefined }

/** Lifetime of a slot whose instance has died. */
export const leaseMs = 15_000
export const renewEveryMs = 5_000

/** Limits concurrent work. Without a store that responds, each instance allows the whole quota. */
export const createConcurrency = ({ store, after }: ConcurrencyOptions) => {
  const held = new Map<string, number>()

  const change = (key: string, by: number): void => {
    const count = (held.get(key) ?? 0) + by
    if (count > 0) held.set(key, count)
    else held.delete(key)
  }

  const holdSlot = async (account: AccountName, kind: Concurrent, quota: number, ending: Ending) => {
    const key = `${account.tag}\0${account.name}\0${kind}`
    const refusal = { violated: [kind], retryAfterSeconds: limits[kind].retryAfterSeconds }
    if ((held.get(key) ?? 0) >= quota) throw toQuotaError(refusal)
    change(key, 1)
    const slot = { account, kind, quota, id: randomUUID() }
    const isHeld = store ? await store.hold(slot, leaseMs) : true
    if (isHeld === false) {
      change(key, -1)
      throw toQuotaError(refusal)
    }
    const renew = { everyMs: renewEveryMs, firstMs: renewEveryMs, onFailure: () => {}, after }
    const stopRenewing = store && repeat({ ...renew, work: () => store.hold(slot, leaseMs) })
    const release = () => {
      change(key, -1)
      void stopRenewing?.()
      void store?.release(slot)
    }
    if (ending.destroyed) release()
    else ending.once('close', release)
  }

  return {
    /** Holds a slot of the account until `ending` closes. Rejects with `quota_exceeded` if none is free. */
    async hold(account: AccountName, kind: Concurrent, ending: Ending): Promise<void> {
      await holdSlot(account, kind, limits[kind].quota, ending)
      // If this rejects, the end of the refusal frees the first slot.
      if (account.tag === demoCustomerId && kind === 'long_polls') {
        await holdSlot({ ...account, name: '' }, kind, demoLongPolls, ending)
      }
    },
  }
}

export type Concurrency = ReturnType<typeof createConcurrency>
