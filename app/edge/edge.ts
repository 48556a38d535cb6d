import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { ReadThrough } from '../cache/read-through.ts'
import { isEncodable } from '../http/encodings.ts'
import { isNotModified, wantsNoCache } from '../http/fields.ts'
import { findEncoding } from '../http/negotiation.ts'
import type { Principal } from '../identity/principal.ts'
import { hasScope } from '../identity/scopes.ts'
import type { Account } from '../limits/account.ts'
import { formatPolicies, formatUse, type PlanPolicy, type Quotas } from '../limits/limiter.ts'
import type { Costs } from '../limits/meters.ts'
import type { CachedResponse, CachedResponses, KnownTarget, KnownTargets } from './cached-responses.ts'
import type { EdgeConnection, Identify } from './connection.ts'
import { field, type PerRequestFields, type RequestHead, readHead } from './head.ts'

export type EdgeRequest = Readonly<{
  target: string
  /** Alternating names and values. Over HTTP/2 with pseudo-header fields. */
  rawHeaders: readonly string[]
  isHttp2: boolean
  connection: EdgeConnection
}>

/** The response, and the data that `plugins/answers.ts` records. */
export type EdgeAnswer = Readonly<{
  response: CachedResponse
  perRequest: PerRequestFields
  knownTarget: KnownTarget
  principal: Principal
  rows: number
  traceparent: string | undefined
}>

/** A request that the router must answer, of a sender whom the edge has authenticated. */
type Identified = Readonly<{ principal: Principal; response?: undefined }>

// See docs/decisions/0038-fast-lane-repeats-the-router.md.
type EdgeDeps = {
  knownTargets: Pick<KnownTargets, 'find'>
  responses: Pick<CachedResponses, 'find'>
  identify: Identify
  cache: Pick<ReadThrough, 'readFresh'>
  quotas: Quotas
  costs: Readonly<Record<'request' | 'backFrom304', Costs<PlanPolicy>>>
  today: () => string
  isClosed: () => boolean
  getTransport: (socket: Socket, forwardedProto: string | undefined) => 'tls' | 'plain' | undefined
  hasProxies: boolean
  maxHeaderBytes: number
}

/**
 * Answers from memory and charges the quota. Without a response, the router must answer and nothing is charged.
 * `undefined` if the router must authenticate, too.
 */
export const createEdge = (
  deps: EdgeDeps,
): ((request: EdgeRequest) => EdgeAnswer | Identified | undefined) => {
  const { knownTargets, responses, cache, quotas, costs, hasProxies } = deps

  const find = (target: string, head: RequestHead, isTls: boolean, principal: Principal) => {
    if (wantsNoCache(head[field.cacheControl], undefined)) return undefined
    const knownTarget = knownTargets.find(principal.customerId, target)
    if (!knownTarget || knownTarget.day !== deps.today()) return undefined
    if (!knownTarget.scopes.every((scope) => hasScope(principal, scope))) return undefined
    if (!knownTarget.isAcceptable(head[field.accept])) return undefined
    const answer = cache.readFresh(knownTarget.name)
    if (!answer) return undefined
    const { entry, asOf } = answer
    const link = knownTarget.formatNextLink(entry.next)
    const isSame = isNotModified(head[field.ifNoneMatch], entry.etag)
    const encoding = isSame || !isEncodable(entry) ? undefined : findEncoding(head[field.acceptEncoding])
    const variant = { isTls, isNotModified: isSame, hasLink: link !== undefined, encoding }
    const response = responses.find(entry, variant)
    return response && { knownTarget, response, link, asOf, rows: isSame ? 0 : (entry.rows ?? 0) }
  }

  const findAccount = (principal: Principal, { address }: EdgeConnection): Account<PlanPolicy> | undefined =>
    principal.kind === 'demo' && (hasProxies || address === undefined)
      ? undefined
      : quotas.find(principal, { clientAddress: address ?? '' })

  return ({ target, rawHeaders, isHttp2, connection }) => {
    const startedAt = performance.now()
    const head = readHead(rawHeaders, isHttp2, deps.maxHeaderBytes - (isHttp2 ? 0 : target.length))
    if (!head || deps.isClosed()) return undefined
    const transport = connection.isEncrypted
      ? 'tls'
      : deps.getTransport(connection.socket, head[field.forwardedProto])
    const principal = transport && deps.identify(connection, head[field.authorization])
    if (!principal) return undefined
    const account = findAccount(principal, connection)
    const known = account && find(target, head, transport === 'tls', principal)
    const countedMs = account?.now() ?? 0
    if (!known || !account.tryTake(costs.request)) return { principal }
    const { knownTarget, response, link, asOf, rows } = known
    if (response.status === 304) account.refund(costs.backFrom304, countedMs)
    const rateLimit = formatUse(account.use())
    const rateLimitPolicy = formatPolicies(account.policies)
    const ms = performance.now() - startedAt
    const perRequest = { requestId: randomUUID(), asOf, ms, rateLimit, rateLimitPolicy, link }
    return { response, perRequest, knownTarget, principal, rows, traceparent: head[field.traceparent] }
  }
}
