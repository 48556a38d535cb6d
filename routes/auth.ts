import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { ApiError } from '../app/errors.ts'
import { parseBody } from '../app/http/body.ts'
import { jwksMaxAgeSeconds } from '../app/identity/signing-keys.ts'
import { describeLogin, describeSigningKeys } from '../app/site/openapi/account.ts'
import { refuseAddressParameters } from '../plugins/body-only.ts'
import { jwksAnswer, loginRequest, tokenAnswer } from '../schemas/auth.ts'

const readBody = (body: unknown): string =>
  parseBody(loginRequest, body, 'Send {"api_key": "…"} as JSON, or the key by HTTP Basic.').api_key

// RFC 7617. The key carries its id, so either half may be left to it; a key id that contradicts the key is no
// key.
const readBasic = (encoded: string): string => {
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (password === '') return user
  if (user === '') return password
  return password.startsWith(`cda_live_${user}_`) ? password : ''
}

const isEmpty = (body: unknown) => Object.keys(body ?? {}).length === 0

const readApiKey = ({ headers, body }: FastifyRequest): string => {
  const [, basic] = /^basic +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (basic === undefined) return readBody(body)
  if (isEmpty(body)) return readBasic(basic)
  throw new ApiError('invalid_body', {
    detail: 'The key was sent by HTTP Basic: send no body.',
    errors: [{ pointer: '', code: 'invalid_value', detail: 'expected no body with HTTP Basic' }],
  })
}

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

const routes: RouteOptions[] = [
  {
    method: 'POST',
    url: '/v1/auth/login',
    schema: { openapi: describeLogin, body: loginRequest, response: { 200: tokenAnswer } },
    // HTTP Basic comes without a body: which of the two is needed is for readApiKey to judge.
    validatorCompiler: () => () => true,
    preHandler: refuseAddressParameters,
    handler: async (request, reply) => {
      const { principals, logIn, signAccessToken } = request.server
      const key = await logIn(readApiKey(request), request.clientAddress, request.id)
      await principals.markKeyUsed(key.keyId)
      return reply.headers(noStore).send(await signAccessToken(key))
    },
  },
  {
    method: 'GET',
    url: '/.well-known/jwks.json',
    schema: { openapi: describeSigningKeys, response: { 200: jwksAnswer } },
    handler: (request, reply) =>
      reply
        .header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`)
        .send(request.server.signingKeys.jwks),
  },
]

/** Login and the public keys, both without a token. Needs the plugin `auth`. */
export const authRoutes = async (app: FastifyInstance): Promise<void> => {
  for (const route of routes) app.route(route)
}
