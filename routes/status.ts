import type { FastifyReply } from 'fastify'
import { createRepresentation } from '../app/cache/entry.ts'
import type { StatusDocument } from '../app/features/status/document.ts'
import { createHomeState } from '../app/features/status/home-state.ts'
import { findStatusSpan, statusPage } from '../app/features/status/page.ts'
import { createProbe } from '../app/features/status/probe.ts'
import { createRecorder } from '../app/features/status/recorder.ts'
import { createStatus } from '../app/features/status/status.ts'
import { jsonType } from '../app/http/formats.ts'
import type { QueryString } from '../app/http/pairs.ts'
import type { SiteFile } from '../app/site/site.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'

/** During an incident, many clients read them. */
const how = { cacheControl: 'public, max-age=5' }

export const statusRoutes: FeatureRoutes = {
  public: async (app, { config, reserved: db, now, ping, databaseNow, started }) => {
    const { records, log, site } = app
    const status = createStatus({ db, now, probe: createProbe({ records, ping, databaseNow }) })
    app.watchAnswers(status.addSentAnswer)
    site.home.showState(createHomeState(status.document))

    const recorder = createRecorder({ status, now, warn: (...line) => log.warn(...line) })
    void started?.then(recorder.start)
    app.addHook('onClose', recorder.stop)

    const rendered = new Map<string, { document: StatusDocument; file: SiteFile }>()
    const send = (reply: FastifyReply, key: string, render: (document: StatusDocument) => SiteFile) => {
      const document = status.document()
      let made = rendered.get(key)
      if (made?.document !== document) {
        made = { document, file: render(document) }
        rendered.set(key, made)
      }
      return reply.sendPage(made.file, how)
    }
    app.get<{ Querystring: QueryString }>('/status', ({ query }, reply) => {
      const span = findStatusSpan(new URLSearchParams(query.text).get('span'))
      return send(reply, span, (document) => site.toPage(statusPage(document, span, config.house)))
    })
    app.get('/status.json', (_request, reply) =>
      send(reply, jsonType, (document) => ({
        type: jsonType,
        file: createRepresentation(jsonType, JSON.stringify(document)),
      })),
    )
  },
}
