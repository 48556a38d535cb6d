import fp from 'fastify-plugin'
import type { Config } from '../app/config/config.ts'
import type { KeyChecks } from '../app/identity/oauth.ts'
import { type Concurrency, createConcurrency } from '../app/limits/concurrency.ts'
import { createKeyChecks, createQuotas, type Quotas } from '../app/limits/limiter.ts'
import { createLogins, type Logins } from '../app/limits/logins.ts'
import { after } from '../app/overload/timer.ts'
import type { Deps } from './deps.ts'

type QuotaOptions = Pick<Deps, 'limitStore' | 'monotonicNow'> & { config: Pick<Config, 'limits'> }

declare module 'fastify' {
  interface FastifyInstance {
    limits: Readonly<{ quotas: Quotas; logins: Logins; keyChecks: KeyChecks; concurrency: Concurrency }>
  }
}

export default fp<QuotaOptions>(
  (app, { config: { limits }, limitStore: store, monotonicNow: now }, done) => {
    const counting = { limits, store, now, after }
    app.decorate('limits', {
      quotas: createQuotas(counting),
      logins: createLogins(counting),
      keyChecks: createKeyChecks(counting),
      concurrency: createConcurrency({ store, after }),
    })
    done()
  },
  { name: 'quotas', fastify: '5.x' },
)
