import type { FastifyInstance, RouteOptions } from 'fastify'
import { ApiError } from '../app/errors.ts'
import { routedMethods } from '../app/http/methods.ts'
import { describeIntrospection, describeRevocation, describeToken } from '../app/site/openapi/oauth.ts'
import { refuseAddressParameters } from '../plugins/body-only.ts'
import oauth, { type OAuthPluginOptions, readOAuthRequest } from '../plugins/oauth.ts'
import { introspectionAnswer, tokenAnswer, tokenGrantRequest, tokenReference } from '../schemas/auth.ts'

const routes: RouteOptions[] = [
  {
    method: 'POST',
    url: '/v1/oauth/token',
    schema: { openapi: describeToken, body: tokenGrantRequest, response: { 200: tokenAnswer } },
    handler: (request) => request.server.oauth.issue(readOAuthRequest(request)),
  },
  {
    method: 'POST',
    url: '/v1/oauth/revoke',
    schema: { openapi: describeRevocation, body: tokenReference },
    handler: async (request, reply) => {
      await request.server.oauth.revoke(readOAuthRequest(request))
      return reply.send()
    },
  },
  {
    method: 'POST',
    url: '/v1/oauth/introspect',
    schema: { openapi: describeIntrospection, body: tokenReference, response: { 200: introspectionAnswer } },
    handler: (request) => request.server.oauth.introspect(readOAuthRequest(request)),
  },
]

const refusePath = (): never => {
  throw new ApiError('not_found', {
    detail: 'There are /v1/oauth/token, /v1/oauth/revoke and /v1/oauth/introspect',
  })
}

/** Client credentials, revocation and introspection; clients authenticate with their API key. */
export const oauthRoutes = async (app: FastifyInstance, options: OAuthPluginOptions): Promise<void> => {
  await app.register(oauth, options)
  for (const route of routes) {
    // The schemas are the document's; what a form lacks, the core says in OAuth's words.
    app.route({ ...route, validatorCompiler: () => () => true, preHandler: refuseAddressParameters })
    app.guardMethods(route.url, ['POST'])
  }
  // Registered in front of the token, so that unknown paths are refused in OAuth's words, too.
  app.route({
    method: [...routedMethods],
    url: '/v1/oauth/*',
    schema: { hide: true },
    onRequest: refusePath,
    handler: refusePath,
  })
}
