import { Readable } from 'node:stream'
import type {
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  HTTPMethods,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../app/auth/principal.ts'
import { requirePlan, requireScope } from '../app/auth/principals.ts'
import type { Judge } from '../app/cache/freshness.ts'
import type { Answer } from '../app/cache/read-through.ts'
import { ApiError } from '../app/errors.ts'
import { wantsNoCache } from '../app/http/conditional.ts'
import { createMediaTypeChoice } from '../app/http/negotiation.ts'
import type { Use } from '../app/limits/account.ts'
import type { Ending } from '../app/limits/concurrency.ts'
import { refuseParameters } from '../app/query/no-parameters.ts'
import { type Pair, parsePairs } from '../app/query/pairs.ts'
import {
  type EntryReplyOptions,
  formatLink,
  formatLinks,
  formatStale,
  formatTiming,
  joinLinks,
  sendBytes,
  sendEntry,
} from './entry-reply.ts'
import { sendStream } from './stream-reply.ts'

export type EndpointOptions = {
  publicUrl: string
  /** Whether answers also vary with the page that asks (CORS). */
  variesWithOrigin: boolean
  judge: Pick<Judge, 'isAway' | 'staleSeconds'>
}

/** What a row's `answer` gets: who asks, and the request's own parts. */
export type EndpointRequest = {
  principal: Principal
  params: Readonly<Record<string, string>>
  rawQuery: string
  noCache: boolean
}

/** What a row's `respond` gets beside: whom it answers, and until when. */
export type LiveRequest = EndpointRequest & {
  isHead: boolean
  /** The client's address. */
  address: string
  /** Closes when the answer is sent, or its client is gone. */
  ending: Ending
  /** Adds records to those that the answer is known to hold. */
  countRows: (rows: number) => void
}

/** A list's other media types: the whole of it, as it is now. */
export type Exporting = {
  types: readonly string[]
  /** Units of the quota `minute`. */
  cost: number
  /** `type`: one of `types`. Undefined: what is asked for here has no such form. */
  respond: (request: LiveRequest & { type: string }) => Promise<LiveAnswer | undefined>
}

/** An answer that is not kept. A stream is sent as it comes, and cut where it fails. */
export type LiveAnswer = Readonly<{
  type: string
  body: Buffer | Readable
  headers: Readonly<Record<string, string>>
}>

type MinuteCost = (rawQuery: string, accept: string | undefined) => number

/** A data endpoint. One row serves three forms of its path, GET, HEAD and OPTIONS. */
export type Endpoint = {
  /** Below `/v1`, with `:id` where a record is named. */
  path: string
  /** The scope it needs; null: any principal. There is no default, so none is forgotten. */
  scope: string | null
  /** False: there is no example data for it, so the demo token is refused (403 `live_token_required`). */
  demo?: false
  /** Of a row whose scope depends on what is asked for: the one that was needed, where it was admitted. */
  scopeOf?: (params: Readonly<Record<string, string>>) => string
  /** Of a row that stands for several endpoints: which one, for the audit trail. */
  nameOf?: (params: Readonly<Record<string, string>>) => string
  /** Whether this principal may ask at all, where that is not of the row: judged after the plan. */
  admit?: (request: {
    principal: Principal
    params: Readonly<Record<string, string>>
  }) => void | Promise<void>
  /** Scopes that the query needs beside, whatever else is wrong with it. */
  scopesOf?: (rawQuery: string) => readonly string[]
  /** Units of the quota `minute` that a request costs; absent: one. */
  minuteCost?: MinuteCost
  schema: FastifySchema
} & (
  | { answer: (request: EndpointRequest) => Answer | Promise<Answer>; exporting?: Exporting }
  /** Something of the moment, never kept: `Cache-Control: no-store`, no tag. */
  | { state: (request: EndpointRequest & { limits: readonly Use[] }) => unknown }
  /** The same with parameters and media types of its own: `offers` names those that the query leaves. */
  | {
      offers: (rawQuery: string) => readonly string[]
      respond: (request: LiveRequest) => Promise<LiveAnswer>
    }
)

declare module 'fastify' {
  interface FastifyInstance {
    endpoint(row: Endpoint): void
  }
  interface FastifyRequest {
    principal: Principal | undefined
  }
  interface FastifyContextConfig {
    /** Set on every route behind authentication; see `Endpoint`. */
    scope?: string | null
    demo?: false | undefined
    scopesOf?: ((rawQuery: string) => readonly string[]) | undefined
    minuteCost?: MinuteCost | undefined
    /** Routes that refuse the path or method: they come before the judgement of the plan. */
    refuses?: true
  }
}

/** `/v1/…` is canonical; the others are the customer's earlier forms of the same. */
const prefixes = ['/v1', '', '/webapi/v1/api.php'] as const
/** Below these everything needs a token, so that an unknown path tells a stranger nothing. */
const closedPrefixes = ['/v1', '/webapi/v1/api.php'] as const
const mediaTypes = ['application/json'] as const
const varying = 'Authorization, Accept, Accept-Encoding'
const allow = 'GET, HEAD, OPTIONS'

/** What `format` may say in place of `Accept`. */
const formats: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
}

