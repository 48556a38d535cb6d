import type { FastifyInstance, preValidationHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ApiError } from '../app/errors.ts'
import { routedMethods } from '../app/http/methods.ts'
import { presentApiKey } from '../app/identity/credential.ts'
import { jwksMaxAgeSeconds } from '../app/identity/signing-keys.ts'
import { emptyQuery } from '../app/lists/no-parameters.ts'
import {
  describeIntrospection,
  describeLogin,
  describeRevocation,
  describeSigningKeys,
  describeToken,
} from '../app/openapi/account.ts'
import oauth, {
  authenticateClient,
  formType,
  noStore,
  type OAuthPluginOptions,
  toLoginSource,
} from '../plugins/oauth.ts'
import * as schemas from '../schemas/auth.ts'

const { tokenAnswer } = schemas

// RFC 7617. The key is the user, or the password if the user is empty or the key's id. '' is no valid key.
const readBasic = (encoded: string): string => {
  const decoded = Buffer.from(encoded, 'base64').toString()
  const [, user = '', password = ''] = (/^([^:]*):(.*)$/s.exec(decoded) ?? []).map((part) => part.trim())
  if (password === '') return user
  if (user === '') return password
  return password.startsWith(`cda_live_${user}_`) ? password : ''
}

const readBasicAsBody: preValidationHookHandler = (request, _reply, next) => {
  const [, basic] = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (basic === undefined) return next()
  if (Object.keys(request.body ?? {}).length > 0) {
    throw new ApiError('invalid_body', {
      detail: 'The key was sent by HTTP Basic: send no body.',
      errors: [{ pointer: '', code: 'invalid_value', detail: 'expected no body with HTTP Basic' }],
    })
  }
  request.body = { api_key: readBasic(basic) }
  next()
}

export const authRoutes = async (app: FastifyInstance): Promise<void> => {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: 'POST',
    url: '/v1/auth/login',
    config: { bodyHint: 'Send {"api_key": "…"} as JSON, or the key by HTTP Basic.' },
    schema: {
      openapi: describeLogin,
      body: schemas.loginRequest,
      querystring: emptyQuery,
      response: { 200: tokenAnswer },
    },
    preValidation: readBasicAsBody,
    handler: async (request, reply) => {
      const source = toLoginSource(request)
      const key = await app.logIn(presentApiKey(app.principals, request.body.api_key), source)
      await app.principals.markKeyUsed(key.keyId)
      return reply.headers(noStore).send(await app.signAccessToken(key, source))
    },
  })
  app.get(
    '/.well-known/jwks.json',
    { schema: { openapi: describeSigningKeys, response: { 200: schemas.jwksAnswer } } },
    (_request, reply) =>
      reply.header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`).send(app.signingKeys.jwks),
  )
}

const throwNotFound = (): never => {
  throw new ApiError('not_found', {
    detail: 'There are /v1/oauth/token, /v1/oauth/revoke and /v1/oauth/introspect',
  })
}

export const oauthRoutes = async (app: FastifyInstance, options: OAuthPluginOptions): Promise<void> => {
  await app.register(oauth, options)
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
    preValidation: authenticateClient('issue'),
    handler: (request) => app.oauth.issue.answer(request.client, request.body, toLoginSource(request)),
  })
  typed.route({
    method: 'POST',
    url: '/v1/oauth/revoke',
    config,
    schema: { openapi: describeRevocation, body: schemas.tokenReference, querystring: emptyQuery },
    preValidation: authenticateClient('revoke'),
    handler: async (request, reply) => {
      await app.oauth.revoke.answer(request.client, request.body, toLoginSource(request))
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
    preValidation: authenticateClient('introspect'),
    handler: (request) => app.oauth.introspect.answer(request.client, request.body),
  })
  // In this scope, so that unknown paths are refused in OAuth's format.
  const url = '/v1/oauth/*'
  app.route({ method: [...routedMethods], url, onRequest: throwNotFound, handler: throwNotFound })
}
