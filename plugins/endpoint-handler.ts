import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../app/cache/question.ts'
import { ApiError, unavailable } from '../app/errors.ts'
import { wantsNoCache } from '../app/http/fields.ts'
import {
  choiceOf,
  chooseType,
  isJsonFormat,
  requireAcceptable,
  typeByFormat,
} from '../app/http/media-type.ts'
import { splitTarget } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requireScope } from '../app/identity/principals.ts'
import { refuseParameters } from '../app/records/query/no-parameters.ts'
import type { Endpoint, Exporting, LiveAnswer, MinuteCost } from './endpoint.ts'
import {
  type EntryReplyOptions,
  formatLink,
  formatLinks,
  formatTiming,
  joinLinks,
  sendEntry,
  sendRepresentation,
} from './entry-reply.ts'
import { sendStream } from './stream-reply.ts'

const mediaTypes = ['application/json'] as const

/** Whether the demo token came where there is no example data. */
const needsLiveToken = ({ principal, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.demo === false && principal?.kind === 'demo'

const exportingOf = (row: Endpoint) => ('answer' in row ? row.exporting : undefined)

/** Returns the media types of a row's answers. */
const typesOf = (row: Endpoint) => [...mediaTypes, ...(exportingOf(row)?.types ?? [])]

/** Returns the units of `minute` that a request of a row costs. Undefined: always one. */
export const costOf = (row: Endpoint): MinuteCost | undefined => {
  const exporting = exportingOf(row)
  if (!exporting) return row.minuteCost
  const types = typesOf(row)
  return (rawQuery, accept) =>
    exporting.types.includes(chooseType(accept, rawQuery, types) ?? '') ? exporting.cost : 1
}

/** From a request of a row to its answer: rights, type, then the row's own part. */
export const handlerOf = (row: Endpoint, prefix: string, publicUrl: string) => {
  const types = typesOf(row)
  const exporting = exportingOf(row)
  const choose = choiceOf(types)
  const acceptsJson: Acceptance = (accept) => choose(accept) === mediaTypes[0]
  return (request: FastifyRequest, reply: FastifyReply) => {
    const principal = request.principal as Principal
    if (needsLiveToken(request)) throw new ApiError('live_token_required')
    if (row.scope !== null) requireScope(principal, row.scope)
    const { path, rawQuery } = splitTarget(request.raw.url)
    for (const scope of row.scopesOf?.(rawQuery) ?? []) requireScope(principal, scope)
    const offered = 'offers' in row ? row.offers(rawQuery) : types
    const type = requireAcceptable(request.headers.accept, rawQuery, offered)
    const noCache = wantsNoCache(request.headers['cache-control'], request.headers.pragma)
    const asked = { principal, params: request.params as Record<string, string>, rawQuery, noCache }
    const query = rawQuery === '' ? '' : `?${rawQuery}`
    const canonical = prefix === '/v1' ? undefined : `${publicUrl}/v1${path.slice(prefix.length)}${query}`
    if ('state' in row) {
      refuseParameters(rawQuery, 'This address takes no parameters', isJsonFormat)
      if (canonical) reply.header('link', formatLink(canonical, 'canonical'))
      const send = (state: unknown) =>
        reply.headers({ 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).send(state)
      const state = row.state({ ...asked, limits: request.quotas?.use() ?? [] })
      return state instanceof Promise ? state.then(send) : send(state)
    }
    const sendKept = (answering: Extract<Endpoint, { answer: unknown }>) => {
      const answer = answering.answer(asked)
      const options = { publicUrl, canonical, noCache }
      const send = (known: Answer) => {
        noteRepeatable(row, acceptsJson, request, known, options)
        return sendEntry(known, request, reply, options)
      }
      return answer instanceof Promise ? answer.then(send) : send(answer)
    }
    const exported = type === mediaTypes[0] ? undefined : exporting
    if ('answer' in row && !exported) return sendKept(row)
    const { respond } = 'respond' in row ? row : (exported as Exporting)
    const isHead = request.method === 'HEAD'
    const countRows = (rows: number) => {
      request.rowsRead += rows
    }
    // Its rights could not be judged by fresh facts, and what is read now must not be called stale.
    if (reply.hasHeader('cache-status')) throw unavailable()
    const live = { ...asked, type, isHead, address: request.clientAddress, ending: reply.raw, countRows }
    return respond(live).then((answer) => {
      if (!answer && 'answer' in row) {
        // The request was charged as an export, but no export was made. Give the difference back.
        if (exported && !isHead) request.quotas?.charge([0, 1 - exported.cost])
        requireAcceptable(request.headers.accept, rawQuery, mediaTypes)
        return sendKept(row)
      }
      // Sync tokens can be long.
      const link = canonical && joinLinks([formatLink(canonical, 'canonical')])
      if (link) reply.header('link', link)
      return sendLive(answer as LiveAnswer, request, reply)
    })
  }
}

type Acceptance = (accept: string | undefined) => boolean
const anything: Acceptance = () => true
const nothing: Acceptance = () => false

/** What the edge may answer the next time, and what it has to look at then. */
const noteRepeatable = (
  row: Endpoint,
  acceptsJson: Acceptance,
  request: FastifyRequest,
  answer: Answer,
  options: EntryReplyOptions,
) => {
  // The second time it is asked: most questions that miss are asked once.
  const isPlain =
    request.method === 'GET' && !options.noCache && answer.outcome === 'memory' && !answer.staleSeconds
  const scope = row.scope ?? row.scopeOf?.(request.params as Record<string, string>)
  if (!isPlain || row.demo === false || row.minuteCost || scope === undefined) return
  const { rawQuery } = splitTarget(request.raw.url)
  // What `format` says is in the target; without it, what the client takes.
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

/** Remembers one result: of a next page's address, which is another one only when the data are. */
const memoizeLast = <A, R>(compute: (argument: A) => R): ((argument: A) => R) => {
  let last: { argument: A; result: R } | undefined
  return (argument) => {
    if (last?.argument !== argument || !last) last = { argument, result: compute(argument) }
    return last.result
  }
}

const sendLive = (answer: LiveAnswer, request: FastifyRequest, reply: FastifyReply) => {
  const { type, body, headers, isCompressed = false } = answer
  reply.headers({ ...headers, 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).type(type)
  if (body instanceof Readable) return sendStream(body, request, reply, isCompressed)
  return sendRepresentation({ body, etag: '', encoded: new Map() }, reply)
}
