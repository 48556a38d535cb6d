import fp from 'fastify-plugin'
import type { Config } from '../app/config/config.ts'
import { createConcurrency } from '../app/limits/concurrency.ts'
import { createFailures } from '../app/limits/failures.ts'
import { createQuotas } from '../app/limits/limiter.ts'
import { createLogins } from '../app/limits/logins.ts'
import { after } from '../app/overload/timer.ts'
import type { Deps } from './deps.ts'

type LimitersOptions = Pick<Deps, 'limitStore' | 'monotonicNow'> & { config: Pick<Config, 'limits'> }

const createLimiters = ({ config: { limits }, limitStore: store, monotonicNow: now }: LimitersOptions) => {
  const counting = { limits, store, now, after }
  const failures = createFailures(counting)
  return {
    quotas: createQuotas(counting),
    failures,
    logins: createLogins({ ...counting, failures }),
    concurrency: createConcurrency({ store, after }),
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    limiters: ReturnType<typeof createLimiters>
  }
}

/** Creates the counters, which other plugins charge. */
export default fp<LimitersOptions>(
  async (app, options) => {
    app.decorate('limiters', createLimiters(options))
  },
  { name: 'limiters', fastify: '5.x' },
)
