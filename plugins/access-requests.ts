import fp from 'fastify-plugin'
import type { AccessRequests } from '../app/operator/access/requests.ts'

export type AccessRequestsPluginOptions = {
  requests: AccessRequests
  /** See app/overload/timer.ts. */
  after: (ms: number, call: () => void) => () => void
}

declare module 'fastify' {
  interface FastifyInstance {
    accessRequests: AccessRequests
  }
}

/** Also where a service never runs for an hour; not at the start, which belongs to requests. */
const deleteFirstAfterMs = 60_000
const deleteEveryMs = 3_600_000

/** Requests for access; deletes what is too old each hour, on however many instances. */
export default fp<AccessRequestsPluginOptions>(
  (app, { requests, after }, done) => {
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
