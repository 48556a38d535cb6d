import type { FastifyInstance, FastifyReply } from 'fastify'
import { createAccessForm, type FormValues } from '../app/operator/access/form.ts'
import { accessOutcomePage, accessPage } from '../app/site/access-page.ts'
import type { PageContent } from '../app/site/layout.ts'
import type { Deps } from '../plugins/deps.ts'
import { toApiError } from '../plugins/problems.ts'

const formType = 'application/x-www-form-urlencoded'
const hidden = { hide: true }

/** The contact form, which also works without JavaScript: then it is sent here. */
export const accessRoutes = async (
  app: FastifyInstance,
  { secrets, now }: Pick<Deps, 'secrets' | 'now'>,
): Promise<void> => {
  const form = createAccessForm(app.accessRequests, secrets, now)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(formType, { parseAs: 'string' }, (_request, body, parsed) => {
    parsed(null, Object.fromEntries(new URLSearchParams(body as string)))
  })
  // Refusals of the body name the type that it should have.
  app.setErrorHandler((error, request, reply) =>
    app.sendProblem(toApiError(error, formType) ?? error, request, reply),
  )
  const send = (reply: FastifyReply, content: PageContent) => reply.sendPage(app.site.layOut(content))

  app.get('/access', { schema: hidden }, (_request, reply) => send(reply, accessPage(form.ticket())))
  app.post('/access', { schema: hidden }, async (request, reply) => {
    const values = (request.body ?? {}) as FormValues
    const outcome = await form.submit(values, request.clientAddress)
    reply.code(outcome.kind === 'received' ? 200 : outcome.status)
    if (outcome.kind === 'refused') reply.headers(outcome.headers)
    return send(reply, accessOutcomePage(outcome, values, form.ticket()))
  })
  app.guardMethods('/access', ['GET', 'HEAD', 'POST'])
}
