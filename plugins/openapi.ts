import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { z } from 'zod'
import { encodedBody, isEncodable } from '../app/cache/encodings.ts'
import { createEtag, type Representation } from '../app/cache/entry.ts'
import { isNotModified } from '../app/http/conditional.ts'
import { findEncoding } from '../app/http/negotiation.ts'
import type { Description, Route } from '../app/openapi/description.ts'
import { createDocument } from '../app/openapi/document.ts'

export type OpenApiOptions = { publicUrl: string }

declare module 'fastify' {
  interface FastifySchema {
    /** What the document says of the route; without it the route is not in the document. */
    openapi?: Description
  }
}

const url = '/openapi.json'
const mediaType = 'application/json'

const createEntry = (document: object): Representation => {
  const body = Buffer.from(JSON.stringify(document))
  const etag = createEtag(mediaType, body)
  return { body, etag, encoded: new Map() }
}

const send = (entry: Representation, request: FastifyRequest, reply: FastifyReply) => {
  const vary = [reply.getHeader('vary'), 'Accept-Encoding'].filter((each) => each !== undefined).join(', ')
  reply.headers({ etag: entry.etag, 'cache-control': 'public, no-cache', vary })
  if (isNotModified(request.headers['if-none-match'], entry.etag)) return reply.code(304).send()
  reply.type(mediaType)
  const encoding = isEncodable(entry) ? findEncoding(request.headers['accept-encoding']) : undefined
  if (!encoding) return reply.send(entry.body)
  reply.header('content-encoding', encoding)
  return encodedBody(entry, encoding).then((body) => reply.send(body))
}

/**
 * Collects every described route that is registered after it, and serves the document of them all, made
 * once when the service is ready. Not @fastify/swagger: it writes each parameter from a validator's schema
 * and each answer in full where it occurs; here parameters come from the query grammar, errors from the
 * catalogue, and what operations share stands once.
 */
export default fp<OpenApiOptions>(
  (app, { publicUrl }, done) => {
    const routes: Route[] = []
    let entry: Representation
    app.addHook('onRoute', ({ method, url: path, schema, config }) => {
      const description = schema?.openapi
      if (!schema || !description) return
      const { body, response } = schema as { body?: unknown; response?: Record<number, unknown> }
      const answered = response?.[description.answer.status ?? 200]
      for (const each of [method].flat().filter((name) => name !== 'HEAD')) {
        routes.push({
          method: each,
          path,
          scope: config?.scope,
          ...(body instanceof z.ZodType ? { body } : {}),
          ...(answered instanceof z.ZodType ? { response: answered } : {}),
          needsLiveToken: config?.demo === false,
          description,
        })
      }
    })
    app.addHook('onReady', (next) => {
      entry = createEntry(createDocument(routes, publicUrl))
      next()
    })
    app.get(url, (request, reply) => send(entry, request, reply))
    app.guardMethods(url, ['GET', 'HEAD'])
    done()
  },
  { name: 'openapi', dependencies: ['method-guard', 'problems'], fastify: '5.x' },
)
