import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import type { Config } from '../app/config/config.ts'
import { ApiError } from '../app/errors.ts'
import { answerClientError, answerConnect } from '../app/http/client-error.ts'
import { createListener } from '../app/http/listener.ts'
import { describeForLog } from '../app/http/log-error.ts'
import { replaceMethod } from '../app/http/methods.ts'
import { unpackTarget } from '../app/http/packed-query.ts'
import { type JsonError, requireUniqueNames } from '../app/http/unique-json.ts'
import { logFormat } from '../app/observe/log-format.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'
import type { Deps } from './deps.ts'
import { maxHeaderBytes } from './gate.ts'
import { schemaController } from './schema-compilers.ts'

const maxBodyBytes = 64 * 1024
const leastUnreadTimeoutMs = 72_000

const loggerOptions = ({ logLevel }: Config, stream: LogStream | undefined) => ({
  level: logLevel,
  ...logFormat,
  ...(stream ? { stream } : {}),
  // URLs contain query values, and headers contain tokens.
  serializers: {
    req: ({ method }: { method: string }) => ({ method }),
    res: ({ statusCode }: { statusCode?: number | undefined }) => ({ statusCode }),
    err: describeForLog,
  },
})

/** For responses that pass no hook. Needs `security-headers` and `cross-origin`. `origin`: see `CrossOrigin`. */
export const constantHeaders = (
  app: FastifyInstance,
  { tls }: Config,
  origin: string | undefined,
): Readonly<Record<string, string>> => ({
  ...app.securityHeaders[tls ? 'tls' : 'plain'],
  ...app.crossOrigin.getFields(origin),
})

const findRepeatedName = (json: string, value: unknown): ApiError | null => {
  try {
    requireUniqueNames(json, value)
    return null
  } catch (error) {
    const { message: detail } = error as JsonError
    return new ApiError('invalid_body', {
      detail: `The body is ambiguous: ${detail}`,
      errors: [{ pointer: '', code: 'invalid_value', detail }],
    })
  }
}

export const createServer = ({
  config,
  publicUrl,
  logStream,
}: Pick<Deps, 'config' | 'publicUrl' | 'logStream'>): FastifyInstance => {
  const { tls, maxConnections } = config
  const options: FastifyServerOptions = {
    logger: loggerOptions(config, logStream) as FastifyServerOptions['logger'] & object,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: maxBodyBytes,
    // Requests on open connections are answered while the service stops.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The query grammar reads the text, because an object loses order and faults.
    routerOptions: { maxParamLength: maxHeaderBytes, querystringParser: (text) => text as never },
    schemaController,
    // Methods without a route become PUT, whose routes answer 405.
    rewriteUrl: (request) => {
      replaceMethod(request)
      return unpackTarget(request.url ?? '')
    },
    frameworkErrors: (error, request, reply) => request.server.sendProblem(error, request, reply),
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket as Socket, publicUrl, (origin) => constantHeaders(app, config, origin)),
  }
  const serverFactory = createListener({
    ...{ tls, maxConnections },
    // The gate refuses them, with all fields of the answer. Node's parser would not know the request's origin.
    maxHeaderBytes: 2 * maxHeaderBytes,
    onFull: () => warn('MAX_CONNECTIONS', 'new connections replace idle ones'),
    // Longer than the timeout of an export.
    unreadTimeoutMs: Math.max(leastUnreadTimeoutMs, config.exports.idleMs + 10_000),
    keepAliveTimeoutMs: config.keepAliveMs,
    front: (request, response) => app.answerAtEdge?.(request, response) ?? false,
    frontStream: (...stream) => app.answerStreamAtEdge?.(...stream) ?? false,
  })
  const whole = tls ? { ...options, serverFactory, http2: true } : { ...options, serverFactory }
  const app = Fastify(whole as FastifyServerOptions) as FastifyInstance
  const warn = throttleWarnings(app.log)
  app.server.on('connect', (_request, answer: Socket) =>
    answerConnect(answer, publicUrl, constantHeaders(app, config, '')),
  )
  app.removeContentTypeParser('text/plain')
  const parseJson = app.getDefaultJsonParser('error', 'error')
  // Some clients send a Content-Type without a body.
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else void parseJson(request, body, (error, value) => done(error ?? findRepeatedName(body, value), value))
  })
  return app
}
