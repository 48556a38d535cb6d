import type { FastifyInstance } from 'fastify'
import { ApiError } from '../app/errors.ts'
import { isSameOrigin } from '../app/http/same-origin.ts'
import { toClientNetwork } from '../app/limits/address.ts'
import { createCount } from '../app/limits/limiter.ts'
import { changeDemoRecord } from '../app/local/demo-changes.ts'
import { after } from '../app/overload/timer.ts'
import type { Deps } from '../plugins/deps.ts'

/** Client networks that are counted at the same time, about 2 kB each. */
const maxAccounts = 1_000
/** Of all clients together, because every reader of the feed receives each change. */
const changesAMinute = 60

export const demoRoutes = async (
  app: FastifyInstance,
  { reserved, publicUrl, limitStore, monotonicNow }: Deps,
): Promise<void> => {
  const limits = { store: limitStore, after, now: monotonicNow, maxAccounts }
  const oneInTenSeconds = createCount(limits, 'demo_changes', 1, 10)
  const everyone = createCount(limits, 'demo_changes_all', changesAMinute)
  app.route({
    method: 'POST',
    url: '/demo/change',
    onRequest: async (request) => {
      if (!isSameOrigin(request.headers, request.host, publicUrl)) throw new ApiError('cross_origin')
      await oneInTenSeconds.take({ tag: `demo:${toClientNetwork(request.clientAddress)}`, name: '' })
      await everyone.take({ tag: 'demo:all', name: '' })
    },
    handler: async (_request, reply) => {
      const change = await changeDemoRecord(reserved)
      return reply.header('cache-control', 'no-store').send(change)
    },
  })
}
