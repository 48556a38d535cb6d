import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context, Span } from '@opentelemetry/api'
import type { StatementEnd } from '../db/connect.ts'
import { traceRedis } from './trace-redis.ts'

/** An answer that has gone out. `route`: the pattern; `source`: where its data came from. */
type TracedAnswer = { route: string; status: number; source: string }

/** The span of a request in a trace. */
export type RequestSpan = {
  /** As a header: for what comes after it. */
  traceparent: string
  end(answer: TracedAnswer): void
}

export type Tracing = {
  /** Begins a span, under the caller's where it sent `traceparent`, and calls `next` within it. */
  begin(method: string, headers: IncomingHttpHeaders, next: (span: RequestSpan) => void): void
  /** Notes a request that was answered before anybody could begin a span, `milliseconds` ago. */
  noteRequest(
    request: { method: string; traceparent: string | undefined; milliseconds: number },
    answer: TracedAnswer,
  ): void
  /** Records a statement under the span that runs now. Outside of requests it does nothing. */
  noteStatement(statement: StatementEnd): void
  /** Sends what waits; gives up after two seconds. */
  close(): Promise<void>
}

type TracingOptions = {
  version: string
  warn: (message: string, error?: Error) => void
}

const closeWithinMs = 2_000
const undelivered = 'traces cannot be delivered (OTEL_EXPORTER_OTLP_ENDPOINT): not said again'

/**
 * Loads OpenTelemetry and sends spans by OTLP over HTTP. OpenTelemetry's own variables apply, such as
 * `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER` and `OTEL_SERVICE_NAME`. If the collector does not answer,
 * spans are lost and nothing else happens. Spans hold route patterns, codes and statements with placeholders, but
 * no ids and no values.
 */
export const startTracing = async ({ version, warn }: TracingOptions): Promise<Tracing> => {
  const { context, diag, DiagLogLevel, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } =
    await import('@opentelemetry/api')
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node')
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')

  let wasReported = false
  const report = (message: string) => {
    if (!wasReported) warn(undelivered, new Error(message))
    wasReported = true
  }
  const ignore = () => {}
  diag.setLogger(
    { error: report, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
  const ours = resourceFromAttributes({ 'service.name': 'certdata', 'service.version': version })
  const provider = new NodeTracerProvider({
    resource: ours.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  const tracer = trace.getTracer('certdata', version)
  const failed = { code: SpanStatusCode.ERROR }
  const client = (name: string, attributes: Record<string, string>, startTime?: number): Span =>
    tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, ...(startTime ? { startTime } : {}) })
  const stopRedis = traceRedis((command) => {
    if (!trace.getActiveSpan()) return undefined
    const span = client(command, { 'db.system.name': 'redis', 'db.operation.name': command })
    return (isFailed) => {
      if (isFailed) span.setStatus(failed)
      span.end()
    }
  })

  const begin = (method: string, parent: Context, startTime = Date.now()): Span => {
    const attributes = { 'http.request.method': method }
    return tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, startTime }, parent)
  }
  const end = (span: Span, method: string, { route, status, source }: TracedAnswer) => {
    if (route !== '') span.updateName(`${method} ${route}`).setAttribute('http.route', route)
    span.setAttributes({ 'http.response.status_code': status, 'certdata.answer.source': source })
    if (status >= 500) span.setStatus(failed)
    span.end()
  }

  return {
    begin(method, headers, next) {
      const parent = propagation.extract(ROOT_CONTEXT, headers)
      const span = begin(method, parent)
      const ours = trace.setSpan(parent, span)
      const carrier: { traceparent?: string } = {}
      propagation.inject(ours, carrier)
      const { traceparent = '' } = carrier
      context.with(ours, () => next({ traceparent, end: (answer) => end(span, method, answer) }))
    },
    noteRequest({ method, traceparent, milliseconds }, answer) {
      const parent = propagation.extract(ROOT_CONTEXT, { traceparent })
      end(begin(method, parent, Date.now() - milliseconds), method, answer)
    },
    noteStatement({ sql, milliseconds, failed: isFailed }) {
      if (!trace.getActiveSpan()) return
      const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? 'statement'
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql }
      const span = client(operation, attributes, Date.now() - milliseconds)
      if (isFailed) span.setStatus(failed)
      span.end()
    },
    async close() {
      stopRedis()
      const signal = new AbortController()
      const late = delay(closeWithinMs, undefined, { signal: signal.signal }).catch(ignore)
      await Promise.race([provider.shutdown().catch(ignore), late])
      signal.abort()
    },
  }
}
