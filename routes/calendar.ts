import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../app/errors.ts'
import { parseAddressQuery } from '../app/features/calendar/address-query.ts'
import { createCalendar } from '../app/features/calendar/calendar.ts'
import { presentCalendarKey, toReader } from '../app/features/calendar/credential.ts'
import { calendarExample, calendarSentence, describeCalendar } from '../app/features/calendar/openapi.ts'
import { formatStale, wantsNoCache } from '../app/http/fields.ts'
import { mediaTypes } from '../app/http/formats.ts'
import type { QueryString } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import { createKeyLimit } from '../app/limits/logins.ts'
import { after } from '../app/overload/timer.ts'
import { toLoginSource } from '../plugins/auth.ts'
import type { Deps } from '../plugins/deps.ts'
import { addVary, sendEntry } from '../plugins/entry-reply.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'

const contentType = `${mediaTypes.ics}; charset=utf-8`
const headers = { 'content-disposition': 'inline; filename="certificates.ics"' }

/** One and the same for all refusals, so that the answer reveals nothing about a key. */
const refused =
  'This address does not work: it may be wrong, revoked or expired, your network may not be allowed, or access may be suspended. Ask the certification house for a new one.'

/** Finds the reader whose key is in the address. */
const createIdentify = (app: FastifyInstance, { now, config, limitStore, monotonicNow }: Deps) => {
  const counting = { store: limitStore, after, now: monotonicNow }
  const quota = createKeyLimit(counting, 'calendar', config.limits.calendar, (keyId) => `calendar:${keyId}`)
  return async (request: FastifyRequest): Promise<Principal> => {
    const { file = '' } = request.params as { file?: string }
    const source = toLoginSource(request)
    const key = file.endsWith('.ics') ? file.slice(0, -'.ics'.length) : ''
    const credential = presentCalendarKey({ principals: app.principals, now }, key, source.ip)
    const facts = await app.identifyClient(credential, source).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'invalid_api_key') throw error
      throw new ApiError('not_found', { detail: refused })
    })
    request.principal = toReader(facts)
    await quota.take(facts, source.ip)
    await app.principals.useKey(facts, source)
    return request.principal
  }
}

export const calendarRoutes: FeatureRoutes = {
  formats: (app) => [
    {
      resource: 'certificates',
      format: 'ics',
      contentType,
      headers,
      description: calendarSentence,
      example: calendarExample,
      answer: createCalendar(app.lists, app.today),
    },
  ],
  public: async (app, deps) => {
    const { publicUrl, freshness } = deps
    const identify = createIdentify(app, deps)
    const answer = createCalendar(app.lists, app.today)
    app.route({
      method: ['GET', 'HEAD'],
      url: '/v1/calendar/:file',
      config: { mayAuthenticate: true },
      schema: { openapi: describeCalendar },
      handler: async (request, reply) => {
        const principal = await identify(request)
        if (freshness.isUnanswered()) reply.header('cache-status', formatStale(freshness.staleSeconds()))
        const rawQuery = request.query as QueryString
        const noCache = wantsNoCache(request.headers['cache-control'], request.headers.pragma)
        const query = parseAddressQuery(app.records, principal, rawQuery)
        const found = await answer({ principal, query, noCache })
        reply.headers(headers).header('vary', addVary(reply, 'Accept-Encoding'))
        const options = { publicUrl, canonical: undefined, noCache, type: contentType }
        return sendEntry(found, request, reply, options)
      },
    })
  },
}
