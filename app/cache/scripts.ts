import { rankBytes } from './envelope.ts'

/**
 * Stores an envelope unless the stored one is newer. Ranks are texts of equal length. As numbers, close
 * snapshots would compare as equal, because Lua's numbers are doubles.
 */
export const setScript = `
local known = redis.call('GETRANGE', KEYS[1], 0, ${rankBytes - 1})
if #known < ${rankBytes} or known <= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end`
