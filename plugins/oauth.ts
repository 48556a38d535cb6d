import type { FastifyInstance, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { jsonType } from '../app/http/formats.ts'
import { createAssertions } from '../app/identity/client-assertion.ts'
import type { KeyFacts } from '../app/identity/facts.ts'
import type { LoginSource } from '../app/identity/login-events.ts'
import { createOAuth, type OAuth } from '../app/identity/oauth.ts'
import { OAuthError, oauthErrorBody, toOAuthError } from '../app/identity/oauth-error.ts'
import { type Form, parseForm } from '../app/identity/oauth-form.ts'
import { createTurn } from '../app/limits/address.ts'
import type { Deps } from './deps.ts'
import { toApiError } from './problems.ts'

export type OAuthPluginOptions = Pick<Deps, 'publicUrl' | 'now' | 'reserved'>

declare module 'fastify' {
  interface FastifyInstance {
    oauth: OAuth
  }
  interface FastifyRequest {
    client: KeyFacts
  }
}

export const formType = 'application/x-www-form-urlencoded'
export const acceptOnlyForms = (app: FastifyInstance, parse: (body: string) => unknown): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(formType, { parseAs: 'string' }, async (_: FastifyRequest, body: string) =>
    parse(body),
  )
}

export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

export const toLoginSource = ({ clientAddress: ip, id: requestId }: FastifyRequest): LoginSource => ({
  ip,
  requestId,
})

/** Before the validation of the form, because 401 precedes its faults. */
export const authenticateClient =
  (operation: keyof OAuth): preValidationAsyncHookHandler =>
  async (request) => {
    const { body, headers, server } = request
    // The query string is validated first: an assertion can be used only once, and logins are limited.
    request.getValidationFunction('querystring')?.(request.query as object)
    if (!body) throw new OAuthError('invalid_request', `Send a form: ${formType}`)
    const client = { form: body as Form, authorization: headers.authorization }
    request.client = await server.oauth[operation].authenticate({ ...toLoginSource(request), ...client })
  }

/** In its scope, bodies are forms, and errors except 429 and 5xx have OAuth's format. */
export default fp<OAuthPluginOptions>(
  async (app, { publicUrl, now, reserved: db }) => {
    const { principals, identifyClient, logIn, verifyToken, signAccessToken } = app
    const presentAssertion = createAssertions({ db, principals, publicUrl, now })
    const oauth = createOAuth({
      principals,
      identify: identifyClient,
      logIn,
      verify: verifyToken,
      sign: signAccessToken,
      checks: app.limiters.keyChecks,
      publicUrl,
      now,
      presentAssertion,
      requireLoginRoom: app.limiters.logins.requireRoom,
      turnFor: (ip) => createTurn(db, ip),
    })
    app.decorate('oauth', oauth)
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
  },
  { name: 'oauth', dependencies: ['auth', 'gate', 'problems', 'limiters'], fastify: '5.x' },
)
