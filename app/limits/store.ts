export const policyNames = [
  'burst',
  'minute',
  'exports',
  'long_polls',
  'logins',
  'failed_logins',
  'introspections',
  'revocations',
  'key_links',
  'key_rotations',
  'access_requests',
  'calendar',
  'demo_changes',
  'demo_changes_all',
] as const

export type PolicyName = (typeof policyNames)[number]

export type Policy<Name extends PolicyName = PolicyName> = Readonly<{
  name: Name
  quota: number
  windowSeconds: number
}>

export type AccountName = Readonly<{ tag: string; name: string }>

/** `ageMs` is the age of the newest of these units. */
export type Count = readonly [ageMs: number, units: number]

export type Demand = Readonly<{
  policy: Policy
  /** Units admitted since the last report, even above the quota. */
  spent: number
  /** Refunds of units that were reported. `ageMs` is the age of the units, so that both leave the window together. */
  refunds?: readonly Count[]
  /** Units of requests that wait for this exchange. Granted as far as the quota has room. */
  wanted: number
}>

export type Settlement = Readonly<{
  /** If any policy lacks room, all grant the same share of `wanted`. */
  granted: number
  counts: readonly Count[]
}>

export type LimitStore = {
  /** One settlement per demand, in order. `undefined` if it failed, perhaps after counting. May take 5 s. */
  exchange(account: AccountName, demands: readonly Demand[]): Promise<readonly Settlement[] | undefined>
  /** True before the store's first response, and while it does not respond or refuses heartbeats. */
  readonly isDown: boolean
  /** True if the store refused the last exchange sent to it. It may be down since. */
  readonly isRefused?: boolean
  /** Instances with a recent heartbeat, including this one. At least 1. */
  readonly instances: number
  close(): Promise<void>
}

export type Slot = Readonly<{ account: AccountName; kind: string; quota: number; id: string }>

export type SlotStore = {
  /** Takes or renews the slot. False if all are taken. `undefined` if unknown: it may be taken. */
  hold(slot: Slot, leaseMs: number): Promise<boolean | undefined>
  release(slot: Slot): Promise<void>
}