const choices = new Map<string, ReturnType<typeof createMediaTypeChoice>>()

/** Made once for each list of types: a row's are a few constants. */
const choiceOf = (offered: readonly string[]) => {
  const name = offered.join()
  let choice = choices.get(name)
  if (!choice) {
    choice = createMediaTypeChoice(offered)
    choices.set(name, choice)
  }
  return choice
}

/** The type that `format` names; undefined where there is none, or it will be a fault of the query. */
const typeByFormat = (rawQuery: string): string | undefined => {
  // Looked for in every request, and hardly ever there.
  if (!rawQuery.includes('format') && !rawQuery.includes('%')) return undefined
  const { value } = parsePairs(rawQuery).find(({ name }) => name === 'format') ?? {}
  return value === undefined ? undefined : formats[value]
}

/** The type to answer in; undefined: none that is wanted. */
const chooseType = (accept: string | undefined, rawQuery: string, offered: readonly string[]) => {
  const wanted = typeByFormat(rawQuery)
  if (wanted === undefined) return choiceOf(offered)(accept)
  return offered.includes(wanted) ? wanted : undefined
}

const requireAcceptable = (
  accept: string | undefined,
  rawQuery: string,
  offered: readonly string[],
): string => {
  const type = chooseType(accept, rawQuery, offered)
  if (type !== undefined) return type
  throw new ApiError('not_acceptable', { detail: `This is available as: ${offered.join(', ')}` })
}

const isJsonFormat = ({ name, value }: Pair) => name === 'format' && value === 'json'

/** The absolute form of a target, as proxies send it (RFC 9112 §3.2.2). */
const authority = /^https?:\/\/[^/?]*/i

const splitTarget = (wholeTarget: string): { path: string; rawQuery: string } => {
  const target = wholeTarget.startsWith('/') ? wholeTarget : wholeTarget.replace(authority, '')
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, rawQuery: '' }
    : { path: target.slice(0, mark), rawQuery: target.slice(mark + 1) }
}

