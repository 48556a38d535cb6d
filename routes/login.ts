import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { ApiError } from '../app/errors.ts'
import { parseBody } from '../app/http/body.ts'
import { routedMethods } from '../app/http/methods.ts'
import { presentApiKey } from '../app/identity/credential.ts'
import { jwksMaxAgeSeconds } from '../app/identity/signing-keys.ts'
import {
  describeIntrospection,
  describeLogin,
  describeRevocation,
  describeSigningKeys,
  describeToken,
} from '../app/site/openapi/account.ts'
import { bodyOnly } from '../plugins/endpoint.ts'
import oauth, { noStore, type OAuthPluginOptions, readOAuthRequest } from '../plugins/oauth.ts'
import * as schemas from '../schemas/auth.ts'

const { tokenAnswer } = schemas

const readBody = (body: unknown): string =>
  parseBody(schemas.loginRequest, body, 'Send {"api_key": "…"} as JSON, or the key by HTTP Basic.').api_key

// RFC 7617. The key contains its id, so either half may hold the key. A contradicting key id is refused.
const readBasic = (encoded: string): string => {
  const decoded = Buffer.from(encoded, 'base64').toString()
  const [, user = '', password = ''] = (/^([^:]*):(.*)$/s.exec(decoded) ?? []).map((part) => part.trim())
  if (password === '') return user
  if (user === '') return password
  return password.startsWith(`cda_live_${user}_`) ? password : ''
}

const readApiKey = ({ headers, body }: FastifyRequest): string => {
  const [, basic] = /^basic +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (basic === undefined) return readBody(body)
  if (Object.keys(body ?? {}).length === 0) return readBasic(basic)
  throw new ApiError('invalid_body', {
    detail: 'The key was sent by HTTP Basic: send no body.',
    errors: [{ pointer: '', code: 'invalid_value', detail: 'expected no body with HTTP Basic' }],
  })
}

/** Login and the public keys, both without a token. Needs the plugin `auth`. */
export const authRoutes = async (app: FastifyInstance): Promise<void> => {
  app.route({
    ...bodyOnly,
    method: 'POST',
    url: '/v1/auth/login',
    schema: { openapi: describeLogin, body: schemas.loginRequest, response: { 200: tokenAnswer } },
    handler: async (request, reply) => {
      const source = { ip: request.clientAddress, requestId: request.id }
      const key = await app.logIn(presentApiKey(app.principals, readApiKey(request)), source)
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

const oauthRows: Pick<RouteOptions, 'url' | 'schema' | 'handler'>[] = [
  {
    url: '/v1/oauth/token',
    schema: { openapi: describeToken, body: schemas.tokenGrantRequest, response: { 200: tokenAnswer } },
    handler: (request) => request.server.oauth.issue(readOAuthRequest(request)),
  },
  {
    url: '/v1/oauth/revoke',
    schema: { openapi: describeRevocation, body: schemas.tokenReference },
    handler: async (request, reply) => {
      await request.server.oauth.revoke(readOAuthRequest(request))
      return reply.send()
    },
  },
  {
    url: '/v1/oauth/introspect',
    schema: {
      openapi: describeIntrospection,
      body: schemas.tokenReference,
      response: { 200: schemas.introspectionAnswer },
    },
    handler: (request) => request.server.oauth.introspect(readOAuthRequest(request)),
  },
]

const refusePath = (): never => {
  throw new ApiError('not_found', {
    detail: 'There are /v1/oauth/token, /v1/oauth/revoke and /v1/oauth/introspect',
  })
}

/** Client credentials, revocation and introspection. Clients authenticate with their API key. */
export const oauthRoutes = async (app: FastifyInstance, options: OAuthPluginOptions): Promise<void> => {
  await app.register(oauth, options)
  for (const row of oauthRows) app.route({ ...bodyOnly, method: 'POST', ...row })
  // Registered outside of the authenticated scope, so that unknown paths are refused in OAuth's format, too.
  const url = '/v1/oauth/*'
  app.route({ method: [...routedMethods], url, onRequest: refusePath, handler: refusePath })
}
