import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { createAccessForm } from '../app/features/access-requests/form.ts'
import { listFigures } from '../app/features/access-requests/metrics.ts'
import { describeAccessRequest } from '../app/features/access-requests/openapi.ts'
import { accessOutcomePage, accessPage } from '../app/features/access-requests/page.ts'
import { type AccessRequests, createAccessRequests } from '../app/features/access-requests/requests.ts'
import { emptyQuery } from '../app/lists/no-parameters.ts'
import { after } from '../app/overload/timer.ts'
import type { PageContent } from '../app/site/layout.ts'
import type { Deps } from '../plugins/deps.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { acceptOnlyForms, formType } from '../plugins/forms.ts'
import { accessForm, accessRequest, accessRequestAnswer } from '../schemas/access-requests.ts'

type RouteOptions = { requests: AccessRequests }

const apiRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { requests }) => {
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
      app.limiters.failures.delayRefusal(address, requests.admit(address)),
    handler: async (request, reply) => {
      const answer = await requests.submit(request.body, request.clientAddress)
      return reply.code(202).header('cache-control', 'no-store').send(answer)
    },
  })
}

const formRoutes: FastifyPluginAsyncZod<RouteOptions & Pick<Deps, 'config' | 'secrets' | 'now'>> = async (
  app,
  { requests, config: { accessContact: contact, house, accessRequestDays: keptDays }, secrets, now },
) => {
  // Another feature may show its example later than this plugin is registered.
  const readOperation = () => ({ contact, house, keptDays, examplePath: app.site.home.readExample()?.path })
  const form = createAccessForm(requests, secrets, now)
  acceptOnlyForms(app, (body) => Object.fromEntries(new URLSearchParams(body)))
  const send = (reply: FastifyReply, content: PageContent) => reply.sendPage(app.site.layOut(content))

  app.get('/access', (_request, reply) => send(reply, accessPage(form.ticket(), readOperation())))
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
      return send(reply, accessOutcomePage(outcome, values, form.ticket(values.ticket), readOperation()))
    },
  })
}

export const accessRequestRoutes: FeatureRoutes = {
  public: async (app, deps) => {
    const { config, reserved: db, limitStore: store, secrets, now, monotonicNow } = deps
    const { limits, holidays } = config
    const requests = createAccessRequests({ db, limits, store, after, now, monotonicNow, holidays })
    app.metrics.add(listFigures(deps))
    await app.register(apiRoutes, { requests })
    await app.register(formRoutes, { requests, config, secrets, now })
  },
}
