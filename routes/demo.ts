import type { FastifyInstance } from 'fastify'
import { ApiError } from '../app/errors.ts'
import { isSameOrigin } from '../app/http/same-origin.ts'
import { toClientNetwork } from '../app/limits/address.ts'
import { createCount, createLimiter } from '../app/limits/limiter.ts'
import { refuseQuota } from '../app/limits/meters.ts'
import type { Policy } from '../app/limits/store.ts'
import { changeDemoRecord } from '../app/local/demo-changes.ts'
import { after } from '../app/overload/timer.ts'
import type { Deps } from '../plugins/deps.ts'

const policies: readonly Policy[] = [{ name: 'demo_changes', quota: 1, windowSeconds: 10 }]
/** Client networks that are counted at the same time, about 2 kB each. */
const maxAccounts = 1_000
/** Of all clients together, because every reader of the feed receives each change. */
const changesAMinute = 60

export const demoRoutes = async (
  app: FastifyInstance,
  { reserved, publicUrl, limitStore, monotonicNow }: Deps,
): Promise<void> => {
  const limits = { store: limitStore, after, now: monotonicNow, maxAccounts }
  const addresses = createLimiter(limits)
  const everyone = createCount(limits, 'demo_changes_all', changesAMinute)
  app.route({
    method: 'POST',
    url: '/demo/change',
    onRequest: async (request) => {
      if (!isSameOrigin(request.headers, request.host, publicUrl)) throw new ApiError('cross_origin')
      const name = { tag: `demo:${toClientNetwork(request.clientAddress)}`, name: '' }
      const admission = await addresses.account(name, policies).take([1])
      if (admission.violated.length > 0) throw refuseQuota(admission)
      await everyone.take({ tag: 'demo:all', name: '' })
    },
    handler: async (_request, reply) => {
      const change = await changeDemoRecord(reserved)
      return reply.header('cache-control', 'no-store').send(change)
    },
  })
}
