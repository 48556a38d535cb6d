import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { presentApiKey } from '../app/identity/credential.ts'
import { jwksMaxAgeSeconds } from '../app/identity/signing-keys.ts'
import { emptyQuery } from '../app/lists/no-parameters.ts'
import { describeLogin, describeSigningKeys } from '../app/openapi/account.ts'
import { apiKeyHint, readBasicAsBody } from '../plugins/api-key-body.ts'
import { noStore, toLoginSource } from '../plugins/auth.ts'
import { jwksAnswer, loginRequest, tokenAnswer } from '../schemas/auth.ts'

export const authRoutes = async (app: FastifyInstance): Promise<void> => {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: 'POST',
    url: '/v1/auth/login',
    config: { bodyHint: apiKeyHint },
    schema: {
      openapi: describeLogin,
      body: loginRequest,
      querystring: emptyQuery,
      response: { 200: tokenAnswer },
    },
    preValidation: readBasicAsBody,
    handler: async (request, reply) => {
      const source = toLoginSource(request)
      const key = await app.logIn(presentApiKey(app.principals, request.body.api_key), source)
      const used = await app.principals.useKey(key, source)
      return reply.headers(noStore).send(await app.signAccessToken(used, source))
    },
  })
  app.get(
    '/.well-known/jwks.json',
    { schema: { openapi: describeSigningKeys, response: { 200: jwksAnswer } } },
    (_request, reply) =>
      reply.header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`).send(app.signingKeys.jwks),
  )
}
