import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadResult } from '../app/cache/freshness.ts'
import { getChoice, requireAcceptable, typeByFormat } from '../app/http/media-type.ts'
import { splitTarget } from '../app/http/pairs.ts'
import {
  type Endpoint,
  type EndpointRequest,
  type Exporting,
  isLive,
  jsonTypes,
  type LiveAnswer,
  type LiveRequest,
  listTypes,
} from './endpoint.ts'
import {
  type EntryReplyOptions,
  formatLink,
  formatLinks,
  formatTiming,
  sendEntry,
  sendRepresentation,
} from './entry-reply.ts'
import { sendStream } from './stream-reply.ts'

type KeptEndpoint = Extract<Endpoint, { answer: unknown }>
type StateEndpoint = Extract<Endpoint, { state: unknown }>
type Parsed<Request> = Request & { query: unknown }
type Acceptance = (accept: string | undefined) => boolean

/** Cached answers are no promises, and skip a microtask. */
const whenThere = <T, R>(result: T | Promise<T>, use: (result: T) => R | Promise<R>): R | Promise<R> =>
  result instanceof Promise ? result.then(use) : use(result)

const sendState = (row: StateEndpoint, request: FastifyRequest, reply: FastifyReply) => {
  const { asked, quotas } = request
  if (asked.canonical) reply.header('link', formatLink(asked.canonical, 'canonical'))
  return whenThere(row.state({ ...asked, limits: quotas?.use() ?? [] }), (state) =>
    reply.headers({ 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).send(state),
  )
}

export const createHandler = (row: Endpoint, publicUrl: string) => {
  const choose = getChoice(listTypes(row))
  const acceptsJson: Acceptance = (accept) => choose(accept) === jsonTypes[0]

  const sendKept = (
    kept: KeptEndpoint,
    asked: Parsed<EndpointRequest>,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    const options = { publicUrl, canonical: asked.canonical, noCache: asked.noCache }
    return whenThere(kept.answer(asked), (answer) => {
      noteRepeatable(row, acceptsJson, request, answer, options)
      return sendEntry(answer, request, reply, options)
    })
  }

  return (request: FastifyRequest, reply: FastifyReply) => {
    if ('state' in row) return sendState(row, request, reply)
    const asked = { ...request.asked, query: request.query }
    if (!isLive(row, asked.type)) return sendKept(row as KeptEndpoint, asked, request, reply)
    const { respond } = 'respond' in row ? row : (row.exporting as Exporting)
    return respond(asked as Parsed<LiveRequest>).then((answer) => {
      if (answer) return sendLive(answer, { publicUrl, canonical: asked.canonical }, request, reply)
      request.returnSurcharge()
      requireAcceptable(request.headers.accept, asked.rawQuery, jsonTypes)
      return sendKept(row as KeptEndpoint, asked, request, reply)
    })
  }
}

const noteRepeatable = (
  row: Endpoint,
  acceptsJson: Acceptance,
  request: FastifyRequest,
  answer: ReadResult,
  options: EntryReplyOptions,
) => {
  // From the second request on, because most queries are sent only once.
  const isPlain =
    request.method === 'GET' && !options.noCache && answer.outcome === 'memory' && !answer.staleSeconds
  const scope = row.scope ?? row.getScope?.(request.params as Record<string, string>)
  if (!isPlain || row.demo === false || row.minuteCost || scope === undefined) return
  const { rawQuery } = splitTarget(request.raw.url)
  const wanted = typeByFormat(rawQuery)
  const ticket = {
    route: request.routeOptions.url ?? '',
    endpoint: request.endpointName,
    scopes: [scope, ...(row.listScopes?.(rawQuery) ?? [])],
    isAcceptable: wanted === undefined ? acceptsJson : () => wanted === jsonTypes[0],
    formatNextLink: memoizeLast((next: string | undefined) => formatLinks(next, options)),
  }
  request.repeatable = { ticket, answer }
}

const memoizeLast = <A, R>(compute: (argument: A) => R): ((argument: A) => R) => {
  let last: { argument: A; result: R } | undefined
  return (argument) => {
    if (last?.argument !== argument || !last) last = { argument, result: compute(argument) }
    return last.result
  }
}

const sendLive = (
  { type, body, headers, next, isCompressed = false }: LiveAnswer,
  options: Readonly<{ publicUrl: string; canonical: string | undefined }>,
  request: FastifyRequest,
  reply: FastifyReply,
) => {
  const link = formatLinks(next, options)
  if (link !== undefined) reply.header('link', link)
  reply.headers({ ...headers, 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).type(type)
  if (Buffer.isBuffer(body)) return sendRepresentation({ body, etag: '', encoded: new Map() }, reply)
  return sendStream(body, request, reply, isCompressed)
}
