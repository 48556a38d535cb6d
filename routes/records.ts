import { exportCost } from '../app/export/exports.ts'
import { exportTypes } from '../app/export/formats.ts'
import type { RecordExports } from '../app/export/records.ts'
import { includedScopes, type Records } from '../app/records/records.ts'
import { resourceNames, resources } from '../app/records/resources/index.ts'
import { describeItem, describePage } from '../app/site/openapi/records.ts'
import type { Endpoint } from '../plugins/endpoint.ts'

/** Returns the endpoints of every resource: a page, a record and the export of the whole list. */
export const recordEndpoints = (records: Records, exports: RecordExports): Endpoint[] =>
  resourceNames.flatMap((name): Endpoint[] => {
    const resource = resources[name]
    const scope = `${name}:read`
    return [
      {
        path: `/${name}`,
        scope,
        schema: { openapi: describePage(resource) },
        scopesOf: (rawQuery) => includedScopes(resource, rawQuery),
        answer: ({ principal, rawQuery, noCache }) =>
          records.answer({ principal, resource, rawQuery, noCache }),
        exporting: {
          types: exportTypes,
          cost: exportCost,
          respond: (request) => exports.answer(request, resource, request.rawQuery),
        },
      },
      {
        path: `/${name}/:id`,
        scope,
        schema: { openapi: describeItem(resource) },
        scopesOf: (rawQuery) => includedScopes(resource, rawQuery),
        answer: ({ principal, params, rawQuery, noCache }) =>
          records.answer({ principal, resource, id: params.id as string, rawQuery, noCache }),
      },
    ]
  })
