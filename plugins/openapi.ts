import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { createEtag } from '../app/cache/entry.ts'
import { isNotModified } from '../app/http/conditional.ts'
import type { Representation } from '../app/http/encodings.ts'
import { encodedBody, isEncodable } from '../app/http/encodings.ts'
import { findEncoding } from '../app/http/negotiation.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan } from '../app/identity/principals.ts'
import { describeCustom } from '../app/site/openapi/custom.ts'
import type { Description, Route } from '../app/site/openapi/description.ts'
import { createDocument } from '../app/site/openapi/document.ts'
import limits from './limits.ts'

export type OpenApiOptions = { publicUrl: string }

declare module 'fastify' {
  interface FastifySchema {
    /** What the document says of the route; without it the route is not in the document. */
    openapi?: Description
  }
}

/** Documents of half a megabyte each, encodings beside. */
const maxPersonal = 20

const url = '/openapi.json'
const mediaType = 'application/json'

const createEntry = (document: object): Representation => {
  const body = Buffer.from(JSON.stringify(document))
  const etag = createEtag(mediaType, body)
  return { body, etag, encoded: new Map() }
}

const send = (
  entry: Representation,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> => {
  const vary = [reply.getHeader('vary'), 'Authorization, Accept-Encoding']
    .filter((each) => each !== undefined)
    .join(', ')
  reply.headers({ etag: entry.etag, 'cache-control': cacheControl, vary })
  if (isNotModified(request.headers['if-none-match'], entry.etag)) return reply.code(304).send()
  reply.type(mediaType)
  const encoding = isEncodable(entry) ? findEncoding(request.headers['accept-encoding']) : undefined
  if (!encoding) return reply.send(entry.body)
  reply.header('content-encoding', encoding)
  return encodedBody(entry, encoding).then((body) => reply.send(body))
}

/**
 * Serves the OpenAPI document of every described route that is registered after it. The document is made once, when
 * the service is ready. With a token it also has the customer's custom endpoints.
 * @fastify/swagger is not used: it writes each parameter from a validator's schema, and repeats each answer in
 * full. Here parameters come from the query grammar, errors from the catalogue, and shared parts are written once.
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
    // Most customers have the same few custom endpoints, and so the same document.
    const personal = new LRUCache<string, Representation>({ max: maxPersonal })
    const personalEntry = async (principal: Principal): Promise<Representation> => {
      const custom = (await app.custom.definitionsOf(principal.customerId)).map(describeCustom)
      const key = JSON.stringify(custom)
      const known = personal.get(key) ?? createEntry(createDocument([...routes, ...custom], publicUrl))
      personal.set(key, known)
      return known
    }
    app.register(async (scope) => {
      scope.decorateRequest('principal', undefined)
      scope.addHook('onRequest', async (request) => {
        if (request.headers.authorization !== undefined) request.principal = await app.authenticate(request)
      })
      // A request with a token is counted, told its quotas and recorded in the audit trail, as on every route.
      await scope.register(limits)
      scope.get(url, async (request, reply) => {
        const { principal } = request
        if (!principal) return send(entry, 'public, no-cache', request, reply)
        requirePlan(principal)
        return send(await personalEntry(principal), 'private, no-cache', request, reply)
      })
    })
    app.guardMethods(url, ['GET', 'HEAD'])
    done()
  },
  { name: 'openapi', dependencies: ['auth', 'custom', 'method-guard', 'problems', 'quotas'], fastify: '5.x' },
)
