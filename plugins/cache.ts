import { setTimeout as delay } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { createMemoryCache, type MemoryCache } from '../app/cache/memory.ts'
import { createReadThrough, type ReadThrough } from '../app/cache/read-through.ts'
import type { Config } from '../app/config/config.ts'
import type { Deps } from './deps.ts'

type CacheOptions = Pick<Deps, 'shared' | 'judge'> & {
  config: Pick<Config, 'cacheBytes'>
  memory?: MemoryCache
}

declare module 'fastify' {
  interface FastifyInstance {
    cache: ReadThrough
    memoryCache: MemoryCache
  }
}

export default fp<CacheOptions>(
  (app, { config, shared, judge, memory = createMemoryCache(config.cacheBytes) }, done) => {
    app.decorate('memoryCache', memory)
    app.decorate('cache', createReadThrough({ memory, shared, judge, wait: delay }))
    done()
  },
  { name: 'cache', fastify: '5.x' },
)
