import fp from 'fastify-plugin'
import type { Representation } from '../app/http/encodings.ts'
import { createSite, type Site } from '../app/site/site.ts'
import { sendRepresentation, sendTagged } from './entry-reply.ts'

type PagesOptions = { publicUrl: string; demoToken: string }

type SendPage = {
  /** Absent: kept, and asked for each time. */
  cacheControl?: string
  /** Absent: the pages' own Content-Security-Policy. */
  policy?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every page that is the same for everyone, and the layout of the others. */
    site: Site
  }
  interface FastifyReply {
    /** Sends a page or a part of one: conditions, then a content coding. A file with an empty tag is not kept. */
    sendPage(type: string, file: Representation, how?: SendPage): FastifyReply | Promise<FastifyReply>
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

/** How pages are sent: with a policy of their own in place of the API's. */
export default fp<PagesOptions>(
  (app, options, done) => {
    app.decorate('site', createSite(options))
    app.decorateReply('sendPage', function (type, file, { cacheControl, policy = pagePolicy } = {}) {
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
  { name: 'pages', dependencies: ['gate'], fastify: '5.x' },
)
