import type { AccountName } from './policy.ts'

/** One of an account's places of a kind. `id`: of the one who holds it. */
export type Slot = Readonly<{ account: AccountName; kind: string; quota: number; id: string }>

/** Places that instances share. Never throws, never hangs. */
export type SlotStore = {
  /**
   * Takes the place, or keeps one that is held, for so long; false: none is free. Undefined: not answered in
   * time, and maybe taken.
   */
  hold(slot: Slot, leaseMs: number): Promise<boolean | undefined>
  /** Gives it back. */
  release(slot: Slot): Promise<void>
}

/**
 * A sorted set of holders by when their lease ends. Whoever is in it keeps its place, also over the quota: it
 * may have been given out while Redis was away. Arguments: id, quota, lease in ms. The clock is Redis's own.
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

/** The account's tag as hash tag, as its counts have it: erased with the customer. */
export const slotKey = ({ account: { tag, name }, kind }: Slot): string =>
  `certdata:{${tag}}:running:${kind}${name === '' ? '' : `:${name}`}`
