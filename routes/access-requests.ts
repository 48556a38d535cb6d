import type { FastifyInstance, RouteOptions } from 'fastify'
import { parseBody } from '../app/http/body.ts'
import { describeAccessRequest } from '../app/site/openapi/account.ts'
import { refuseAddressParameters } from '../plugins/body-only.ts'
import { accessRequest, accessRequestAnswer } from '../schemas/access-request.ts'

const hint = 'Send {"company": "…", "name": "…", "email": "…", "message": "…", "consent": true} as JSON.'

const routes: RouteOptions[] = [
  {
    method: 'POST',
    url: '/v1/access-requests',
    schema: { openapi: describeAccessRequest, body: accessRequest, response: { 202: accessRequestAnswer } },
    // parseBody lists every fault, the names that there are not included.
    validatorCompiler: () => () => true,
    // Before the body is read: a refused body costs a request of the quota, too.
    onRequest: (request) => request.server.accessRequests.admit(request.clientAddress),
    preHandler: refuseAddressParameters,
    handler: async (request, reply) => {
      const asked = parseBody(accessRequest, request.body, hint)
      const answer = await request.server.accessRequests.submit(asked)
      return reply.code(202).header('cache-control', 'no-store').send(answer)
    },
  },
]

/** The contact form's target, without a token. Needs the plugin `access-requests`. */
export const accessRequestRoutes = async (app: FastifyInstance): Promise<void> => {
  for (const route of routes) {
    app.route(route)
    app.guardMethods(route.url, ['POST'])
  }
}
