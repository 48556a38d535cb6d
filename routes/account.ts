import { readAccountKeys } from '../app/features/account/keys.ts'
import { describeKeys, describeUsage } from '../app/features/account/openapi.ts'
import { accountPage } from '../app/features/account/page.ts'
import {
  addUsage,
  readUsage,
  requireUsageQuery,
  usageTypes,
  writeSeconds,
} from '../app/features/account/usage.ts'
import { createUsageCounts } from '../app/features/account/usage-counts.ts'
import { accountScope } from '../app/identity/scopes.ts'
import { liveEndpoint, streamedEndpoint } from '../plugins/data-endpoints.ts'
import type { Deps } from '../plugins/deps.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { repeatWhenReady } from '../plugins/repeat.ts'
import { accountKeys, usage } from '../schemas/account.ts'

type App = Parameters<NonNullable<FeatureRoutes['withToken']>>[0]

/** Counts answers, and adds the counts to the database every minute and at the end. */
const countUsage = (app: App, { reserved, databaseNow }: Deps): void => {
  const counts = createUsageCounts({ now: databaseNow })
  app.watchAnswers(counts.add)
  const flush = async () => {
    const lost = await counts.flush((taken) => addUsage(reserved, taken))
    if (lost > 0) app.log.warn({ lost }, 'requests are missing in the usage: too many keys at the same time')
  }
  const failure = 'the usage of customers was not written: trying again in a minute'
  const stop = repeatWhenReady(app, { work: flush, everyMs: writeSeconds * 1_000, failure })
  app.addHook('onClose', async () => {
    await stop()
    await flush().catch(({ message: reason }: Error) =>
      app.log.warn({ reason }, 'the usage of the last minute was lost when the service stopped'),
    )
  })
}

export const accountRoutes: FeatureRoutes = {
  public: async (app) => {
    app.get('/account', (_request, reply) => reply.sendPage(app.site.layOut(accountPage)))
  },
  withToken: async (app, deps) => {
    const { db, publicUrl } = deps
    countUsage(app, deps)
    app.endpoint(
      liveEndpoint(
        {
          path: '/me/keys',
          scope: accountScope,
          demo: false,
          schema: { openapi: describeKeys, response: { 200: accountKeys } },
          read: ({ principal }) => readAccountKeys(db, principal, app.principals),
        },
        { publicUrl },
      ),
    )
    app.endpoint(
      streamedEndpoint(
        {
          path: '/me/usage',
          scope: accountScope,
          demo: false,
          schema: { openapi: describeUsage, response: { 200: usage } },
          minuteCost: () => 1,
          offers: () => usageTypes,
          parse: ({ rawQuery }) => requireUsageQuery(rawQuery),
          respond: ({ principal, type }) =>
            readUsage(db, { customerId: principal.customerId, today: app.today(), type }),
        },
        { publicUrl },
      ),
    )
  },
}
