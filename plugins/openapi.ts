import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { createRepresentation } from '../app/cache/entry.ts'
import type { Representation } from '../app/http/encodings.ts'
import { jsonType } from '../app/http/formats.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan } from '../app/identity/rights.ts'
import { type Description, type PersonalRoutes, type Route, toTemplate } from '../app/openapi/description.ts'
import { createDocument } from '../app/openapi/document.ts'
import type { MessageDescription } from '../app/openapi/messages.ts'
import { once } from '../app/site/once.ts'
import type { Deps } from './deps.ts'
import { addVary, sendTagged } from './entry-reply.ts'
import rateLimit from './rate-limit.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** Routes without a description are not in the document. */
    openapi?: Description
  }
  interface FastifyInstance {
    describedRoutes: readonly Route[]
    /** Adds a message to the section `webhooks`. For plugins of routes, when they are registered. */
    describeMessage: (message: MessageDescription) => void
    /** Adds endpoints of the requesting customer. For plugins of routes, when they are registered. */
    describePersonal: (read: ReadPersonal) => void
  }
  interface FastifyContextConfig {
    /** Clients may send a token or none. For metrics. */
    mayAuthenticate?: true
  }
}

type ReadPersonal = (customerId: string) => Promise<PersonalRoutes>

/** Documents in memory, of half a megabyte each plus their compressed forms. */
const maxPersonal = 20

const url = '/openapi.json'

const createEntry = (document: object) => createRepresentation(jsonType, JSON.stringify(document))

const send = (entry: Representation, cacheControl: string, reply: FastifyReply) => {
  const vary = addVary(reply, 'Authorization, Accept-Encoding')
  return sendTagged(entry, jsonType, reply.headers({ 'cache-control': cacheControl, vary }))
}

/** Describes the routes registered after it. With a token, the document also has endpoints of this customer. */
export default fp<Pick<Deps, 'publicUrl' | 'config'>>(
  async (app, { publicUrl, config: { house } }) => {
    const routes: Route[] = []
    const messages: MessageDescription[] = []
    const readers: ReadPersonal[] = []
    const contactUrl = `${publicUrl}${app.site.contactPage?.path ?? '/'}`
    const addresses = { publicUrl, contactUrl, house }
    app.decorate('describedRoutes', routes)
    app.decorate('describeMessage', (message: MessageDescription) => void messages.push(message))
    app.decorate('describePersonal', (read: ReadPersonal) => void readers.push(read))
    app.addHook('onRoute', ({ method, url: path, schema, config }) => {
      const description = schema?.openapi
      if (!schema || !description) return
      const { body, response } = schema as { body?: unknown; response?: Record<number, unknown> }
      const answered = response?.[description.status ?? 200]
      for (const each of [method].flat().filter((name) => name !== 'HEAD')) {
        routes.push({
          method: each,
          path: toTemplate(path),
          scope: config?.scope,
          ...(body instanceof z.ZodType ? { body } : {}),
          ...(config?.bodyType === undefined ? {} : { bodyType: config.bodyType }),
          ...(answered instanceof z.ZodType ? { response: answered } : {}),
          needsLiveToken: config?.demo === false,
          description,
        })
      }
    })
    app.addHook('onReady', async () => {
      routes.sort((a, b) => a.description.rank - b.description.rank)
    })
    // At the first request, when every route is registered.
    const getPublicEntry = once(() => createEntry(createDocument(routes, messages, addresses)))
    // Many customers have the same endpoints.
    const personal = new LRUCache<string, Representation>({ max: maxPersonal })
    const personalEntry = async (principal: Principal): Promise<Representation> => {
      const parts = await Promise.all(readers.map((read) => read(principal.customerId)))
      const key = JSON.stringify(parts.map((part) => part.key))
      const known = personal.get(key)
      if (known) return known
      const all = [...routes, ...parts.flatMap(({ describe }) => describe())]
      const made = createEntry(createDocument(all, messages, addresses))
      personal.set(key, made)
      return made
    }
    app.register(async (scope) => {
      scope.addHook('onRequest', async (request) => {
        const isRead = request.method === 'GET' || request.method === 'HEAD'
        if (isRead && request.headers.authorization !== undefined)
          request.principal = await app.authenticateOnce(request)
      })
      await scope.register(rateLimit)
      scope.get(url, { config: { mayAuthenticate: true } }, async (request, reply) => {
        const { principal } = request
        if (!principal) return send(getPublicEntry(), 'public, no-cache', reply)
        requirePlan(principal)
        return send(await personalEntry(principal), 'private, no-cache', reply)
      })
    })
  },
  { name: 'openapi', dependencies: ['auth', 'data', 'pages', 'problems', 'limiters'], fastify: '5.x' },
)