/** Whether the demo token came where there is no example data. */
export const needsLiveToken = ({ principal, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.demo === false && principal?.kind === 'demo'

const authenticate = (vary: string, judge: EndpointOptions['judge']): onRequestHookHandler =>
  function (request, reply, next) {
    // What varies with the token varies for every answer from here on, refusals included.
    reply.header('vary', vary)
    // Rights may be other ones by now, so refusals say it too; an answer of the cache knows better.
    if (judge.isAway()) reply.header('cache-status', formatStale(judge.staleSeconds()))
    if (request.method === 'OPTIONS') return next()
    const principal = this.authenticate(request)
    if (!(principal instanceof Promise)) {
      request.principal = principal
      return next()
    }
    principal.then((known) => {
      request.principal = known
      next()
    }, next)
  }

/** After the limits, which count also who is refused here, and tell how much is left. */
const judgePlan: preHandlerHookHandler = ({ principal }, _reply, next) => {
  if (principal) requirePlan(principal)
  next()
}

const exportingOf = (row: Endpoint) => ('answer' in row ? row.exporting : undefined)

/** Types that a row's answers have, whatever is asked. */
const typesOf = (row: Endpoint) => [...mediaTypes, ...(exportingOf(row)?.types ?? [])]

const costOf = (row: Endpoint): MinuteCost | undefined => {
  const exporting = exportingOf(row)
  if (!exporting) return row.minuteCost
  const types = typesOf(row)
  return (rawQuery, accept) =>
    exporting.types.includes(chooseType(accept, rawQuery, types) ?? '') ? exporting.cost : 1
}

/** Whoever lacks a scope for it is told so only of an endpoint that is there. */
const isThere = (error: unknown) => error instanceof ApiError && error.code === 'insufficient_scope'

/** Only who may know of an endpoint has its name written down: what strangers make up is without bound. */
const admission =
  (row: Endpoint, admit: NonNullable<Endpoint['admit']>): preHandlerHookHandler =>
  (request, _reply, next) => {
    const principal = request.principal as Principal
    const params = request.params as Record<string, string>
    const name = () => {
      request.endpointName = row.nameOf?.(params)
    }
    const accept = () => {
      name()
      next()
    }
    const refuse = (error: Error) => {
      if (isThere(error)) name()
      next(error)
    }
    try {
      const admitted = admit({ principal, params })
      if (admitted instanceof Promise) admitted.then(accept, refuse)
      else accept()
    } catch (error) {
      refuse(error as Error)
    }
  }

const handlerOf = (row: Endpoint, prefix: string, publicUrl: string) => {
  const types = typesOf(row)
  const exporting = exportingOf(row)
  return (request: FastifyRequest, reply: FastifyReply) => {
    const principal = request.principal as Principal
    if (needsLiveToken(request)) throw new ApiError('live_token_required')
    if (row.scope !== null) requireScope(principal, row.scope)
    const { path, rawQuery } = splitTarget(request.raw.url ?? '')
    for (const scope of row.scopesOf?.(rawQuery) ?? []) requireScope(principal, scope)
    const offered = 'offers' in row ? row.offers(rawQuery) : types
    const type = requireAcceptable(request.headers.accept, rawQuery, offered)
    const noCache = wantsNoCache(request.headers['cache-control'], request.headers.pragma)
    const asked = { principal, params: request.params as Record<string, string>, rawQuery, noCache }
    const query = rawQuery === '' ? '' : `?${rawQuery}`
    const canonical = prefix === '/v1' ? undefined : `${publicUrl}/v1${path.slice(prefix.length)}${query}`
    if ('state' in row) {
      refuseParameters(rawQuery, 'This takes no parameters', isJsonFormat)
      if (canonical) reply.header('link', formatLink(canonical, 'canonical'))
      return reply
        .headers({ 'cache-control': 'no-store', 'server-timing': formatTiming(reply) })
        .send(row.state({ ...asked, limits: request.quotas?.use() ?? [] }))
    }
    const sendKept = (answering: Extract<Endpoint, { answer: unknown }>) => {
      const answer = answering.answer(asked)
      const options = { publicUrl, canonical, noCache }
      const send = (known: Answer) => {
        noteRepeatable(row, request, known, options)
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
    const live = { ...asked, type, isHead, address: request.ip, ending: reply.raw, countRows }
    return respond(live).then((answer) => {
      if (!answer && 'answer' in row) {
        // Counted as an export before it was known that here is none.
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

/** What the fast lane may answer the next time, and what it has to look at then. */
const noteRepeatable = (
  row: Endpoint,
  request: FastifyRequest,
  answer: Answer,
  options: EntryReplyOptions,
) => {
  // The second time it is asked: most questions that miss are asked once.
  const isPlain =
    request.method === 'GET' && !options.noCache && answer.outcome === 'memory' && !answer.staleSeconds
  const scope = row.scope ?? row.scopeOf?.(request.params as Record<string, string>)
  if (!isPlain || row.demo === false || row.minuteCost || scope === undefined) return
  const { rawQuery } = splitTarget(request.raw.url ?? '')
  const choose = choiceOf(typesOf(row))
  // What `format` says is in the target; without it, what the client takes.
  const wanted = typeByFormat(rawQuery)
  const ticket = {
    route: request.routeOptions.url ?? '',
    endpoint: request.endpointName,
    scopes: [scope, ...(row.scopesOf?.(rawQuery) ?? [])],
    isAcceptable: (accept: string | undefined) => (wanted ?? choose(accept)) === mediaTypes[0],
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

const sendLive = ({ type, body, headers }: LiveAnswer, request: FastifyRequest, reply: FastifyReply) => {
  reply.headers({ ...headers, 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).type(type)
  return body instanceof Readable ? sendStream(body, request, reply) : sendBytes(body, request, reply)
}

const refuseMethod = (): never => {
  throw new ApiError('method_not_allowed', { headers: { allow } })
}

const refusePath = (): never => {
  throw new ApiError('not_found')
}

/** As a hook, so that the refusal comes before the body is looked at. */
const refusal = (scope: string | null, refuse: () => never) => ({
  config: { scope, refuses: true as const },
  onRequest: refuse,
  handler: refuse,
})

/**
 * Makes the scope it is registered in one where every request is authenticated first, and gives it
 * `endpoint(row)`.
 */
export default fp<EndpointOptions>(
  (app, { publicUrl, variesWithOrigin, judge }, done) => {
    const every = app.supportedMethods as HTTPMethods[]
    const others = every.filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
    app.decorateRequest('principal', undefined)
    app.addHook('onRequest', authenticate(variesWithOrigin ? `${varying}, Origin` : varying, judge))
    app.addHook('preHandler', judgePlan)
    app.addHook('onRoute', (route) => {
      // A route behind authentication that does not say what it needs is a hole: the start fails.
      if (route.config?.scope === undefined) throw new Error(`route ${route.url} declares no scope`)
    })
    app.decorate('endpoint', (row: Endpoint) => {
      for (const prefix of prefixes) {
        const common = {
          url: prefix + row.path,
          config: { scope: row.scope, demo: row.demo, scopesOf: row.scopesOf, minuteCost: costOf(row) },
          schema: { hide: true },
          exposeHeadRoute: false,
          // The query grammar judges queries: every fault at once, which a validator cannot tell.
          validatorCompiler: () => () => true,
        }
        const schema = prefix === '/v1' ? row.schema : common.schema
        const admitted = { ...common, ...(row.admit ? { preHandler: admission(row, row.admit) } : {}) }
        app.route({ ...admitted, method: 'GET', schema, handler: handlerOf(row, prefix, publicUrl) })
        // It streams nothing, whatever it asks for.
        const config = { ...common.config, minuteCost: row.minuteCost }
        app.route({ ...admitted, config, method: 'HEAD', handler: handlerOf(row, prefix, publicUrl) })
        app.route({ ...common, method: 'OPTIONS', handler: answerOptions })
        app.route({ ...common, ...refusal(row.scope, refuseMethod), method: others })
      }
    })
    for (const prefix of closedPrefixes) {
      app.route({ ...refusal(null, refusePath), method: every, url: `${prefix}/*`, schema: { hide: true } })
    }
    done()
  },
  { name: 'endpoints', dependencies: ['auth', 'gate', 'problems'], fastify: '5.x' },
)

const answerOptions = (_request: FastifyRequest, reply: FastifyReply) =>
  reply.code(204).header('allow', allow).send()
