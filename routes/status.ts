import type { FastifyInstance, FastifyReply } from 'fastify'
import { createRepresentation } from '../app/cache/entry.ts'
import { jsonType } from '../app/http/formats.ts'
import type { QueryString } from '../app/http/pairs.ts'
import type { StatusDocument } from '../app/observe/status/document.ts'
import { guidesPath } from '../app/site/guides.ts'
import { homePage } from '../app/site/home.ts'
import type { SiteFile } from '../app/site/site.ts'
import { findStatusSpan, statusPage } from '../app/site/status-page.ts'
import type { Deps } from '../plugins/deps.ts'
import type { SendPage } from '../plugins/pages.ts'

type StatusRouteOptions = Pick<Deps, 'publicUrl' | 'config'>

export const statusRoutes = async (
  app: FastifyInstance,
  { publicUrl, config: { demoToken } }: StatusRouteOptions,
): Promise<void> => {
  const rendered = new Map<string, { status: StatusDocument; file: SiteFile }>()
  const send = (
    reply: FastifyReply,
    key: string,
    render: (status: StatusDocument) => SiteFile,
    how?: SendPage,
  ) => {
    const status = app.serviceStatus.document()
    let made = rendered.get(key)
    if (made?.status !== status) {
      made = { status, file: render(status) }
      rendered.set(key, made)
    }
    return reply.sendPage(made.file, how)
  }
  const { toPage, contactPage, files } = app.site
  const hasGuide = (name: string) => files.has(`${guidesPath}/${name}`)
  // For `/status` and `/status.json`: during an incident, many clients read them. `/` is always revalidated.
  const how = { cacheControl: 'public, max-age=5' }
  app.get('/', (_request, reply) =>
    send(reply, '/', (status) => toPage(homePage({ publicUrl, demoToken, contactPage, hasGuide, status }))),
  )
  app.get<{ Querystring: QueryString }>('/status', ({ query }, reply) => {
    const span = findStatusSpan(new URLSearchParams(query.text).get('span'))
    return send(reply, span, (status) => toPage(statusPage(status, span)), how)
  })
  app.get('/status.json', (_request, reply) => {
    const answer = (status: StatusDocument) => ({
      type: jsonType,
      file: createRepresentation(jsonType, JSON.stringify(status)),
    })
    return send(reply, jsonType, answer, how)
  })
}
