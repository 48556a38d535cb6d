import fp from 'fastify-plugin'
import { type AccessRequests, createAccessRequests } from '../app/operator/access/requests.ts'
import { after as afterMs } from '../app/overload/timer.ts'
import type { Deps } from './deps.ts'
import { repeatWhenReady } from './repeat.ts'

type Parts = Pick<Deps, 'config' | 'reserved' | 'limitStore' | 'now' | 'monotonicNow'>

/** Tests pass `requests` and `after`. */
type AccessRequestsPluginOptions = (Parts | { requests: AccessRequests }) & { after?: typeof afterMs }

declare module 'fastify' {
  interface FastifyInstance {
    accessRequests: AccessRequests
  }
}

const createStore = ({ config, reserved: db, limitStore: store, now, monotonicNow }: Parts) => {
  const { limits, holidays, accessRequestDays: keptDays } = config
  return createAccessRequests({ db, limits, store, after: afterMs, now, monotonicNow, holidays, keptDays })
}

export default fp<AccessRequestsPluginOptions>(
  async (app, { after = afterMs, ...options }) => {
    const requests = 'requests' in options ? options.requests : createStore(options)
    app.decorate('accessRequests', requests)
    const stop = repeatWhenReady(app, {
      work: () => requests.deleteOld(),
      // A service that restarts often may never run for an hour.
      firstMs: 60_000,
      everyMs: 3_600_000,
      failure: 'old access requests were not deleted: trying again in an hour',
      after,
    })
    app.addHook('onClose', stop)
  },
  { name: 'access-requests', fastify: '5.x' },
)
