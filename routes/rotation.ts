import type { preValidationHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { describeRotation } from '../app/features/rotation/openapi.ts'
import { rotateKey } from '../app/features/rotation/rotate.ts'
import { presentApiKey } from '../app/identity/credential.ts'
import { toApiKeyError } from '../app/identity/credential-errors.ts'
import { createTurn } from '../app/limits/address.ts'
import { emptyQuery } from '../app/lists/no-parameters.ts'
import { apiKeyHint, readBasicAsBody } from '../plugins/api-key-body.ts'
import { noStore, toLoginSource } from '../plugins/auth.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { loginRequest } from '../schemas/auth.ts'
import { rotatedKey } from '../schemas/rotation.ts'

const requireNoToken: preValidationHookHandler = (request, _reply, next) => {
  const isKeySent = Object.keys(request.body ?? {}).length > 0
  if (!isKeySent && /^bearer\b/i.test(request.headers.authorization ?? '')) {
    const detail =
      'A token cannot rotate a key, because it may have leaked: send the API key itself, as at the login.'
    throw toApiKeyError({ detail, auditReason: 'token_sent' })
  }
  next()
}

/** Credentials are checked and limited as at the login. */
export const rotationRoutes: FeatureRoutes = {
  public: async (app, { reserved }) => {
    app.withTypeProvider<ZodTypeProvider>().route({
      method: 'POST',
      url: '/v1/me/keys/rotate',
      config: { bodyHint: apiKeyHint },
      schema: {
        openapi: describeRotation,
        body: loginRequest,
        querystring: emptyQuery,
        response: { 200: rotatedKey },
      },
      preValidation: [requireNoToken, readBasicAsBody],
      handler: async (request, reply) => {
        const source = toLoginSource(request)
        const key = await app.logIn(presentApiKey(app.principals, request.body.api_key), source)
        const turn = createTurn(reserved, source.ip)
        return reply.headers(noStore).send(await turn(() => rotateKey(reserved, key, source)))
      },
    })
  },
}
