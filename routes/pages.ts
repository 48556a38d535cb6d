import type { FastifyInstance } from 'fastify'
import type { SiteFile } from '../app/site/site.ts'
import { immutable, type SendPage, styledPolicy } from '../plugins/pages.ts'

/** Pages and texts that are the same for everyone, and what they load. */
export const pageRoutes = async (app: FastifyInstance): Promise<void> => {
  const { site, describedRoutes } = app
  const give = (path: string, find: () => SiteFile, how?: SendPage) => {
    app.get(path, { schema: { hide: true } }, (_request, reply) => reply.sendPage(find(), how))
    app.guardMethods(path, ['GET', 'HEAD'])
  }
  for (const [path, page] of site.files) {
    give(path, () => page, path === '/docs' ? { policy: styledPolicy } : {})
  }
  for (const asset of site.assets.all) give(asset.url, () => asset, { cacheControl: immutable })
  // Made when someone searches for the first time: by then every route is known.
  let search: SiteFile | undefined
  give('/docs/search.json', () => {
    search ??= site.searchFile(describedRoutes)
    return search
  })
}
