import type { FastifyReply, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import type { Answer } from '../app/cache/question.ts'
import { ApiError, unavailable } from '../app/errors.ts'
import { wantsNoCache } from '../app/http/fields.ts'
import { choiceOf, chooseType, requireAcceptable, typeByFormat } from '../app/http/media-type.ts'
import { splitTarget } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan, requireScope } from '../app/identity/principals.ts'
import type { Endpoint, EndpointRequest, Exporting, LiveAnswer, LiveRequest, MinuteCost } from './endpoint.ts'
import {
  type EntryReplyOptions,
  formatLink,
  formatLinks,
  formatTiming,
  sendEntry,
  sendRepresentation,
} from './entry-reply.ts'
import { sendStream } from './stream-reply.ts'

const mediaTypes = ['application/json'] as const

/** True if a demo token is used on an endpoint without example data. */
const needsLiveToken = ({ principal, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.demo === false && principal?.kind === 'demo'

const exportingOf = (row: Endpoint) => ('answer' in row ? row.exporting : undefined)

const typesOf = (row: Endpoint) => [...mediaTypes, ...(exportingOf(row)?.types ?? [])]

/** Returns the cost of a request to a row in units of the `minute` quota. `undefined` if it is always one. */
export const costOf = (row: Endpoint): MinuteCost | undefined => {
  const exporting = exportingOf(row)
  if (!exporting) return row.minuteCost
  const types = typesOf(row)
  return (rawQuery, accept) =>
    exporting.types.includes(chooseType(accept, rawQuery, types) ?? '') ? exporting.cost : 1
}

type KeptEndpoint = Extract<Endpoint, { answer: unknown }>
type StateEndpoint = Extract<Endpoint, { state: unknown }>
type Parsed<Request> = Request & { query: unknown }

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before validation. A `LiveRequest` if the answer is not cached. */
    asked: EndpointRequest | LiveRequest
  }
}

/** Live answers are computed for one request: exports, the feed and the audit trail. */
const isLive = (row: Endpoint, type: string): boolean =>
  'respond' in row || (exportingOf(row) !== undefined && type !== mediaTypes[0])

const createJudging =
  (row: Endpoint, prefix: string, publicUrl: string) =>
  (request: FastifyRequest): EndpointRequest => {
    const principal = request.principal as Principal
    if (needsLiveToken(request)) throw new ApiError('live_token_required')
    if (row.scope !== null) requireScope(principal, row.scope)
    const { path, rawQuery } = splitTarget(request.raw.url)
    for (const scope of row.scopesOf?.(rawQuery) ?? []) requireScope(principal, scope)
    const offered = 'offers' in row ? row.offers(rawQuery) : typesOf(row)
    const type = requireAcceptable(request.headers.accept, rawQuery, offered)
    const noCache = wantsNoCache(request.headers['cache-control'], request.headers.pragma)
    const query = rawQuery === '' ? '' : `?${rawQuery}`
    const canonical = prefix === '/v1' ? undefined : `${publicUrl}/v1${path.slice(prefix.length)}${query}`
    return { principal, params: request.params as Record<string, string>, rawQuery, noCache, type, canonical }
  }

const toLive = (
  { scope }: Endpoint,
  judged: EndpointRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): LiveRequest => {
  // Stale rights cannot authorize a live answer, and freshly read data must not be labelled stale.
  if (reply.hasHeader('cache-status')) throw unavailable()
  const judgeAnew = async () => {
    const principal = await request.server.authenticateInTurn(request, judged.principal.customerId)
    requirePlan(principal)
    if (scope !== null) requireScope(principal, scope)
    return principal
  }
  return {
    ...judged,
    isHead: request.method === 'HEAD',
    httpVersion: request.raw.httpVersion,
    address: request.clientAddress,
    ending: reply.raw,
    lastEventId: request.headers['last-event-id'] as string | undefined,
    judgeAnew,
    countRows: (rows) => {
      request.rowsRead += rows
    },
  }
}

/**
 * Creates the hook that checks rights and media type. It replaces `request.query` by the whole checked request,
 * which the row's grammar needs.
 * See docs/decisions/0131-the-whole-request-is-validated-as-its-query.md.
 */
export const createChecks = (
  row: Endpoint,
  prefix: string,
  publicUrl: string,
): preValidationAsyncHookHandler => {
  const judge = createJudging(row, prefix, publicUrl)
  return async (request, reply) => {
    const judged = judge(request)
    request.asked = judged
    if (isLive(row, judged.type)) {
      const live = toLive(row, judged, request, reply)
      await row.hold?.(live)
      request.asked = live
    }
    request.query = request.asked
  }
}

/** Calls `use` synchronously if the result is not a promise, which is the common case. */
const whenThere = <T, R>(result: T | Promise<T>, use: (result: T) => R | Promise<R>): R | Promise<R> =>
  result instanceof Promise ? result.then(use) : use(result)

const sendState = (row: StateEndpoint, request: FastifyRequest, reply: FastifyReply) => {
  const { asked, quotas } = request
  if (asked.canonical) reply.header('link', formatLink(asked.canonical, 'canonical'))
  return whenThere(row.state({ ...asked, limits: quotas?.use() ?? [] }), (state) =>
    reply.headers({ 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).send(state),
  )
}

/** Creates the handler of a row, for requests that its hook has checked. */
export const createHandler = (row: Endpoint, publicUrl: string) => {
  const choose = choiceOf(typesOf(row))
  const acceptsJson: Acceptance = (accept) => choose(accept) === mediaTypes[0]

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
      requireAcceptable(request.headers.accept, asked.rawQuery, mediaTypes)
      return sendKept(row as KeptEndpoint, asked, request, reply)
    })
  }
}

type Acceptance = (accept: string | undefined) => boolean
const anything: Acceptance = () => true
const nothing: Acceptance = () => false

/** Allows the edge to repeat this answer, and lists the checks that it has to make. */
const noteRepeatable = (
  row: Endpoint,
  acceptsJson: Acceptance,
  request: FastifyRequest,
  answer: Answer,
  options: EntryReplyOptions,
) => {
  // Wait for the second request of a query: most queries that miss the cache are sent only once.
  const isPlain =
    request.method === 'GET' && !options.noCache && answer.outcome === 'memory' && !answer.staleSeconds
  const scope = row.scope ?? row.scopeOf?.(request.params as Record<string, string>)
  if (!isPlain || row.demo === false || row.minuteCost || scope === undefined) return
  const { rawQuery } = splitTarget(request.raw.url)
  // `format` fixes the type. Without it, the type depends on each client's Accept.
  const wanted = typeByFormat(rawQuery)
  const ticket = {
    route: request.routeOptions.url ?? '',
    endpoint: request.endpointName,
    scopes: [scope, ...(row.scopesOf?.(rawQuery) ?? [])],
    isAcceptable: wanted === undefined ? acceptsJson : wanted === mediaTypes[0] ? anything : nothing,
    linkOf: memoizeLast((next: string | undefined) => formatLinks(next, options)),
  }
  request.repeatable = { ticket, answer }
}

/** Memoizes the last result. The next page's address changes only with the data. */
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
