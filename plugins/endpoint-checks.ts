import type { FastifyReply, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import { ApiError, unavailable } from '../app/errors.ts'
import { wantsNoCache } from '../app/http/fields.ts'
import { requireAcceptable } from '../app/http/media-type.ts'
import { type QueryString, splitTarget } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan, requireScope } from '../app/identity/rights.ts'
import type { Ending } from '../app/limits/concurrency.ts'
import {
  type Endpoint,
  type EndpointRequest,
  getExporting,
  jsonTypes,
  type LiveRequest,
  listTypes,
} from './endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** A `LiveRequest` if `respond` will be called. Set before the validation. */
    asked: EndpointRequest | LiveRequest
  }
}

const createAuthorize = (row: Endpoint, prefix: string, publicUrl: string) => {
  const types = listTypes(row)
  return (request: FastifyRequest): EndpointRequest => {
    const principal = request.principal as Principal
    if (row.demo === false && principal.kind === 'demo') throw new ApiError('live_token_required')
    if (row.scope !== null) requireScope(principal, row.scope)
    const rawQuery = request.query as QueryString
    for (const scope of row.listScopes?.(rawQuery) ?? []) requireScope(principal, scope)
    const offered = 'offers' in row ? row.offers(rawQuery) : types
    const type = requireAcceptable(request.headers.accept, rawQuery, offered)
    const noCache = wantsNoCache(request.headers['cache-control'], request.headers.pragma)
    // Without the query, which would be in the head twice. A whole list includes its parts (RFC 6596, section 3).
    const canonical =
      prefix === '/v1'
        ? undefined
        : `${publicUrl}/v1${splitTarget(request.raw.url).path.slice(prefix.length)}`
    return { principal, params: request.params as Record<string, string>, rawQuery, noCache, type, canonical }
  }
}

const toLive = (
  { scope }: Endpoint,
  authorized: EndpointRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): LiveRequest => {
  // `cache-status` means that rights may be stale. They cannot authorize an answer with current data.
  if (reply.hasHeader('cache-status')) throw unavailable()
  const reauthorize = async () => {
    const principal = await request.server.authenticateInTurn(request, authorized.principal.customerId)
    requirePlan(principal)
    if (scope !== null) requireScope(principal, scope)
    return principal
  }
  return {
    ...authorized,
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

// Replaces `request.query` by the whole checked request.
// See docs/decisions/0131-the-whole-request-is-validated-as-its-query.md.
export const createChecks = (
  row: Endpoint,
  prefix: string,
  publicUrl: string,
): preValidationAsyncHookHandler => {
  const authorize = createAuthorize(row, prefix, publicUrl)
  const exporting = getExporting(row)
  const isLive = (type: string) => 'respond' in row || (exporting !== undefined && type !== jsonTypes[0])
  return async (request, reply) => {
    const authorized = authorize(request)
    request.asked = authorized
    if (isLive(authorized.type)) {
      const live = toLive(row, authorized, request, reply)
      await row.hold?.(live)
      request.asked = live
    }
    request.query = request.asked
  }
}
