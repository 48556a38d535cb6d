import type { FastifyInstance } from 'fastify'
import { htmlType } from '../app/site/site.ts'
import { immutable, styledPolicy } from '../plugins/pages.ts'

const hidden = { schema: { hide: true } }

/** Pages that are the same for everyone, and what they load. */
export const pageRoutes = async (app: FastifyInstance): Promise<void> => {
  for (const [path, file] of app.site.pages) {
    const how = path === '/docs' ? { policy: styledPolicy } : {}
    app.get(path, hidden, (_request, reply) => reply.sendPage(htmlType, file, how))
    app.guardMethods(path, ['GET', 'HEAD'])
  }
  for (const { url, type, file } of app.site.assets.all) {
    app.get(url, hidden, (_request, reply) => reply.sendPage(type, file, { cacheControl: immutable }))
    app.guardMethods(url, ['GET', 'HEAD'])
  }
}
