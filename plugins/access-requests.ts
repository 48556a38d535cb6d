import fp from 'fastify-plugin'
import { type AccessRequests, createAccessRequests } from '../app/operator/access/requests.ts'
import { after as afterMs } from '../app/overload/timer.ts'
import type { Deps } from './deps.ts'

type Parts = Pick<Deps, 'config' | 'reserved' | 'limitStore' | 'now' | 'monotonicNow'>

/** The store itself, or what it is built from. `after`: see app/overload/timer.ts. */
export type AccessRequestsPluginOptions = (Parts | { requests: AccessRequests }) & { after?: typeof afterMs }

declare module 'fastify' {
  interface FastifyInstance {
    accessRequests: AccessRequests
  }
}

/** Also where a service never runs for an hour; not at the start, which belongs to requests. */
const deleteFirstAfterMs = 60_000
const deleteEveryMs = 3_600_000

const createStore = ({ config, reserved: db, limitStore: store, now, monotonicNow }: Parts) => {
  const { limits, holidays, accessRequestDays: keptDays } = config
  return createAccessRequests({ db, limits, store, after: afterMs, now, monotonicNow, holidays, keptDays })
}

/** Requests for access; deletes what is too old each hour, on however many instances. */
export default fp<AccessRequestsPluginOptions>(
  (app, { after = afterMs, ...options }, done) => {
    const requests = 'requests' in options ? options.requests : createStore(options)
    let callOff = () => {}
    let running: Promise<void> | undefined
    const deleteOld = async () => {
      try {
        await requests.deleteOld()
      } catch (error) {
        const { message: reason } = error as Error
        app.log.warn({ reason }, 'old access requests were not deleted: trying again in an hour')
      }
      running = undefined
      schedule(deleteEveryMs)
    }
    const schedule = (ms: number) => {
      callOff = after(ms, () => {
        running = deleteOld()
      })
    }
    app.decorate('accessRequests', requests)
    app.addHook('onReady', async () => schedule(deleteFirstAfterMs))
    app.addHook('onClose', async () => {
      callOff()
      await running
      callOff()
    })
    done()
  },
  { name: 'access-requests', fastify: '5.x' },
)
