import type { Deps } from '../../plugins/deps.ts'
import { formatAge } from '../cache/erased.ts'
import type { Fence } from '../cache/fence.ts'
import { createRedisCache } from '../cache/redis.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { createRedisLimits } from '../limits/redis.ts'
import { after } from '../overload/timer.ts'

type RedisStoresOptions = {
  url: string
  config: Pick<Config, 'cacheTtlSeconds'>
  secrets: Secrets
  fence: Pick<Fence, 'last'>
  warn: (message: string, error?: Error) => void
}

/** Opens the cache and the quotas in Redis. A start without Redis does not load this file. */
export const openRedisStores = (options: RedisStoresOptions): Pick<Deps, 'shared' | 'limitStore'> => {
  const { url, config, secrets, fence, warn } = options
  const epoch = () => fence.last?.epoch ?? ''
  const view = () => (fence.last ? formatAge(fence.last) : '')
  return {
    shared: createRedisCache({ url, secrets, epoch, ttlSeconds: config.cacheTtlSeconds, warn }),
    limitStore: createRedisLimits({ url, view, after, warn }),
  }
}
