import type { Custom } from '../app/custom/custom.ts'
import type { CustomExports } from '../app/custom/exports.ts'
import { exportCost } from '../app/export/exports.ts'
import { exportTypes } from '../app/export/formats.ts'
import type { Endpoint } from '../plugins/endpoint.ts'

/** What a customer was granted, by name. Which scope it needs is known only when it is known to be there. */
export const customEndpoints = (custom: Custom, exports: CustomExports): Endpoint[] => [
  {
    path: '/custom/:name',
    scope: null,
    schema: {},
    scopeOf: ({ name }) => `custom:${name}`,
    nameOf: ({ name }) => `custom/${name}`,
    admit: ({ principal, params }) => custom.admit({ principal, name: params.name as string }),
    answer: ({ principal, params, rawQuery, noCache }) =>
      custom.answer({ principal, name: params.name as string, rawQuery, noCache }),
    exporting: {
      types: exportTypes,
      cost: exportCost,
      respond: (request) => exports.answer(request, request.params.name as string, request.rawQuery),
    },
  },
]
