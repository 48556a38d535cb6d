import { tracingChannel } from 'node:diagnostics_channel'
import type { IncomingHttpHeaders } from 'node:http'
import type { Span } from '@opentelemetry/api'
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-node'
import type { StatementEnd } from '../db/connect.ts'
import { within } from '../overload/timer.ts'
import type { SentAnswer } from './sent-answer.ts'

export type RequestSpan = {
  traceparent: string
  run(next: () => void): void
  end(answer: Pick<SentAnswer, 'route' | 'status' | 'source'>): void
}

/** Since the start. Without sampled-out spans. `lost`: the collector did not accept them. */
export type SpanCounts = Readonly<{ ended: number; sent: number; lost: number }>

export type Tracing = {
  /** Starts a span below the caller's `traceparent`. `startedAt`: milliseconds since 1970. Defaults to now. */
  begin(method: string, headers: IncomingHttpHeaders, startedAt?: number): RequestSpan
  /** Records a statement below the active span. Statements outside of requests have none and are ignored. */
  noteStatement(statement: StatementEnd): void
  spans: SpanCounts
  close(): Promise<void>
}

/** `ExportResultCode.SUCCESS` of OpenTelemetry. */
const delivered = 0
/** Of the flags in W3C Trace Context. */
const sampled = 1

/** Describes in one line why a batch was lost, such as `Bad Request, status 400, at http://collector:4318`. */
const describeLoss = (error: Error | undefined): string => {
  const { message = '', code } = (error ?? {}) as Partial<Error & { code: unknown }>
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } = process.env
  const origin = URL.parse(traces || all || '')?.origin
  const [line] = message.split('\n', 1)
  return [line, typeof code === 'number' && `status ${code}`, origin && `at ${origin}`]
    .filter((each) => each)
    .join(', ')
}

/**
 * Wraps the exporter and precedes its processor, to count spans. The queue between them drops spans and does not report it.
 * Calls `onOutage` for the first lost batch, and `onRecovery` for the next one that is sent.
 */
const createSpanCounts = (
  exporter: SpanExporter,
  { onOutage, onRecovery }: Readonly<{ onOutage: (reason: string) => void; onRecovery: () => void }>,
) => {
  let isOut = false
  const note = (isDelivered: boolean, error: Error | undefined) => {
    if (isDelivered && isOut) onRecovery()
    if (!isDelivered && !isOut) onOutage(describeLoss(error))
    isOut = !isDelivered
  }
  const counts = { ended: 0, sent: 0, lost: 0 }
  const counting: SpanExporter = {
    export: (batch, report) =>
      exporter.export(batch, (result) => {
        const isDelivered = result.code === delivered
        counts[isDelivered ? 'sent' : 'lost'] += batch.length
        note(isDelivered, result.error)
        report(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
  const first: SpanProcessor = {
    onStart: () => {},
    onEnd: (span) => {
      if (span.spanContext().traceFlags & sampled) counts.ended += 1
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  return { counts, counting, first }
}

type TracingOptions = {
  version: string
  warn: (message: string, error?: Error) => void
}

type RedisCommand = { command: string; span?: Span }

const closeWithinMs = 2_000
const undelivered =
  'traces cannot be delivered (OTEL_EXPORTER_OTLP_ENDPOINT or …_TRACES_ENDPOINT): this is logged once per outage'

/**
 * Exports spans by OTLP over HTTP, configured by OpenTelemetry's own variables. Spans that the collector does
 * not accept are lost, and counted. Spans contain routes, statuses and SQL texts, but no ids and no values. See
 * docs/decisions/0130-traces-are-our-own-spans.md.
 */
export const startTracing = async ({ version, warn }: TracingOptions): Promise<Tracing> => {
  const { context, diag, DiagLogLevel, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } =
    await import('@opentelemetry/api')
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node')
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')

  const ignore = () => {}
  let isStarting = true
  const reportSetting = (message: string) => {
    if (isStarting) warn(`OpenTelemetry ignores a setting: ${message}`)
  }
  diag.setLogger(
    { error: ignore, warn: reportSetting, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const ours = resourceFromAttributes({ 'service.name': 'certdata', 'service.version': version })
  const { counts, counting, first } = createSpanCounts(new OTLPTraceExporter(), {
    onOutage: (reason) => warn(undelivered, new Error(reason)),
    onRecovery: () => warn('traces are delivered again'),
  })
  const provider = new NodeTracerProvider({
    resource: ours.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [first, new BatchSpanProcessor(counting)],
  })
  provider.register()
  isStarting = false
  const tracer = trace.getTracer('certdata', version)
  const failed = { code: SpanStatusCode.ERROR }
  const startClient = (name: string, attributes: Record<string, string>, startTime = Date.now()): Span =>
    tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime })

  // ioredis publishes its commands on this channel. Their arguments contain keys, so they are not read.
  const commands = tracingChannel<string, RedisCommand>('ioredis:command')
  commands.start.subscribe((message) => {
    if (!trace.getActiveSpan()) return
    const command = message as RedisCommand
    const name = command.command.toLowerCase()
    command.span = startClient(name, { 'db.system.name': 'redis', 'db.operation.name': name })
  })
  commands.error.subscribe((message) => void (message as RedisCommand).span?.setStatus(failed))
  commands.asyncEnd.subscribe((message) => void (message as RedisCommand).span?.end())

  return {
    begin(method, headers, startTime = Date.now()) {
      const parent = propagation.extract(ROOT_CONTEXT, headers)
      const attributes = { 'http.request.method': method }
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, startTime }, parent)
      const { traceId, spanId, traceFlags } = span.spanContext()
      return {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags}`,
        run: (next) => context.with(trace.setSpan(parent, span), next),
        end({ route, status, source }) {
          if (route) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
          span.setAttributes({ 'http.response.status_code': status, 'certdata.answer.source': source })
          if (status >= 500) span.setStatus(failed)
          span.end()
        },
      }
    },
    noteStatement({ sql, milliseconds, failed: isFailed }) {
      if (!trace.getActiveSpan()) return
      const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? 'statement'
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql }
      const span = startClient(operation, attributes, Date.now() - milliseconds)
      if (isFailed) span.setStatus(failed)
      span.end()
    },
    spans: counts,
    close: () => within(closeWithinMs, provider.shutdown()).catch(ignore),
  }
}
