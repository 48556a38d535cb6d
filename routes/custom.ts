import { exportCost } from '../app/export/exports.ts'
import { exportTypes } from '../app/export/formats.ts'
import { createCustom } from '../app/features/custom/custom.ts'
import { createCustomExports } from '../app/features/custom/exports.ts'
import { createGranted } from '../app/features/custom/granted.ts'
import { describeDefinitions } from '../app/features/custom/openapi.ts'
import { exportedEndpoint } from '../plugins/data-endpoints.ts'
import type { EndpointParams } from '../plugins/endpoint.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { customAnswer } from '../schemas/custom.ts'

const toName = ({ name }: EndpointParams) => name as string

export const customRoutes: FeatureRoutes = {
  withToken: async (app, deps) => {
    const { db, freshness, now, monotonicNow, databaseNow } = deps
    const { lists, today, exports } = app
    const granted = createGranted({ db, freshness, now, monotonicNow })
    const custom = createCustom({ lists, today, databaseNow, granted })
    const files = createCustomExports({ exports: exports.rows })
    app.describePersonal(async (customerId) => describeDefinitions(await custom.listDefinitions(customerId)))
    app.endpoint(
      exportedEndpoint(
        {
          path: '/custom/:name',
          scope: null,
          schema: { response: { 200: customAnswer } },
          getScope: ({ name }) => `custom:${name}`,
          getName: ({ name }) => `custom/${name}`,
          admit: ({ principal, params }) => custom.admit({ principal, name: toName(params) }),
          parse: (request) => custom.parse({ ...request, name: toName(request.params) }),
          answer: (request) => custom.answer({ ...request, name: toName(request.params) }),
          exporting: {
            types: exportTypes,
            cost: exportCost,
            isPossible: (request) => custom.isList({ ...request, name: toName(request.params) }),
            hold: exports.rows.hold,
            respond: files.answer,
          },
        },
        deps,
      ),
    )
  },
}
