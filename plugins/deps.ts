import type { Registry } from 'prom-client'
import type { Judge } from '../app/cache/freshness.ts'
import type { Poller } from '../app/cache/poller.ts'
import type { SharedCache } from '../app/cache/redis.ts'
import type { Config } from '../app/config/config.ts'
import type { Secrets } from '../app/config/secrets.ts'
import type { QueuedDb } from '../app/db/connect.ts'
import type { ExportSource } from '../app/export/source.ts'
import type { Outbound } from '../app/http/outbound.ts'
import type { SigningKeys } from '../app/identity/signing-keys.ts'
import type { LimitStore, SlotStore } from '../app/limits/store.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import type { PoolFigures } from '../app/observe/service-metrics.ts'
import type { Tracing } from '../app/observe/tracing.ts'

/** All dependencies of the service. Each plugin picks its options from them. */
export type Deps = {
  config: Config
  /** Origin that clients see: the configured one, or the local address. */
  publicUrl: string
  /** Connections of the serving role for reading customers' data. Customers take turns. */
  db: QueuedDb
  /** Connections of the serving role for logins, facts, revocations and the audit trail. */
  reserved: QueuedDb
  /** Connections to a standby, for reading customers' data. Optional. */
  replica?: QueuedDb | undefined
  exportSource: ExportSource
  shared: SharedCache | undefined
  judge: Judge
  /** Shared counters for the limits of all instances. If `undefined`, each instance counts alone. */
  limitStore: (LimitStore & SlotStore) | undefined
  secrets: Secrets
  signingKeys: SigningKeys
  /** The database's clock, in whole milliseconds since 1970. Determines the date. */
  databaseNow: () => number
  /** Subscribes to committed changes. Reports each commit within one poll. */
  listen: Poller['listen']
  /** Whole milliseconds since 1970, the same clock for all instances. For token times and status minutes. */
  now: () => number
  /** Milliseconds from an arbitrary start, monotonic. For limits and ages. */
  monotonicNow: () => number
  /** Rejects if the database does not respond. */
  ping: () => Promise<void>
  isDraining: () => boolean
  /** Optional. Defaults to true. Without the edge, answers are the same but slower; the tests run both. */
  hasEdge?: boolean | undefined
  /** Destination of the log. Optional. Defaults to standard output. */
  logStream?: LogStream | undefined
  /** Sends requests to customers' URLs. Optional. Defaults to the guarded client; tests pass their own. */
  outbound?: Outbound | undefined
  /** Optional. Tracing is off by default. */
  tracing?: Tracing | undefined
  /** Sources of metrics. Metrics of missing sources are not exported. */
  figures?:
    | { pollAgeMs: () => number; pools: () => Readonly<Record<string, PoolFigures>>; process?: Registry }
    | undefined
}
