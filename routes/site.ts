import type { FastifyInstance } from 'fastify'
import { apiCatalog, apiCatalogType } from '../app/site/api-catalog.ts'
import { once } from '../app/site/once.ts'
import { securityTxt } from '../app/site/security-txt.ts'
import type { SiteFile } from '../app/site/site.ts'
import type { Deps } from '../plugins/deps.ts'
import { immutable, type SendPage, styledPolicy, wellKnownCacheControl } from '../plugins/pages.ts'

export const pageRoutes = async (app: FastifyInstance, { now }: Pick<Deps, 'now'>): Promise<void> => {
  const { site, describedRoutes } = app
  const give = (path: string, find: () => SiteFile | Promise<SiteFile>, how?: SendPage) =>
    app.get(path, async (_request, reply) => reply.sendPage(await find(), how))
  app.get('/', (_request, reply) =>
    reply.sendPage(site.home.read(new Date(now()).toISOString().slice(0, 10))),
  )
  for (const [path, page] of site.files) {
    give(path, page, path === '/docs' ? { policy: styledPolicy } : {})
  }
  for (const asset of site.assets.all) give(asset.url, () => asset, { cacheControl: immutable })
  // Created at the first request, when every route is registered.
  give(
    '/docs/search.json',
    once(() => site.searchFile(describedRoutes)),
  )
}

const catalogPath = '/.well-known/api-catalog'

/** RFC 9727 and RFC 9116. */
export const wellKnownRoutes = async (
  app: FastifyInstance,
  { publicUrl, config: { securityContact }, now }: Pick<Deps, 'publicUrl' | 'config' | 'now'>,
): Promise<void> => {
  const contactUrl = `${publicUrl}${app.site.contactPage?.path ?? '/'}`
  const catalog = Buffer.from(
    JSON.stringify(apiCatalog(publicUrl, app.site.metadataPaths, app.site.statusPath)),
  )
  const catalogHeaders = {
    link: `<${publicUrl}${catalogPath}>; rel="api-catalog"`,
    'cache-control': wellKnownCacheControl,
  }
  app.get(catalogPath, (_request, reply) => reply.headers(catalogHeaders).type(apiCatalogType).send(catalog))
  app.get('/.well-known/security.txt', (_request, reply) =>
    reply
      .header('cache-control', wellKnownCacheControl)
      .type('text/plain; charset=utf-8')
      .send(securityTxt(publicUrl, securityContact ?? contactUrl, now())),
  )
}
