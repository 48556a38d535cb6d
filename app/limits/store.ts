import type { AccountName, Policy } from './policy.ts'
import type { Count } from './window.ts'

/** What an instance tells and asks of one policy. */
export type Demand = Readonly<{
  policy: Policy
  /** Units it has let through since it last told; negative: units it gives back. Counted whatever the quota. */
  spent: number
  /** Units it would let through now: granted as far as there is room, and counted then. */
  wanted: number
}>

export type Settlement = Readonly<{
  /** 0 to `wanted`. Where room is short, every policy's demand is granted in the same proportion. */
  granted: number
  /** All that was counted within the window, by whichever instance, this exchange included. */
  counts: readonly Count[]
}>

/** The count that instances share. Never throws. */
export type LimitStore = {
  /**
   * Returns one settlement a demand, in order, however late. Undefined: the exchange failed or its connection
   * ended, and its units may or may not be counted.
   */
  exchange(account: AccountName, demands: readonly Demand[]): Promise<readonly Settlement[] | undefined>
  /** Whether an exchange would fail. */
  readonly isDown: boolean
  /** Whether the last exchange was refused, although the store is not down. Absent: never. */
  readonly isRefused?: boolean
  /** How many instances share it, this one included; at least 1. */
  readonly instances: number
  close(): Promise<void>
}
