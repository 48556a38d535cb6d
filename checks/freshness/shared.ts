import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'

/** An older entry in Redis replaced a newer one. */
export type Regress = { name: string; from: string; to: string }

const rankBytes = 25
const everyMs = 8
const script = `
local found = {}
for _, name in ipairs(redis.call('KEYS', 'certdata:{*')) do
  if not string.find(name, ':limits:', 1, true) then
    found[#found + 1] = name
    found[#found + 1] = redis.call('GETRANGE', name, 0, ${rankBytes - 1})
  end
end
return found`

/**
 * Watches the ranks of the entries in Redis: the newer of two snapshots must stay. The fence hides an older
 * entry, which is only slow, so answers do not reveal the fault. Returns a function that ends the watch and
 * resolves with the regressions.
 */
export const watchShared = (url: string): (() => Promise<Regress[]>) => {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: 1_000 })
  redis.on('error', () => {})
  const ranks = new Map<string, string>()
  const regresses: Regress[] = []
  let isStopped = false
  let looks = 0
  const look = async () => {
    const found = (await redis.eval(script, 0)) as string[]
    for (let index = 0; index < found.length; index += 2) {
      const [name, rank] = [found[index] as string, found[index + 1] as string]
      const before = ranks.get(name)
      if (before !== undefined && rank < before) regresses.push({ name, from: before, to: rank })
      ranks.set(name, rank)
    }
    looks += 1
  }
  const watching = (async () => {
    while (!isStopped) {
      await look().catch(() => {})
      await delay(everyMs)
    }
  })()
  return async () => {
    isStopped = true
    await watching
    if (looks === 0) throw new Error('Redis was never read')
    redis.disconnect()
    return regresses
  }
}
