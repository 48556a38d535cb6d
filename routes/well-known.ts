import type { FastifyInstance } from 'fastify'
import {
  apiCatalog,
  apiCatalogType,
  authorizationServerMetadata,
  protectedResourceMetadata,
} from '../app/identity/metadata.ts'
import { securityTxt } from '../app/site/security-txt.ts'

export type WellKnownOptions = {
  publicUrl: string
  /** Every scope there is. */
  scopes: readonly string[]
  /** Where weaknesses are reported; undefined: the access form. */
  securityContact: string | undefined
  /** Milliseconds since 1970. */
  now: () => number
}

const catalogPath = '/.well-known/api-catalog'
/** They change with a release; nobody waits for that by the second. */
const maxAgeSeconds = 300

const securityPath = '/.well-known/security.txt'

/** Serves the documents that programs look up by themselves: RFC 8414, RFC 9728, RFC 9727, RFC 9116. */
export const wellKnownRoutes = async (
  app: FastifyInstance,
  { publicUrl, scopes, securityContact, now }: WellKnownOptions,
): Promise<void> => {
  const json = 'application/json'
  const catalogLink = `<${publicUrl}${catalogPath}>; rel="api-catalog"`
  const documents = [
    ['/.well-known/oauth-authorization-server', json, authorizationServerMetadata(publicUrl, scopes), {}],
    ['/.well-known/oauth-protected-resource', json, protectedResourceMetadata(publicUrl, scopes), {}],
    [catalogPath, apiCatalogType, apiCatalog(publicUrl), { link: catalogLink }],
  ] as const
  for (const [url, type, document, headers] of documents) {
    const body = Buffer.from(JSON.stringify(document))
    const constant = { ...headers, 'cache-control': `public, max-age=${maxAgeSeconds}` }
    app.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply.headers(constant).type(type).send(body),
    )
    app.guardMethods(url, ['GET', 'HEAD'])
  }
  app.get(securityPath, { schema: { hide: true } }, (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${maxAgeSeconds}`)
      .type('text/plain; charset=utf-8')
      .send(securityTxt(publicUrl, securityContact, now())),
  )
  app.guardMethods(securityPath, ['GET', 'HEAD'])
}
