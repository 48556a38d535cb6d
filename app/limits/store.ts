import type { AccountName, Policy } from './policy.ts'
import type { Count } from './window.ts'

export type Demand = Readonly<{
  policy: Policy
  /** Units admitted since the last report. Negative units are refunds. Counted regardless of the quota. */
  spent: number
  /** Units requested now. They are granted and counted as far as the quota has room. */
  wanted: number
}>

export type Settlement = Readonly<{
  /** 0 to `wanted`. If room is short, the demands of all policies are granted in the same proportion. */
  granted: number
  /** All units counted within the window by all instances, including this exchange. */
  counts: readonly Count[]
}>

/** The counts that instances share. Never throws. */
export type LimitStore = {
  /**
   * Returns one settlement per demand, in order, however late. `undefined` if the exchange failed or its
   * connection closed: its units may or may not be counted.
   */
  exchange(account: AccountName, demands: readonly Demand[]): Promise<readonly Settlement[] | undefined>
  readonly isDown: boolean
  /** True if the last exchange was refused although the store is not down. Optional. Defaults to false. */
  readonly isRefused?: boolean
  /** Instances that share the store, including this one. At least 1. */
  readonly instances: number
  close(): Promise<void>
}
