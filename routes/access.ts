import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { describeAccessRequest } from '../app/openapi/account.ts'
import { createAccessForm } from '../app/operator/access/form.ts'
import { emptyQuery } from '../app/records/query/no-parameters.ts'
import { accessOutcomePage, accessPage } from '../app/site/access-page.ts'
import type { PageContent } from '../app/site/layout.ts'
import type { Deps } from '../plugins/deps.ts'
import { acceptOnlyForms, formType } from '../plugins/oauth.ts'
import { accessForm, accessRequest, accessRequestAnswer } from '../schemas/access-request.ts'

export const accessRequestRoutes: FastifyPluginAsyncZod = async (app) => {
  app.route({
    method: 'POST',
    url: '/v1/access-requests',
    config: {
      bodyHint: 'Send {"company": "…", "name": "…", "email": "…", "message": "…", "consent": true} as JSON.',
    },
    schema: {
      openapi: describeAccessRequest,
      body: accessRequest,
      querystring: emptyQuery,
      response: { 202: accessRequestAnswer },
    },
    // Before the body is read, so that invalid bodies count, too.
    onRequest: ({ clientAddress: address }) =>
      app.limiters.failures.delayRefusal(address, app.accessRequests.admit(address)),
    handler: async (request, reply) => {
      const answer = await app.accessRequests.submit(request.body, request.clientAddress)
      return reply.code(202).header('cache-control', 'no-store').send(answer)
    },
  })
}

export const accessRoutes: FastifyPluginAsyncZod<Pick<Deps, 'config' | 'secrets' | 'now'>> = async (
  app,
  { config: { accessContact }, secrets, now },
) => {
  const form = createAccessForm(app.accessRequests, secrets, now)
  acceptOnlyForms(app, (body) => Object.fromEntries(new URLSearchParams(body)))
  const send = (reply: FastifyReply, content: PageContent) => reply.sendPage(app.site.layOut(content))

  app.get('/access', (_request, reply) => send(reply, accessPage(form.ticket(), accessContact)))
  app.route({
    method: 'POST',
    url: '/access',
    config: { bodyType: formType },
    schema: { body: accessForm },
    handler: async (request, reply) => {
      const values = request.body ?? {}
      const outcome = await form.submit(values, request.clientAddress)
      reply.code(outcome.kind === 'received' ? 200 : outcome.status)
      if (outcome.kind === 'refused') {
        if (outcome.status === 429) await app.limiters.failures.hold(request.clientAddress)
        reply.headers(outcome.headers)
      }
      return send(reply, accessOutcomePage(outcome, values, form.ticket(values.ticket), accessContact))
    },
  })
}
