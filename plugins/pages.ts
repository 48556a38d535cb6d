import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isNotModified } from '../app/http/conditional.ts'
import type { Representation } from '../app/http/encodings.ts'
import { encodedBody, isEncodable } from '../app/http/encodings.ts'
import { findEncoding } from '../app/http/negotiation.ts'
import { createSite, type Site } from '../app/site/site.ts'

export type PagesOptions = { publicUrl: string; demoToken: string }

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
    app.decorateReply('sendPage', function (type, file, { cacheControl, policy } = {}) {
      const request: FastifyRequest = this.request
      // An answer for one request only has no tag.
      if (file.etag !== '') this.header('etag', file.etag)
      this.headers({
        'cache-control': cacheControl ?? (file.etag === '' ? 'no-store' : 'public, no-cache'),
        vary: 'Accept-Encoding',
      })
      this.header('content-security-policy', policy ?? pagePolicy)
      if (file.etag !== '' && isNotModified(request.headers['if-none-match'], file.etag)) {
        return this.code(304).send()
      }
      this.type(type)
      const encoding = isEncodable(file) ? findEncoding(request.headers['accept-encoding']) : undefined
      if (!encoding) return this.send(file.body)
      this.header('content-encoding', encoding)
      return encodedBody(file, encoding).then((body): FastifyReply => this.send(body))
    })
    done()
  },
  { name: 'pages', dependencies: ['gate'], fastify: '5.x' },
)
