import { createFeed } from '../app/features/feed/feed.ts'
import { changesPage, describeChanges } from '../app/features/feed/openapi.ts'
import { feedCost, offeredTypes } from '../app/features/feed/request.ts'
import { createTokenCodec } from '../app/features/feed/token.ts'
import { createProveEmpty } from '../app/features/feed/unchanged.ts'
import { createWaiting } from '../app/features/feed/wait.ts'
import { changesScope } from '../app/identity/scopes.ts'
import { gaugeSum } from '../app/observe/figures.ts'
import { createNamedScopes } from '../app/records/query/named-resources.ts'
import { streamedEndpoint } from '../plugins/data-endpoints.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'

export const feedRoutes: FeatureRoutes = {
  withToken: async (app, deps) => {
    const { db, freshness, databaseNow, now, monotonicNow, secrets } = deps
    const { today } = app
    const waiting = createWaiting({ listen: deps.listen, databaseNow, isDraining: deps.isDraining })
    const feed = createFeed({
      db,
      waiting,
      publicUrl: deps.publicUrl,
      today,
      databaseNow,
      concurrency: app.limiters.concurrency,
      tokens: createTokenCodec(secrets),
      source: deps.exportSource,
      proveEmpty: createProveEmpty({ db, freshness, today, now, monotonicNow }),
    })
    // Long polls end before the server waits for requests in progress.
    app.addHook('preClose', (closed) => {
      waiting.close()
      closed()
    })
    app.metrics.add([gaugeSum('certdata_feed_waiters', 'Waiting long polls', () => waiting.count)])
    app.endpoint(
      streamedEndpoint(
        {
          path: '/changes',
          scope: changesScope,
          listScopes: createNamedScopes('resources'),
          schema: { openapi: describeChanges, response: { 200: changesPage } },
          minuteCost: feedCost,
          offers: offeredTypes,
          parse: feed.parse,
          respond: feed.answer,
        },
        deps,
      ),
    )
  },
}
