import { isErasedScript } from '../cache/erased.ts'
import { windowParts } from './meters.ts'

/**
 * One hash per policy: part of the window → "units/time of the newest unit". Arguments per policy: quota, window in
 * ms, units spent, units wanted, refunds as "age in ms/units …". A refund changes the part of its units, or the next one
 * if they were counted late. Returns per policy: units granted, and [age in ms, units, …]. The last key is the mark of an
 * erasure, the last argument the age of the caller's view. Returns nil, and writes nothing, if it is older.
 */
export const exchangeScript = `${isErasedScript}
if isErased(table.remove(KEYS), table.remove(ARGV)) then return nil end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local policies, share = {}, 1
local function count(p, part, units, last)
  local known = p.counts[part]
  p.counts[part] = { units = (known and known.units or 0) + units, last = last or known.last }
  redis.call('HSET', p.key, part, string.format('%d/%d', p.counts[part].units, p.counts[part].last))
  redis.call('PEXPIRE', p.key, p.window)
end
for i, key in ipairs(KEYS) do
  local at = (i - 1) * 5
  local quota, window, spent = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local p = { key = key, window = window, wanted = tonumber(ARGV[at + 4]), counts = {} }
  local partAt = function(time) return math.floor(time * ${windowParts} / window) end
  p.part = tostring(partAt(now))
  local fields = redis.call('HGETALL', key)
  for f = 1, #fields, 2 do
    local units, last = string.match(fields[f + 1], '^(-?%d+)/(%d+)$')
    units, last = tonumber(units), tonumber(last)
    if units and last <= now and last + window > now then
      p.counts[fields[f]] = { units = units, last = last }
    else
      redis.call('HDEL', key, fields[f])
    end
  end
  if spent ~= 0 then count(p, p.part, spent, now) end
  for age, units in string.gmatch(ARGV[at + 5], '(%d+)/(%d+)') do
    local entered, nearest = partAt(now - age), nil
    for part in pairs(p.counts) do
      local number = tonumber(part) or -1
      if tonumber(age) < window and number >= entered and (not nearest or number < tonumber(nearest)) then nearest = part end
    end
    if nearest then count(p, nearest, -units) end
  end
  local used = 0
  for _, known in pairs(p.counts) do used = used + known.units end
  if p.wanted > 0 then share = math.min(share, math.max(0, quota - used) / p.wanted) end
  policies[i] = p
end
local answer = {}
for i, p in ipairs(policies) do
  local granted = math.floor(p.wanted * share + 1e-9)
  if granted ~= 0 then count(p, p.part, granted, now) end
  local ages = {}
  for _, known in pairs(p.counts) do
    ages[#ages + 1] = now - known.last
    ages[#ages + 1] = known.units
  end
  answer[#answer + 1] = granted
  answer[#answer + 1] = ages
end
return answer
`

/** Arguments: id, lifetime in ms. Returns the number of instances with a heartbeat within this lifetime. */
export const beatScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`

/**
 * Takes or renews a slot in a sorted set: id of the holder → end of the lease. Arguments: id, quota, lease in ms,
 * age of the caller's view. Returns 1, also for a renewal when all slots are taken. Returns 0 if there is no free slot,
 * and nil if the customer was erased.
 */
export const slotScript = `${isErasedScript}
if isErased(KEYS[2], ARGV[4]) then return nil end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local isHeld = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not isHeld and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`
