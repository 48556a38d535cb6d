import type { AccountName } from './policy.ts'

/** One of an account's slots of a kind. `id` identifies the holder. */
export type Slot = Readonly<{ account: AccountName; kind: string; quota: number; id: string }>

/** Slots that instances share. Never throws, never hangs. */
export type SlotStore = {
  /**
   * Takes or renews the slot. False if none is free. `undefined` if not answered in time, and maybe taken.
   */
  hold(slot: Slot, leaseMs: number): Promise<boolean | undefined>
  release(slot: Slot): Promise<void>
}

/**
 * A sorted set of holders by the end of their lease. A holder in the set keeps its slot even above the quota,
 * because slots may have been handed out while Redis was unavailable. Arguments: id, quota, lease in ms. Uses
 * the clock of Redis.
 */
export const slotScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local isHeld = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not isHeld and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`

/** Uses the account's tag as hash tag, like its counts, so that both are erased with the customer. */
export const slotKey = ({ account: { tag, name }, kind }: Slot): string =>
  `certdata:{${tag}}:running:${kind}${name === '' ? '' : `:${name}`}`
