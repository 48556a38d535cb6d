import type { FastifyInstance } from 'fastify'
import {
  apiCatalog,
  apiCatalogType,
  authorizationServerMetadata,
  protectedResourceMetadata,
} from '../app/identity/metadata.ts'
import { listScopes } from '../app/identity/scopes.ts'
import { securityTxt } from '../app/site/security-txt.ts'
import { htmlType } from '../app/site/site.ts'
import type { Deps } from '../plugins/deps.ts'
import { immutable, styledPolicy } from '../plugins/pages.ts'

/** Pages that are the same for everyone, and what they load. */
export const pageRoutes = async (app: FastifyInstance): Promise<void> => {
  for (const [path, file] of app.site.pages) {
    const how = path === '/docs' ? { policy: styledPolicy } : {}
    app.get(path, (_request, reply) => reply.sendPage(htmlType, file, how))
  }
  for (const { url, type, file } of app.site.assets.all) {
    app.get(url, (_request, reply) => reply.sendPage(type, file, { cacheControl: immutable }))
  }
}

const catalogPath = '/.well-known/api-catalog'
/** They change with a release; nobody waits for that by the second. */
const cacheControl = 'public, max-age=300'

/** Serves the documents that programs look up by themselves: RFC 8414, RFC 9728, RFC 9727, RFC 9116. */
export const wellKnownRoutes = async (
  app: FastifyInstance,
  { publicUrl, config: { securityContact }, now }: Pick<Deps, 'publicUrl' | 'config' | 'now'>,
): Promise<void> => {
  const json = 'application/json'
  const scopes = listScopes()
  const link = `<${publicUrl}${catalogPath}>; rel="api-catalog"`
  const documents = [
    ['/.well-known/oauth-authorization-server', json, authorizationServerMetadata(publicUrl, scopes), {}],
    ['/.well-known/oauth-protected-resource', json, protectedResourceMetadata(publicUrl, scopes), {}],
    [catalogPath, apiCatalogType, apiCatalog(publicUrl), { link }],
  ] as const
  for (const [url, type, document, headers] of documents) {
    const body = Buffer.from(JSON.stringify(document))
    const constant = { ...headers, 'cache-control': cacheControl }
    app.get(url, (_request, reply) => reply.headers(constant).type(type).send(body))
  }
  app.get('/.well-known/security.txt', (_request, reply) =>
    reply
      .header('cache-control', cacheControl)
      .type('text/plain; charset=utf-8')
      .send(securityTxt(publicUrl, securityContact, now())),
  )
}
