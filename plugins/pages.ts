import fp from 'fastify-plugin'
import { ApiError } from '../app/errors.ts'
import { jsonType } from '../app/http/formats.ts'
import { getChoice } from '../app/http/negotiation.ts'
import { problemType } from '../app/http/problem.ts'
import type { SiteOptions } from '../app/site/options.ts'
import { createSite, htmlType, type Site, type SiteFile } from '../app/site/site.ts'
import { addVary, sendRepresentation, sendTagged } from './entry-reply.ts'

export type SendPage = {
  /** By default, a file without an ETag is not cached, and any other is revalidated each time. */
  cacheControl?: string
  policy?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    site: Site
  }
  interface FastifyReply {
    /** Compresses on demand, and keeps the result with the file. */
    sendPage(page: SiteFile, how?: SendPage): FastifyReply | Promise<FastifyReply>
  }
}

const policyWith = (styles: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const pagePolicy = policyWith("'self'")
/** For the API reference, whose script adds inline styles. */
export const styledPolicy = policyWith("'self' 'unsafe-inline'")

export const immutable = 'public, max-age=31536000, immutable'
/** Of documents below `/.well-known/`. */
export const wellKnownCacheControl = 'public, max-age=300'

/** A program that accepts anything gets the first of these. */
const preferredType = getChoice([problemType, jsonType, htmlType.split(';')[0] as string])
const getRoot = (path: string) => path.split(/[/?]/, 2)[1] ?? ''

export default fp<SiteOptions>(
  async (app, options) => {
    const site = createSite(options)
    app.decorate('site', site)
    const apiRoots = new Set<string>()
    app.addHook('onRoute', ({ url: path, config }) => {
      if (config?.scope !== undefined || path.startsWith('/v1/')) apiRoots.add(getRoot(path))
    })
    app.setNotFoundHandler((request, reply) => {
      const { method, url, headers } = request
      const isRead = method === 'GET' || method === 'HEAD'
      // See docs/decisions/0084-browsers-get-a-page-for-an-unknown-address.md. Browsers send no token.
      const isPerson = headers.authorization === undefined && preferredType(headers.accept) === 'text/html'
      if (isRead && isPerson && !apiRoots.has(getRoot(url))) {
        return reply.code(404).sendPage(site.missing)
      }
      return app.sendProblem(new ApiError('not_found'), request, reply)
    })
    app.decorateReply('sendPage', function ({ type, file }, { cacheControl, policy = pagePolicy } = {}) {
      const isKept = file.etag !== ''
      this.headers({
        'cache-control': cacheControl ?? (isKept ? 'public, no-cache' : 'no-store'),
        vary: addVary(this, 'Accept-Encoding'),
        'content-security-policy': policy,
      })
      return isKept ? sendTagged(file, type, this) : sendRepresentation(file, this.type(type))
    })
  },
  { name: 'pages', dependencies: ['gate', 'problems'], fastify: '5.x' },
)
