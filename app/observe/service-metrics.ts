import type { ChainHead } from '../audit/chain.ts'
import type { RedisFigures } from '../db/redis.ts'
import { byLabel, counter, type Figure, gauge, gaugeMin, gaugeSum } from './figures.ts'

export type PoolFigures = Readonly<{
  open: number
  idle: number
  waiting: number
  refused: number
  max: number
}>

type ServiceFigures = {
  version: string
  /** The database's clock. `asOf`: all commits before this time are known. */
  databaseNow: () => number
  asOf: () => string
  isAway: () => boolean
  /** Optional: some tests run without polls. */
  pollAgeMs?: (() => number) | undefined
  pools?: (() => Readonly<Record<string, PoolFigures>>) | undefined
  redis: () => Readonly<Record<string, RedisFigures>>
  probes: Readonly<Record<string, number>>
  memoryBytes: () => number
  fills: () => number
  audit: () => AuditFigures
  feed: () => Readonly<{ streams: number; waiters: number }>
  overdueAccessRequests: () => Promise<number | undefined>
  isDraining: () => boolean
  logLinesLost: () => number
}

export type AuditFigures = Readonly<{
  head: ChainHead | undefined
  /** Entries counted, or not written because of an error, that are not in the database yet. */
  queued: number
  lost: number
  /** Number of heads found that contradict a published one. */
  contradictions: number
  /** Milliseconds since 1970. `undefined` before the first run of the sealer. */
  sealedAt: number | undefined
}>

const macBytesShown = 6
const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
const flag = (holds: boolean) => (holds ? 1 : 0)

const freshness = (figures: ServiceFigures): Figure[] => [
  gauge(
    'certdata_freshness_lag_seconds',
    'How far what is known of the database lies behind its clock; the promise is 0.6',
    () => seconds(figures.databaseNow() - Date.parse(figures.asOf())),
  ),
  gauge('certdata_poll_age_seconds', 'Since the last good poll of the change log was sent', () =>
    seconds(figures.pollAgeMs?.()),
  ),
  gauge('certdata_database_away', '1 while answers cannot be known to be fresh', () =>
    flag(figures.isAway()),
  ),
  counter('certdata_freshness_probes_total', 'Cached answers compared with the database, by result', () =>
    byLabel('result', figures.probes),
  ),
]

const stores = (figures: ServiceFigures): Figure[] => {
  const ofPools = (key: keyof PoolFigures) => () =>
    Object.entries(figures.pools?.() ?? {}).map(([pool, each]) => [{ pool }, each[key]] as const)
  const ofRedis = (key: keyof RedisFigures) => () =>
    Object.entries(figures.redis()).map(([use, each]) => [{ use }, flag(each[key])] as const)
  return [
    gaugeSum('certdata_database_connections', 'Open connections', ofPools('open')),
    gaugeSum('certdata_database_connections_idle', 'Of these, unused', ofPools('idle')),
    gaugeSum('certdata_database_connections_max', 'Connections at most', ofPools('max')),
    gaugeSum('certdata_database_waiting', 'Requests that wait for a connection', ofPools('waiting')),
    counter(
      'certdata_queue_refused_total',
      'Requests refused with 503 overloaded, because no connection was free in time',
      ofPools('refused'),
    ),
    gaugeMin('certdata_redis_up', '1 while Redis is connected and takes writes, by its use', ofRedis('isUp')),
    gauge('certdata_redis_breaker_open', '1 while Redis hangs and is left alone', ofRedis('isBreakerOpen')),
    gaugeSum('certdata_memory_cache_bytes', 'Set aside for cached answers', figures.memoryBytes),
    counter('certdata_database_fills_total', 'Answers read from the primary', figures.fills),
  ]
}

// See docs/decisions/0050-audit-head-as-two-gauges.md.
const audit = ({ audit: read }: ServiceFigures): Figure[] => [
  gauge('certdata_audit_head_seal', "Number of the chain's last seal", () => read().head?.sealNo),
  gauge(
    'certdata_audit_head_mac',
    "First 48 bits of the last seal's MAC, as a number: kept elsewhere, it shows a chain that was rebuilt",
    () => read().head?.mac.readUIntBE(0, macBytesShown),
  ),
  gauge('certdata_audit_sealed_timestamp_seconds', 'When the sealer last did its work', () =>
    seconds(read().sealedAt),
  ),
  gaugeSum('certdata_audit_queue', 'Entries that are not in the database yet', () => read().queued),
  counter('certdata_audit_lost_total', 'Entries given up, the database did not take them', () => read().lost),
  counter(
    'certdata_audit_contradictions_total',
    'Heads found that contradict a published one',
    () => read().contradictions,
  ),
]

/** Lists the metrics that are read from other parts of the service at each scrape. */
export const listServiceFigures = (figures: ServiceFigures): readonly Figure[] => [
  ...freshness(figures),
  ...stores(figures),
  ...audit(figures),
  gaugeSum('certdata_feed_streams', 'Exports and whole states being streamed', () => figures.feed().streams),
  gaugeSum('certdata_feed_waiters', 'Long polls that wait', () => figures.feed().waiters),
  gauge(
    'certdata_access_requests_overdue',
    'Requests for access not answered in time',
    figures.overdueAccessRequests,
  ),
  counter('certdata_log_lines_lost_total', 'Log lines given up, nobody took them', figures.logLinesLost),
  gauge('certdata_draining', '1 once the service was told to stop', () => flag(figures.isDraining())),
  gauge('certdata_build_info', 'Which version runs', () => [[{ version: figures.version }, 1]]),
]
