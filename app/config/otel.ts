import { z } from 'zod'

const endpoint = z.url({ protocol: /^https?$/ }).optional()
const protocol = z.string().optional()
const compression = z.enum(['gzip', 'none'], 'expected gzip or none').optional()
const milliseconds = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'expected milliseconds, from 1')
  .optional()

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const canDecode = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
const isAttribute = (text: string) => /^[^=]+=[^=]*$/.test(text.trim()) && canDecode(text)

/**
 * OpenTelemetry's own variables, as far as its packages would ignore a wrong value without a word. They also read
 * others, such as `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_BSP_…`.
 */
export const otelVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint.describe(
    'Collector of traces (OTLP over HTTP, JSON); /v1/traces is added. OpenTelemetry’s other variables work as usual',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint.describe(
    'The same with its whole path, and instead of OTEL_EXPORTER_OTLP_ENDPOINT',
  ),
  OTEL_SDK_DISABLED: z
    .enum(['true', 'false'], 'expected true or false')
    .optional()
    .describe('With true, there are no traces'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], 'expected otlp or none: this service has no other exporter')
    .optional()
    .describe('With none, there are no traces'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.describe('Only http/json, which is also the default'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.describe(
    'The same for traces, and instead of OTEL_EXPORTER_OTLP_PROTOCOL',
  ),
  OTEL_EXPORTER_OTLP_COMPRESSION: compression.describe('Compression of traces; default: none'),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression.describe('The same, and instead of it'),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds.describe('Milliseconds for one delivery; default: 10000'),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds.describe('The same, and instead of it'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `expected one of ${samplers.join(', ')}`)
    .optional()
    .describe('Which requests are traced; default: parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/, 'expected a ratio from 0 to 1')
    .optional()
    .describe('Ratio of traced requests, for the samplers with traceidratio'),
  OTEL_PROPAGATORS: z
    .string()
    .regex(
      /^\s*(baggage\s*,\s*)?tracecontext\s*(,\s*baggage\s*)?$/,
      'expected tracecontext: this service reads only traceparent and tracestate',
    )
    .optional()
    .describe('Only tracecontext, with or without baggage, which is ignored'),
  OTEL_SERVICE_NAME: z.string().optional().describe('Name of the service in traces; default: certdata'),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .refine((text) => text.split(',').every((part) => part.trim() === '' || isAttribute(part)), {
      message: 'expected key=value,key=value, with other commas, equals and percent signs as %XX',
    })
    .optional()
    .describe('Attributes of the service in traces, such as deployment.environment.name=test'),
} as const

type Otel = Partial<z.output<z.ZodObject<typeof otelVariables>>>

/** Whether requests are traced. */
export const hasTraces = (env: Otel): boolean =>
  Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT) &&
  env.OTEL_SDK_DISABLED !== 'true' &&
  env.OTEL_TRACES_EXPORTER !== 'none'

/** Lists variables that contradict each other or this service. Without traces, none does. */
export const checkOtel = (env: Otel): string[] => {
  if (!hasTraces(env)) return []
  const faults: string[] = []
  const name = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const chosen = env[name]
  if (chosen && chosen !== 'http/json') {
    faults.push(
      `${name}: expected http/json, the only protocol of this service. Collectors receive it on the port of OTLP over HTTP, usually 4318. If other services need ${chosen}, set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json here`,
    )
  }
  if (env.OTEL_TRACES_SAMPLER?.endsWith('traceidratio') && !env.OTEL_TRACES_SAMPLER_ARG) {
    faults.push('OTEL_TRACES_SAMPLER_ARG: required with this OTEL_TRACES_SAMPLER, for example 0.1')
  }
  return faults
}
