import type { FastifyPluginAsync, preValidationAsyncHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ApiError } from '../app/errors.ts'
import { createAssertions } from '../app/features/oauth/client-assertion.ts'
import { OAuthError, oauthErrorBody, toOAuthError } from '../app/features/oauth/error.ts'
import { type Form, parseForm } from '../app/features/oauth/form.ts'
import { createKeyLimits } from '../app/features/oauth/limits.ts'
import { authorizationServerMetadata, protectedResourceMetadata } from '../app/features/oauth/metadata.ts'
import { createOAuth, type OAuth } from '../app/features/oauth/oauth.ts'
import { describeIntrospection, describeRevocation, describeToken } from '../app/features/oauth/openapi.ts'
import { jsonType } from '../app/http/formats.ts'
import { routedMethods } from '../app/http/methods.ts'
import type { KeyFacts } from '../app/identity/facts.ts'
import { namedScopes } from '../app/identity/scopes.ts'
import { createTurn } from '../app/limits/address.ts'
import { emptyQuery } from '../app/lists/no-parameters.ts'
import { after } from '../app/overload/timer.ts'
import { noStore, toLoginSource } from '../plugins/auth.ts'
import type { Deps } from '../plugins/deps.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { acceptOnlyForms, formType } from '../plugins/forms.ts'
import { wellKnownCacheControl } from '../plugins/pages.ts'
import { toApiError } from '../plugins/problems.ts'
import { tokenAnswer } from '../schemas/auth.ts'
import * as schemas from '../schemas/oauth.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated client of an OAuth endpoint. */
    client: KeyFacts
  }
}

type RouteOptions = { oauth: OAuth; publicUrl: string }

/** Before the validation of the form, because 401 precedes its faults. */
const authenticateClient =
  ({ authenticate }: OAuth[keyof OAuth]): preValidationAsyncHookHandler =>
  async (request) => {
    const { body, headers } = request
    // The query string is validated first: an assertion can be used only once, and logins are limited.
    request.getValidationFunction('querystring')?.(request.query as object)
    if (!body) throw new OAuthError('invalid_request', `Send a form: ${formType}`)
    const client = { form: body as Form, authorization: headers.authorization }
    request.client = await authenticate({ ...toLoginSource(request), ...client })
  }

const throwNotFound = (): never => {
  throw new ApiError('not_found', {
    detail: 'There are /v1/oauth/token, /v1/oauth/revoke and /v1/oauth/introspect',
  })
}

/** Bodies are forms, and errors except 429 and 5xx have OAuth's format. */
const formRoutes: FastifyPluginAsync<RouteOptions> = async (app, { oauth, publicUrl }) => {
  const { issue, revoke, introspect } = oauth
  app.decorateRequest('client')
  acceptOnlyForms(app, parseForm)
  app.addHook('onSend', async (_request, reply) => void reply.headers(noStore))
  app.setErrorHandler((error, request, reply) => {
    const known = error instanceof OAuthError ? undefined : toApiError(error, request)
    const refusal = error instanceof OAuthError ? error : known && toOAuthError(known)
    if (!refusal) return app.sendProblem(error, request, reply)
    const body = JSON.stringify(oauthErrorBody(refusal, publicUrl))
    return reply.code(refusal.status).headers(refusal.headers).type(jsonType).send(Buffer.from(body))
  })
  const typed = app.withTypeProvider<ZodTypeProvider>()
  const config = { bodyType: formType }
  typed.route({
    method: 'POST',
    url: '/v1/oauth/token',
    config,
    schema: {
      openapi: describeToken,
      body: schemas.tokenGrantRequest,
      querystring: emptyQuery,
      response: { 200: tokenAnswer },
    },
    preValidation: authenticateClient(issue),
    handler: (request) => issue.answer(request.client, request.body, toLoginSource(request)),
  })
  typed.route({
    method: 'POST',
    url: '/v1/oauth/revoke',
    config,
    schema: { openapi: describeRevocation, body: schemas.tokenReference, querystring: emptyQuery },
    preValidation: authenticateClient(revoke),
    handler: async (request, reply) => {
      await revoke.answer(request.client, request.body, toLoginSource(request))
      return reply.send()
    },
  })
  typed.route({
    method: 'POST',
    url: '/v1/oauth/introspect',
    config,
    schema: {
      openapi: describeIntrospection,
      body: schemas.tokenReference,
      querystring: emptyQuery,
      response: { 200: schemas.introspectionAnswer },
    },
    preValidation: authenticateClient(introspect),
    handler: (request) => introspect.answer(request.client, request.body),
  })
  // In this context, so that unknown paths are refused in OAuth's format.
  const url = '/v1/oauth/*'
  app.route({ method: [...routedMethods], url, onRequest: throwNotFound, handler: throwNotFound })
}

const metadataRoutes: FastifyPluginAsync<Pick<Deps, 'publicUrl'>> = async (app, { publicUrl }) => {
  const give = (url: string, document: object) => {
    const body = Buffer.from(JSON.stringify(document))
    app.get(url, (_request, reply) =>
      reply.header('cache-control', wellKnownCacheControl).type(jsonType).send(body),
    )
  }
  give('/.well-known/oauth-authorization-server', authorizationServerMetadata(publicUrl, namedScopes))
  give('/.well-known/oauth-protected-resource', protectedResourceMetadata(publicUrl, namedScopes))
}

export const oauthRoutes: FeatureRoutes = {
  public: async (app, deps) => {
    const { publicUrl, now, reserved: db, monotonicNow, limitStore: store, config } = deps
    const { principals, identifyClient, logIn, verifyToken, signAccessToken, limiters } = app
    const oauth = createOAuth({
      principals,
      identify: identifyClient,
      logIn,
      verify: verifyToken,
      sign: signAccessToken,
      checks: createKeyLimits({ limits: config.limits, store, now: monotonicNow, after }),
      publicUrl,
      now,
      presentAssertion: createAssertions({ db, principals, publicUrl, now }),
      requireLoginRoom: limiters.logins.requireRoom,
      turnFor: (ip) => createTurn(db, ip),
    })
    await app.register(formRoutes, { oauth, publicUrl })
    await app.register(metadataRoutes, { publicUrl })
  },
}
