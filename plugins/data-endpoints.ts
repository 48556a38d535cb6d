import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadResult } from '../app/cache/freshness.ts'
import { unavailable } from '../app/errors.ts'
import type { ExportRequest, LiveAnswer } from '../app/export/exports.ts'
import { jsonType } from '../app/http/formats.ts'
import { chooseType, isJsonFormat, requireAcceptable } from '../app/http/negotiation.ts'
import type { QueryString } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan, requireScope } from '../app/identity/rights.ts'
import type { Ending } from '../app/limits/concurrency.ts'
import { requireNoParameters } from '../app/lists/no-parameters.ts'
import type { Endpoint, EndpointRequest, EndpointRow, MinuteCost } from './endpoint.ts'
import { formatLinks, formatTiming, sendEntry, sendRepresentation } from './entry-reply.ts'
import type { ListFormat } from './feature-routes.ts'
import { refundSurcharge } from './rate-limit.ts'
import { sendStream } from './stream-reply.ts'

/** A request whose answer is not cached, and may be a stream. */
export type LiveRequest = EndpointRequest &
  ExportRequest & { lastEventId: string | undefined; reauthorize: () => Promise<Principal> }

type Parsed<Request, Query> = Request & { query: Query }

type Origin = Readonly<{ publicUrl: string }>

/** A list or an item: JSON, from the cache. */
export type CachedRow<Query> = EndpointRow & {
  parse(request: EndpointRequest): Query | Promise<Query>
  answer(request: Parsed<EndpointRequest, Query>): ReadResult | Promise<ReadResult>
}

/** A list that is also exported as a whole. */
export type ExportableRow<Query> = CachedRow<Query> & {
  exporting: {
    /** In addition to JSON. */
    types: readonly string[]
    /** In units of the quota `minute`. */
    cost: number
    /** False if this data has no such form: the answer is JSON or 406. Defaults to true. */
    isPossible?: (request: EndpointRequest) => Promise<boolean>
    /** Takes a slot for a long answer. Runs before `parse`, because 429 precedes 400. */
    hold(request: LiveRequest): Promise<void>
    respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer>
  }
  /** Of features, by media type. They cost as much as an export. */
  formats?: ReadonlyMap<string, CachedFormat<Query>>
}

type CachedFormat<Query> = Pick<ListFormat, 'contentType' | 'headers'> & Pick<CachedRow<Query>, 'answer'>

/** Uncached pages and streams, each with its media type. */
export type StreamedRow<Query> = EndpointRow & {
  parse(request: LiveRequest): Query
  minuteCost: MinuteCost
  offers(rawQuery: QueryString): readonly string[]
  /** Takes a slot for a long answer. Runs before `parse`, because 429 precedes 400. */
  hold?: (request: LiveRequest) => Promise<void>
  respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer>
}

/** JSON without parameters that is read for each request: the member `data`. */
export type LiveRow = EndpointRow & {
  read(request: LiveRequest): Promise<Readonly<{ dataAsOf: string; data: readonly object[] }>>
}

const toLive = (
  { scope }: EndpointRow,
  asked: EndpointRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): LiveRequest => {
  // `cache-status` means that rights may be stale. They cannot authorize an answer with current data.
  if (reply.hasHeader('cache-status')) throw unavailable()
  const reauthorize = async () => {
    const principal = await request.server.authenticateInTurn(request, asked.principal.customerId)
    requirePlan(principal)
    if (scope !== null) requireScope(principal, scope)
    return principal
  }
  return {
    ...asked,
    isHead: request.method === 'HEAD',
    httpVersion: request.raw.httpVersion,
    address: request.clientAddress,
    // Node's response over HTTP/2 has no `destroyed`, but its stream has.
    ending: 'stream' in reply.raw ? (reply.raw.stream as Ending) : reply.raw,
    lastEventId: request.headers['last-event-id'] as string | undefined,
    reauthorize,
    countRows: (rows) => {
      request.rowsRead += rows
    },
  }
}

