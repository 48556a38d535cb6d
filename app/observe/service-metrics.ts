import type { ChainHead } from '../audit/chain.ts'
import type { RedisFigures } from '../db/redis.ts'
import type { Collector } from './collector.ts'
import { byLabel, counter, gauge } from './figures.ts'

/** Connections of a pool at this moment. */
export type PoolFigures = Readonly<{
  open: number
  idle: number
  waiting: number
  refused: number
  max: number
}>

/** What the rooms tell of themselves when asked; see the metrics' help for what each means. */
export type ServiceFigures = {
  version: string
  /** The database's clock, and before when every commit is known. */
  databaseNow: () => number
  asOf: () => string
  isAway: () => boolean
  /** Absent where nobody polls, as in some tests. */
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
  /** Entries counted or written in vain, not yet in the database. */
  queued: number
  lost: number
  /** Heads found that contradict a published one. */
  contradictions: number
  /** Milliseconds since 1970; undefined: not yet. */
  sealedAt: number | undefined
}>

const macBytesShown = 6
const seconds = (ms: number) => ms / 1000
const flag = (holds: boolean) => (holds ? 1 : 0)

const freshness = (figures: ServiceFigures): Collector[] => [
  gauge(
    'certdata_freshness_lag_seconds',
    'How far what is known of the database lies behind its clock; the promise is 0.6',
    () => {
      const asOf = Date.parse(figures.asOf())
      return Number.isNaN(asOf) ? undefined : seconds(figures.databaseNow() - asOf)
    },
  ),
  gauge('certdata_poll_age_seconds', 'Since the last good poll of the change log was sent', () => {
    const age = figures.pollAgeMs?.()
    return age === undefined ? undefined : seconds(age)
  }),
  gauge('certdata_database_away', '1 while answers cannot be known to be fresh', () =>
    flag(figures.isAway()),
  ),
  counter('certdata_freshness_probes_total', 'Cached answers compared with the database, by result', () =>
    byLabel('result', figures.probes),
  ),
]

const stores = (figures: ServiceFigures): Collector[] => {
  const ofPools = (read: (pool: PoolFigures) => number) => () =>
    Object.entries(figures.pools?.() ?? {}).map(([pool, each]) => [{ pool }, read(each)] as const)
  const ofRedis = (read: (redis: RedisFigures) => boolean) => () =>
    Object.entries(figures.redis()).map(([use, each]) => [{ use }, flag(read(each))] as const)
  return [
    gauge(
      'certdata_database_connections',
      'Open connections',
      ofPools(({ open }) => open),
      'sum',
    ),
    gauge(
      'certdata_database_connections_idle',
      'Of these, unused',
      ofPools(({ idle }) => idle),
      'sum',
    ),
    gauge(
      'certdata_database_connections_max',
      'Connections at most',
      ofPools(({ max }) => max),
      'sum',
    ),
    gauge(
      'certdata_database_waiting',
      'Requests that wait for a connection',
      ofPools(({ waiting }) => waiting),
      'sum',
    ),
    counter(
      'certdata_queue_refused_total',
      'Requests refused with 503 overloaded, because no connection was free in time',
      ofPools(({ refused }) => refused),
    ),
    gauge(
      'certdata_redis_up',
      '1 while Redis is connected, by its use',
      ofRedis(({ isUp }) => isUp),
      'min',
    ),
    gauge(
      'certdata_redis_breaker_open',
      '1 while Redis hangs and is left alone',
      ofRedis(({ isBreakerOpen }) => isBreakerOpen),
    ),
    gauge('certdata_memory_cache_bytes', 'Set aside for cached answers', figures.memoryBytes, 'sum'),
    counter('certdata_database_fills_total', 'Answers read from the primary', figures.fills),
  ]
}

const audit = (figures: ServiceFigures): Collector[] => [
  gauge('certdata_audit_head_seal', "Number of the chain's last seal", () => figures.audit().head?.sealNo),
  gauge(
    'certdata_audit_head_mac',
    "First 48 bits of the last seal's MAC, as a number: kept elsewhere, it shows a chain that was rebuilt",
    () => figures.audit().head?.mac.readUIntBE(0, macBytesShown),
  ),
  gauge('certdata_audit_sealed_timestamp_seconds', 'When the sealer last did its work', () => {
    const { sealedAt } = figures.audit()
    return sealedAt === undefined ? undefined : seconds(sealedAt)
  }),
  gauge(
    'certdata_audit_queue',
    'Entries that are not in the database yet',
    () => figures.audit().queued,
    'sum',
  ),
  counter(
    'certdata_audit_lost_total',
    'Entries given up, the database did not take them',
    () => figures.audit().lost,
  ),
  counter(
    'certdata_audit_contradictions_total',
    'Heads found that contradict a published one',
    () => figures.audit().contradictions,
  ),
]

/** Every metric that is a figure of a room, read when asked for. */
export const serviceCollectors = (figures: ServiceFigures): readonly Collector[] => [
  ...freshness(figures),
  ...stores(figures),
  ...audit(figures),
  gauge(
    'certdata_feed_streams',
    'Exports and whole states being streamed',
    () => figures.feed().streams,
    'sum',
  ),
  gauge('certdata_feed_waiters', 'Long polls that wait', () => figures.feed().waiters, 'sum'),
  gauge(
    'certdata_access_requests_overdue',
    'Requests for access not answered in time',
    figures.overdueAccessRequests,
  ),
  counter('certdata_log_lines_lost_total', 'Log lines given up, nobody took them', figures.logLinesLost),
  gauge('certdata_draining', '1 once the service was told to stop', () => flag(figures.isDraining())),
  gauge('certdata_build_info', 'Which version runs', () => [[{ version: figures.version }, 1]]),
]
