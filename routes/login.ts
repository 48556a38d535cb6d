import type { FastifyInstance, preValidationHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ApiError } from '../app/errors.ts'
import { presentApiKey } from '../app/identity/credential.ts'
import { jwksMaxAgeSeconds } from '../app/identity/signing-keys.ts'
import { emptyQuery } from '../app/lists/no-parameters.ts'
import { describeLogin, describeSigningKeys } from '../app/openapi/account.ts'
import { noStore, toLoginSource } from '../plugins/auth.ts'
import { jwksAnswer, loginRequest, tokenAnswer } from '../schemas/auth.ts'

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
      body: loginRequest,
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
    { schema: { openapi: describeSigningKeys, response: { 200: jwksAnswer } } },
    (_request, reply) =>
      reply.header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`).send(app.signingKeys.jwks),
  )
}
