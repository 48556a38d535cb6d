import type { FastifyInstance } from 'fastify'

/** A few seconds, so that a crowd is answered by caches; the document is made anew as often. */
const cacheControl = 'public, max-age=5'

/** What monitors read; the page for people is made from it in the browser. Needs the plugin `status`. */
export const statusRoutes = async (app: FastifyInstance): Promise<void> => {
  const url = '/status.json'
  app.get(url, { schema: { hide: true } }, (_request, reply) =>
    reply.sendPage({ type: 'application/json', file: app.serviceStatus.document() }, { cacheControl }),
  )
  app.guardMethods(url, ['GET', 'HEAD'])
}
