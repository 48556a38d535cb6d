import { ApiError } from '../app/errors.ts'
import { changeDemoRecord } from '../app/features/demo/changes.ts'
import { homeExample } from '../app/features/demo/market-picture.ts'
import { demoPage } from '../app/features/demo/page.ts'
import type { QueryString } from '../app/http/pairs.ts'
import { isSameOrigin } from '../app/http/same-origin.ts'
import { toClientNetwork } from '../app/limits/address.ts'
import { createCount } from '../app/limits/limiter.ts'
import { after } from '../app/overload/timer.ts'
import { once } from '../app/site/once.ts'
import { findReferenceLink } from '../app/site/reference-link.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'

/** Client networks that are counted at the same time, about 2 kB each. */
const maxAccounts = 1_000
/** Of all clients together, because every reader of the feed receives each change. */
const changesAMinute = 60

export const demoRoutes: FeatureRoutes = {
  public: async (app, { reserved, publicUrl, limitStore, monotonicNow, config: { demoToken } }) => {
    const { site, describedRoutes } = app
    site.home.showExample(homeExample)
    const readPage = once(() => site.toPage(demoPage(demoToken)))
    app.get<{ Querystring: QueryString }>('/demo', ({ query }, reply) => {
      const path = new URLSearchParams(query.text).get('path')
      if (path !== null) return reply.redirect(findReferenceLink(describedRoutes, path))
      return reply.sendPage(readPage())
    })

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
  },
}
