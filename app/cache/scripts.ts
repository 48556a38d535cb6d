import { rankBytes } from './envelope.ts'

/**
 * Stores an envelope unless the stored one is newer. Ranks are texts of one length, because Lua's numbers are doubles:
 * close snapshots would be equal.
 */
export const setScript = `
local known = redis.call('GETRANGE', KEYS[1], 0, ${rankBytes - 1})
if #known < ${rankBytes} or known <= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end`
