import type { ServerHttp2Stream } from 'node:http2'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { describeUnreachable, isUnreachable, toUnavailable } from '../app/db/unreachable.ts'
import { ApiError, type ErrorCode, type Fault } from '../app/errors.ts'
import { jsonType } from '../app/http/formats.ts'
import { problemBody, problemType } from '../app/http/problem.ts'
import { findNearest } from '../app/lists/nearest.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'
import { createEarlyRepeats } from '../app/overload/early-repeats.ts'

type ProblemOptions = {
  publicUrl: string
  /** For errors before the first hook, which sets them otherwise. */
  headers: (origin: string | undefined) => Readonly<Record<string, string>>
}

/** For routes with a body. `bodyHint` replaces the first fault as `detail`. */
type BodyConfig = { bodyType?: string; bodyHint?: string }

declare module 'fastify' {
  interface FastifyContextConfig extends BodyConfig {}
  interface FastifyInstance {
    sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply
    /** Proposes the first part of this path, which is below `/v1`, for similar unknown paths. */
    addPublicPath(path: string): void
  }
}

const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'malformed_request',
  // Unexpected: every path has a handler for every method.
  FST_ERR_NOT_FOUND: 'malformed_request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_body',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

const toFaults = (issues: FastifyError['validation'] = []): Fault[] =>
  issues.flatMap(({ keyword, instancePath, message = '', params }): Fault[] =>
    keyword === 'unrecognized_keys'
      ? (params.keys as string[]).map((name) => ({
          pointer: `/${escapePointer(name)}`,
          code: 'unknown_field',
          detail: 'there is no such field',
        }))
      : [{ pointer: instancePath === '/' ? '' : instancePath, code: 'invalid_value', detail: message }],
  )

const withQueryFaults = (problem: ApiError, request: FastifyRequest): ApiError => {
  const { errors = [] } = problem.extras
  if (problem.code !== 'invalid_body' || errors.length === 0) return problem
  try {
    request.getValidationFunction('querystring')?.(request.query as object)
    return problem
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return new ApiError(error.code, {
      detail: error.message,
      errors: [...(error.extras.errors ?? []), ...errors],
    })
  }
}

const convert = (error: unknown, { bodyType = jsonType, bodyHint }: BodyConfig = {}) => {
  if (error instanceof ApiError) return error
  if (isUnreachable(error)) return toUnavailable(error) as ApiError
  const { code, statusCode, validation } = error as FastifyError
  if (validation) {
    return new ApiError('invalid_body', {
      ...(bodyHint === undefined ? {} : { detail: bodyHint }),
      errors: toFaults(validation),
    })
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ApiError('unsupported_media_type', { detail: `Send the body as ${bodyType}` })
  }
  const known = frameworkCodes[code]
  if (known) return new ApiError(known, known === 'invalid_body' ? { detail: 'The body is not JSON' } : {})
  // Fastify has no code for some malformed bodies.
  return statusCode === 400 ? new ApiError('malformed_request') : undefined
}

/** `undefined` for an unexpected error, which becomes a 500. With `request`, adds the faults of its query. */
export const toApiError = (error: unknown, request?: FastifyRequest): ApiError | undefined => {
  const problem = convert(error, request?.routeOptions.config)
  return request && problem ? withQueryFaults(problem, request) : problem
}

const describeMissing = (url: string, publicNames: readonly string[]): ApiError => {
  const path = url.replace(/\?.*$/s, '')
  const detail = path.includes('//')
    ? 'The path has two slashes in a row: send one'
    : path.length > 1 && path.endsWith('/')
      ? 'The path ends with a slash: leave it out'
      : undefined
  if (detail !== undefined) return new ApiError('not_found', { detail })
  const name = /^\/(?:v1\/)?([\w-]+)(?:\/|$)/.exec(path)?.[1] ?? ''
  const nearest = publicNames.includes(name) ? undefined : findNearest(name, publicNames)
  return new ApiError('not_found', nearest ? { detail: `Did you mean /v1/${nearest}?` } : {})
}

/** The session, over HTTP/2. */
const getConnection = ({ raw }: FastifyRequest): object =>
  ('stream' in raw && (raw.stream as ServerHttp2Stream).session) || raw.socket

export default fp<ProblemOptions>(
  async (app, { publicUrl, headers }) => {
    const warn = throttleWarnings(app.log)
    const holdEarlyRepeat = createEarlyRepeats()
    const publicNames = new Set<string>()
    app.decorate('addPublicPath', (path: string) => {
      publicNames.add(path.split('/')[1] as string)
    })
    app.decorate('sendProblem', (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const found = toApiError(error, request)
      const isBare = found?.code === 'not_found' && found.extras.detail === undefined
      const known = isBare ? describeMissing(request.raw.url ?? '', [...publicNames]) : found
      if (!known || known.status === 500) request.log.error({ err: error }, 'request failed')
      else if (known.status > 500) request.log.debug({ err: error }, 'request refused')
      // Without a cause, the poller has already warned.
      if (known?.cause !== undefined) warn(describeUnreachable(known), 'requests are answered with 503')
      const problem = known ?? new ApiError('internal_error')
      if (!reply.hasHeader('request-id')) {
        reply.headers({ ...headers(request.headers.origin ?? ''), 'request-id': request.id })
      }
      reply
        .code(problem.status)
        .headers({ 'cache-control': 'no-store', ...problem.extras.headers })
        .type(problemType)
      const send = () => void reply.send(Buffer.from(problemBody(problem, publicUrl, request.id)))
      if (problem.code !== 'overloaded') send()
      else holdEarlyRepeat(getConnection(request), performance.now() - reply.elapsedTime, send)
      return reply
    })
    app.setErrorHandler((error, request, reply) => app.sendProblem(error, request, reply))
  },
  { name: 'problems', fastify: '5.x' },
)
