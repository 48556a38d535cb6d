import { rankBytes } from './envelope.ts'

/**
 * Ranks are texts of one length: Lua's numbers are doubles, and would take close snapshots for the same. The SET comes
 * first: after another write of the same script, Redis takes it beyond `maxmemory`, too.
 */
export const setScript = `
local known = redis.call('GETRANGE', KEYS[1], 0, ${rankBytes - 1})
if #known < ${rankBytes} or known <= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
redis.call('DEL', KEYS[2])`

/** Returns 1 if the lease is now ours. */
const takeLease = `
return redis.call('SET', KEYS[2], 'taken', 'NX', 'PX', ARGV[1]) and 1 or 0`

/** An answer, or as `takeLease`: one question where two would be asked. */
export const lookScript = `
local known = redis.call('GET', KEYS[1])
if known then return known end${takeLease}`

/** Else a lease that ended between our look and our question would be ours, and its holder's work done twice. */
export const leaseScript = `
if redis.call('GETRANGE', KEYS[1], 0, ${rankBytes - 1}) ~= ARGV[2] then return 0 end${takeLease}`
