import type { Count } from './window.ts'

/** At most `quota` units in any interval of `windowSeconds`. */
export type Policy = Readonly<{ name: string; quota: number; windowSeconds: number }>

export type AccountName = Readonly<{ tag: string; name: string }>

export type Demand = Readonly<{
  policy: Policy
  /** Units admitted since the last report, whatever the quota. Negative units are refunds. */
  spent: number
  /** Units requested now, granted as far as the quota has room. */
  wanted: number
}>

export type Settlement = Readonly<{
  /** 0 to `wanted`. If room is short, all policies are granted the same share. */
  granted: number
  /** All units of all instances in the window, including this exchange. */
  counts: readonly Count[]
}>

export type LimitStore = {
  /** One settlement per demand, in order, however late. `undefined` if it failed and may or may not be counted. */
  exchange(account: AccountName, demands: readonly Demand[]): Promise<readonly Settlement[] | undefined>
  readonly isDown: boolean
  /** True if the last exchange was refused although the store is not down. */
  readonly isRefused?: boolean
  readonly instances: number
  close(): Promise<void>
}

/** One of an account's slots of a kind. `id` identifies the holder. */
export type Slot = Readonly<{ account: AccountName; kind: string; quota: number; id: string }>

export type SlotStore = {
  /** Takes or renews the slot. False if none is free. `undefined` if not answered in time, and maybe taken. */
  hold(slot: Slot, leaseMs: number): Promise<boolean | undefined>
  release(slot: Slot): Promise<void>
}
