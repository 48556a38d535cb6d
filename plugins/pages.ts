import fp from 'fastify-plugin'
import { ApiError } from '../app/errors.ts'
import { choiceOf } from '../app/http/media-type.ts'
import { problemType } from '../app/http/problem.ts'
import type { DescribedRoute } from '../app/site/reference-link.ts'
import { createSite, htmlType, type Site, type SiteFile, type SiteOptions } from '../app/site/site.ts'
import { sendRepresentation, sendTagged } from './entry-reply.ts'

export type SendPage = {
  /** Absent: kept, and asked for each time. */
  cacheControl?: string
  /** Absent: the pages' own Content-Security-Policy. */
  policy?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every page that is the same for everyone, and the layout of the others. */
    site: Site
    /** The described routes, for the search: complete when the service is ready. */
    describedRoutes: readonly DescribedRoute[]
  }
  interface FastifyReply {
    /** Sends a page or a part of one: conditions, then a content coding. A file with an empty tag is not kept. */
    sendPage(page: SiteFile, how?: SendPage): FastifyReply | Promise<FastifyReply>
  }
}

/** Only what this origin serves; nothing inline but images. */
const policyWith = (styles: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const pagePolicy = policyWith("'self'")
/** For the reference alone, whose program writes styles into its page; scripts stay as strict. */
export const styledPolicy = policyWith("'self' 'unsafe-inline'")

/** Assets never change under their address. */
export const immutable = 'public, max-age=31536000, immutable'

/** A browser says that it likes HTML best. A program says nothing, or anything, and gets the first of these. */
const preferredType = choiceOf([problemType, 'application/json', htmlType.split(';')[0] as string])
const rootOf = (path: string) => path.split(/[/?]/, 2)[1] ?? ''

/** How pages are sent: with a policy of their own in place of the API's. */
export default fp<SiteOptions>(
  (app, options, done) => {
    const site = createSite(options)
    app.decorate('site', site)
    const described: DescribedRoute[] = []
    /** First parts of addresses below which everything is the API's, such as `v1` and `certificates`. */
    const apiRoots = new Set<string>()
    app.addHook('onRoute', ({ method, url: path, schema, config }) => {
      if (config?.scope !== undefined || path.startsWith('/v1/')) apiRoots.add(rootOf(path))
      const description = schema?.openapi
      if (description && method !== 'HEAD') described.push({ method: String(method), path, description })
    })
    app.decorate('describedRoutes', described)
    app.setNotFoundHandler((request, reply) => {
      const { method, url, headers } = request
      const isRead = method === 'GET' || method === 'HEAD'
      // See docs/decisions/0084-browsers-get-a-page-for-an-unknown-address.md.
      // A browser that opens an address sends no token. A request with a token comes from a program.
      const isPerson = headers.authorization === undefined && preferredType(headers.accept) === 'text/html'
      if (isRead && isPerson && !apiRoots.has(rootOf(url))) {
        return reply.code(404).sendPage(site.missing)
      }
      return app.sendProblem(new ApiError('not_found'), request, reply)
    })
    app.decorateReply('sendPage', function ({ type, file }, { cacheControl, policy = pagePolicy } = {}) {
      // An answer for one request only has no tag.
      const isKept = file.etag !== ''
      this.headers({
        'cache-control': cacheControl ?? (isKept ? 'public, no-cache' : 'no-store'),
        vary: 'Accept-Encoding',
        'content-security-policy': policy,
      })
      return isKept ? sendTagged(file, type, this) : sendRepresentation(file, this.type(type))
    })
    done()
  },
  { name: 'pages', dependencies: ['gate', 'problems'], fastify: '5.x' },
)
