import type { ChainHead } from '../audit/chain.ts'
import type { RedisFigures } from '../db/redis.ts'
import type { KeyExpiry } from '../identity/key-expiry.ts'
import { byLabel, counter, type Figure, gauge, gaugeFirst, gaugeMin, gaugeSum } from './figures.ts'
import type { SpanCounts } from './tracing.ts'

export type PoolFigures = Readonly<{
  open: number
  idle: number
  waiting: number
  refused: number
  max: number
}>

export type AuditFigures = Readonly<{
  head: ChainHead | undefined
  queued: number
  lost: number
  contradictions: number
  /** Milliseconds since 1970. `undefined` until the sealer has run once. */
  sealedAt: number | undefined
}>

const macBytesShown = 6
const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
const flag = (holds: boolean) => (holds ? 1 : 0)

type CacheFigures = Readonly<{
  /** The database's clock, in milliseconds since 1970. All commits before `asOf` (RFC 3339) are known. */
  databaseNow: () => number
  asOf: () => string
  isAway: () => boolean
  pollAgeMs?: (() => number) | undefined
  probes: Readonly<Record<string, number>>
  distrust: () => Readonly<Record<string, number>>
  memoryBytes: () => number
  fills: () => number
}>

/** Lists the figures of caches, and of the freshness of their answers. */
export const listCacheFigures = (figures: CacheFigures): readonly Figure[] => [
  gauge(
    'certdata_freshness_lag_seconds',
    'Age of the newest confirmed state of the database; the promise is 0.6',
    () => seconds(figures.databaseNow() - Date.parse(figures.asOf())),
  ),
  gauge('certdata_poll_age_seconds', 'Time since the last successful poll of the change log was sent', () =>
    seconds(figures.pollAgeMs?.()),
  ),
  gauge('certdata_database_away', '1 while the freshness of answers cannot be confirmed', () =>
    flag(figures.isAway()),
  ),
  counter('certdata_freshness_probes_total', 'Cached answers compared with the database, by result', () =>
    byLabel('result', figures.probes),
  ),
  gauge(
    'certdata_distrusted_resources',
    '1 while a change of the resource is missing in the change log, so that its answers are at most 10 s old',
    () => byLabel('resource', figures.distrust()),
  ),
  gaugeSum('certdata_memory_cache_bytes', 'Memory reserved for cached answers', figures.memoryBytes),
  counter('certdata_database_fills_total', 'Answers read from the primary', figures.fills),
]

type StoreFigures = Readonly<{
  pools?: (() => Readonly<Record<string, PoolFigures>>) | undefined
  redis: () => Readonly<Record<string, RedisFigures>>
}>

/** Lists the figures of connections to PostgreSQL and Redis. */
export const listStoreFigures = ({ pools, redis }: StoreFigures): readonly Figure[] => {
  const ofPools = (key: keyof PoolFigures) => () =>
    Object.entries(pools?.() ?? {}).map(([pool, each]) => [{ pool }, each[key]] as const)
  const ofRedis = (key: keyof RedisFigures) => () =>
    Object.entries(redis()).map(([use, each]) => [{ use }, flag(each[key])] as const)
  return [
    gaugeSum('certdata_database_connections', 'Open connections', ofPools('open')),
    gaugeSum('certdata_database_connections_idle', 'Open connections that are idle', ofPools('idle')),
    gaugeSum('certdata_database_connections_max', 'Maximum number of connections', ofPools('max')),
    gaugeSum('certdata_database_waiting', 'Requests that wait for a connection', ofPools('waiting')),
    counter(
      'certdata_queue_refused_total',
      'Requests refused with 503 overloaded, because no connection was free in time',
      ofPools('refused'),
    ),
    gaugeMin('certdata_redis_up', '1 while Redis is connected and accepts writes, by use', ofRedis('isUp')),
    gauge(
      'certdata_redis_breaker_open',
      '1 while Redis does not respond and is not used',
      ofRedis('isBreakerOpen'),
    ),
  ]
}

/**
 * Lists the figures of the audit trail. The two gauges of the head must be of the same process. See
 * docs/decisions/0050-audit-head-as-two-gauges.md.
 */
export const listAuditFigures = (read: () => AuditFigures): readonly Figure[] => [
  gaugeFirst('certdata_audit_head_seal', "Number of the chain's last seal", () => read().head?.sealNo),
  gaugeFirst(
    'certdata_audit_head_mac',
    "First 48 bits of the last seal's MAC, as a number. A copy of it elsewhere reveals a rebuilt chain",
    () => read().head?.mac.readUIntBE(0, macBytesShown),
  ),
  gauge('certdata_audit_sealed_timestamp_seconds', 'Time of the last run of the sealer', () =>
    seconds(read().sealedAt),
  ),
  gaugeSum('certdata_audit_queue', 'Entries that are not in the database yet', () => read().queued),
  counter(
    'certdata_audit_lost_total',
    'Entries dropped because the database did not accept them',
    () => read().lost,
  ),
  counter(
    'certdata_audit_contradictions_total',
    'Heads that contradict a published head',
    () => read().contradictions,
  ),
]

type ConnectionFigures = Readonly<{
  open: number
  max: number
  unsentBytes: number
  ended: ReadonlyMap<string, number>
}>

/** Lists the figures of connections of clients. */
export const listConnectionFigures = (read: () => ConnectionFigures): readonly Figure[] => [
  gaugeSum('certdata_connections', 'Open connections of clients', () => read().open),
  gaugeSum('certdata_connections_max', 'MAX_CONNECTIONS of all processes', () => read().max),
  gaugeSum(
    'certdata_unsent_bytes',
    'Bytes of answers that wait for their clients or for an earlier answer',
    () => read().unsentBytes,
  ),
  counter('certdata_connections_ended_total', 'Connections that the service has ended early, by reason', () =>
    byLabel('reason', read().ended),
  ),
]

/** Lists the figures of API keys that end soon. */
export const listKeyFigures = (read: () => Promise<KeyExpiry | undefined>): readonly Figure[] => [
  gaugeMin(
    'certdata_key_expiry_days',
    'Days to the nearest end of an API key in use',
    async () => (await read())?.nearestDays ?? undefined,
  ),
  gauge(
    'certdata_keys_ending',
    'API keys in use that end within 14 days',
    async () => (await read())?.ending,
  ),
]

/** Lists the figures of traces. They are 0 without tracing. */
export const listSpanFigures = (spans: SpanCounts | undefined): readonly Figure[] => [
  counter('certdata_trace_spans_ended_total', 'Sampled spans that ended', () => spans?.ended ?? 0),
  counter('certdata_trace_spans_total', 'Sampled spans that were sent to the collector, by outcome', () =>
    byLabel('outcome', { sent: spans?.sent ?? 0, lost: spans?.lost ?? 0 }),
  ),
]

type ProcessFigures = Readonly<{ version: string; isDraining: () => boolean; logLinesLost: () => number }>

/** Lists the figures of a process of the service. */
export const listProcessFigures = ({
  version,
  isDraining,
  logLinesLost,
}: ProcessFigures): readonly Figure[] => [
  counter('certdata_log_lines_lost_total', 'Log lines dropped because the reader was too slow', logLinesLost),
  gauge('certdata_draining', '1 while the service is stopping', () => flag(isDraining())),
  gauge('certdata_build_info', 'The running version', () => [[{ version }, 1]]),
]
