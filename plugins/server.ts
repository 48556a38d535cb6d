import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import type { Config } from '../app/config/config.ts'
import { ApiError } from '../app/errors.ts'
import { createAddressRanges, loopback } from '../app/http/client-address.ts'
import { answerClientError, answerConnect } from '../app/http/client-error.ts'
import { type Connections, createConnections } from '../app/http/connections.ts'
import { jsonType } from '../app/http/formats.ts'
import { createListener } from '../app/http/listener.ts'
import { describeForLog } from '../app/http/log-error.ts'
import { replaceMethod } from '../app/http/methods.ts'
import { createQueryString, unpackTarget } from '../app/http/pairs.ts'
import { type JsonError, requireUniqueNames } from '../app/http/unique-json.ts'
import { patience } from '../app/http/unread.ts'
import { toClientNetwork } from '../app/limits/address.ts'
import { logFormat } from '../app/observe/log-format.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'
import type { Deps } from './deps.ts'
import { maxHeaderBytes } from './gate.ts'
import { schemaController } from './schema-compilers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly connections: Connections
  }
}

const maxBodyBytes = 64 * 1024

/** Clients that vanish have unread answers, too, so `unread` is counted only. */
const warnings = {
  unread: undefined,
  memory: 'too many answers wait for their clients: the slowest connections end',
  full: 'new connections replace unread and idle ones',
  network: 'one network holds MAX_CONNECTIONS_PER_NETWORK: its new connections replace its own',
} as const

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
  const { tls, trustedProxies, exports } = config
  const options: FastifyServerOptions = {
    logger: loggerOptions(config, logStream) as FastifyServerOptions['logger'] & object,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: maxBodyBytes,
    // Requests on open connections are answered while the service stops.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The query grammar reads the text, because an object loses order and faults.
    routerOptions: {
      maxParamLength: maxHeaderBytes,
      querystringParser: (text) => createQueryString(text) as never,
    },
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
  const isUnlimited = createAddressRanges([...trustedProxies, ...loopback])
  const connections = createConnections({
    max: config.maxConnections,
    mostOfNetwork: config.maxConnectionsPerNetwork,
    toNetwork: (address) => (isUnlimited(address) ? undefined : toClientNetwork(address)),
    onEnd: (reason) => {
      if (warnings[reason]) warn(`connections: ${reason}`, warnings[reason])
    },
    patience: { unreadMs: Math.max(patience.unreadMs, exports.idleMs) },
  })
  const serverFactory = createListener({
    tls,
    // The gate refuses them, with all fields of the answer. Node's parser would not know the request's origin.
    maxHeaderBytes: 2 * maxHeaderBytes,
    keepAliveTimeoutMs: config.keepAliveMs,
    connections,
    front: (request, response) => app.answerAtEdge?.(request, response) ?? false,
    frontStream: (...stream) => app.answerStreamAtEdge?.(...stream) ?? false,
  })
  const whole = tls ? { ...options, serverFactory, http2: true } : { ...options, serverFactory }
  const app = Fastify(whole as FastifyServerOptions) as FastifyInstance
  const warn = throttleWarnings(app.log)
  app.decorate('connections', connections)
  app.server.on('connect', (_request, answer: Socket) =>
    answerConnect(answer, publicUrl, constantHeaders(app, config, '')),
  )
  app.removeContentTypeParser('text/plain')
  const parseJson = app.getDefaultJsonParser('error', 'error')
  // Some clients send a Content-Type without a body.
  app.addContentTypeParser<string>(jsonType, { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else void parseJson(request, body, (error, value) => done(error ?? findRepeatedName(body, value), value))
  })
  return app
}
