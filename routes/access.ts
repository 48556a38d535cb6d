import type { FastifyInstance, FastifyReply } from 'fastify'
import { parseBody } from '../app/http/body.ts'
import { createAccessForm, type FormValues } from '../app/operator/access/form.ts'
import { accessOutcomePage, accessPage } from '../app/site/access-page.ts'
import type { PageContent } from '../app/site/layout.ts'
import { describeAccessRequest } from '../app/site/openapi/account.ts'
import type { Deps } from '../plugins/deps.ts'
import { bodyOnly } from '../plugins/endpoint.ts'
import { toApiError } from '../plugins/problems.ts'
import { accessRequest, accessRequestAnswer } from '../schemas/access-request.ts'

const hint = 'Send {"company": "…", "name": "…", "email": "…", "message": "…", "consent": true} as JSON.'

/** Accepts access requests without a token. Needs the plugin `access-requests`. */
export const accessRequestRoutes = async (app: FastifyInstance): Promise<void> => {
  app.route({
    ...bodyOnly,
    method: 'POST',
    url: '/v1/access-requests',
    schema: { openapi: describeAccessRequest, body: accessRequest, response: { 202: accessRequestAnswer } },
    // Before the body is read, so that a refused body also uses the quota.
    onRequest: (request) => app.accessRequests.admit(request.clientAddress),
    handler: async (request, reply) => {
      const answer = await app.accessRequests.submit(
        parseBody(accessRequest, request.body, hint),
        request.clientAddress,
      )
      return reply.code(202).header('cache-control', 'no-store').send(answer)
    },
  })
}

const formType = 'application/x-www-form-urlencoded'

/** The contact form as HTML, which works without JavaScript. */
export const accessRoutes = async (
  app: FastifyInstance,
  { config: { accessContact }, secrets, now }: Pick<Deps, 'config' | 'secrets' | 'now'>,
): Promise<void> => {
  const form = createAccessForm(app.accessRequests, secrets, now)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(formType, { parseAs: 'string' }, (_request, body, parsed) => {
    parsed(null, Object.fromEntries(new URLSearchParams(body as string)))
  })
  app.setErrorHandler((error, request, reply) =>
    app.sendProblem(toApiError(error, formType) ?? error, request, reply),
  )
  const send = (reply: FastifyReply, content: PageContent) => reply.sendPage(app.site.layOut(content))

  app.get('/access', (_request, reply) => send(reply, accessPage(form.ticket(), accessContact)))
  app.post('/access', async (request, reply) => {
    const values = (request.body ?? {}) as FormValues
    const outcome = await form.submit(values, request.clientAddress)
    reply.code(outcome.kind === 'received' ? 200 : outcome.status)
    if (outcome.kind === 'refused') reply.headers(outcome.headers)
    return send(reply, accessOutcomePage(outcome, values, form.ticket(), accessContact))
  })
}
