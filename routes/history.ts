import { createHistory } from '../app/features/history/history.ts'
import { describeHistory, describeRecordHistory, historyPage } from '../app/features/history/openapi.ts'
import { createNamedScopes } from '../app/records/query/named-resources.ts'
import { resources } from '../app/records/resources/index.ts'
import { cachedEndpoint } from '../plugins/data-endpoints.ts'
import type { EndpointParams } from '../plugins/endpoint.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'

export const historyRoutes: FeatureRoutes = {
  withToken: async (app, deps) => {
    const { lists, today } = app
    const history = createHistory({ lists, today })
    for (const resource of Object.values(resources)) {
      const toRecord = ({ id }: EndpointParams) => ({ resource, id: id as string })
      app.endpoint(
        cachedEndpoint(
          {
            path: `/${resource.name}/:id/history`,
            scope: `${resource.name}:read`,
            schema: { openapi: describeRecordHistory(resource), response: { 200: historyPage } },
            parse: (request) => history.parse({ ...request, record: toRecord(request.params) }),
            answer: (request) => history.answer({ ...request, record: toRecord(request.params) }),
          },
          deps,
        ),
      )
    }
    app.endpoint(
      cachedEndpoint(
        {
          path: '/history',
          scope: null,
          listScopes: createNamedScopes('resource'),
          schema: { openapi: describeHistory, response: { 200: historyPage } },
          parse: history.parse,
          answer: history.answer,
        },
        deps,
      ),
    )
  },
}