const sendLive = (
  { type, body, headers, next, isCompressed = false }: LiveAnswer,
  links: Readonly<{ publicUrl: string; canonical: string | undefined }>,
  request: FastifyRequest,
  reply: FastifyReply,
) => {
  const link = formatLinks(next, links)
  if (link !== undefined) reply.header('link', link)
  reply.headers({ ...headers, 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).type(type)
  // `sendRepresentation` sends no ETag.
  if (Buffer.isBuffer(body)) return sendRepresentation({ body, etag: '', encoded: new Map() }, reply)
  return sendStream(body, request, reply, isCompressed)
}

const jsonTypes = [jsonType]

type Handle = Endpoint['handle']

/** Notes the answer for the edge, which also reads the endpoint, and sends it. */
const createCachedHandle =
  <Query>(row: CachedRow<Query>, { publicUrl }: Origin, getEndpoint: () => Endpoint): Handle =>
  async (asked, request, reply) => {
    const query = await row.parse(asked)
    const day = request.server.today()
    const answer = await row.answer({ ...asked, query })
    const links = { publicUrl, canonical: asked.canonical }
    request.cached = { row: getEndpoint(), day, asked, answer, links }
    return sendEntry(answer, request, reply, { ...links, noCache: asked.noCache })
  }

/** Makes the endpoint of a list or an item. */
export const cachedEndpoint = <Query>(row: CachedRow<Query>, origin: Origin): Endpoint => {
  const endpoint: Endpoint = {
    ...row,
    offers: () => jsonTypes,
    handle: createCachedHandle(row, origin, () => endpoint),
  }
  return endpoint
}

/** Makes the endpoint of a list that is also exported. */
export const exportedEndpoint = <Query>(row: ExportableRow<Query>, origin: Origin): Endpoint => {
  const { types, cost, isPossible, hold, respond } = row.exporting
  const { formats = new Map<string, CachedFormat<Query>>() } = row
  const dearTypes = [...types, ...formats.keys()]
  const offered = [jsonType, ...dearTypes]
  const handleCached = createCachedHandle(row, origin, () => endpoint)
  const endpoint: Endpoint = {
    ...row,
    offers: () => offered,
    minuteCost: (rawQuery, accept) =>
      dearTypes.includes(chooseType(accept, rawQuery, offered) ?? '') ? cost : 1,
    async handle(asked, request, reply) {
      if (asked.type === jsonType) return handleCached(asked, request, reply)
      const format = formats.get(asked.type)
      if (format) {
        const answer = await format.answer({ ...asked, query: await row.parse(asked) })
        const { noCache, canonical } = asked
        const options = { ...origin, canonical, noCache, type: format.contentType }
        return sendEntry(answer, request, reply.headers(format.headers), options)
      }
      const live = toLive(row, asked, request, reply)
      if (isPossible && !(await isPossible(asked))) {
        refundSurcharge(request)
        const type = requireAcceptable(request.headers.accept, asked.rawQuery, jsonTypes)
        return handleCached({ ...asked, type }, request, reply)
      }
      await hold(live)
      const query = await row.parse(live)
      const answer = await respond({ ...live, query })
      return sendLive(answer, { ...origin, canonical: asked.canonical }, request, reply)
    },
  }
  return endpoint
}

/** Makes the endpoint of uncached pages and streams. */
export const streamedEndpoint = <Query>(row: StreamedRow<Query>, { publicUrl }: Origin): Endpoint => ({
  ...row,
  async handle(asked, request, reply) {
    const live = toLive(row, asked, request, reply)
    await row.hold?.(live)
    const answer = await row.respond({ ...live, query: row.parse(live) })
    return sendLive(answer, { publicUrl, canonical: asked.canonical }, request, reply)
  },
})

/** Makes the endpoint of a short list that is not cached. */
export const liveEndpoint = ({ read, ...row }: LiveRow, origin: Origin): Endpoint =>
  streamedEndpoint(
    {
      ...row,
      minuteCost: () => 1,
      offers: () => jsonTypes,
      parse: ({ rawQuery }) =>
        requireNoParameters(rawQuery, 'This address takes no parameters', isJsonFormat),
      async respond(request) {
        const { dataAsOf, data } = await read(request)
        const body = Buffer.from(JSON.stringify({ data }))
        return { type: jsonType, body, headers: { 'data-as-of': dataAsOf } }
      },
    },
    origin,
  )
