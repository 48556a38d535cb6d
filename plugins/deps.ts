import type { Registry } from 'prom-client'
import type { FreshnessCheck } from '../app/cache/freshness.ts'
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

export type Deps = {
  config: Config
  /** The configured one, or the local address. */
  publicUrl: string
  /** For reading customers' data. Customers take turns. */
  db: QueuedDb
  /** For logins, facts, revocations and the audit trail. */
  reserved: QueuedDb
  /** A standby, for reading customers' data. */
  replica?: QueuedDb | undefined
  exportSource: ExportSource
  shared: SharedCache | undefined
  judge: FreshnessCheck
  /** If `undefined`, each instance counts alone. */
  limitStore: (LimitStore & SlotStore) | undefined
  secrets: Secrets
  signingKeys: SigningKeys
  /** Whole milliseconds since 1970. Determines the date. */
  databaseNow: () => number
  listen: Poller['listen']
  /** Whole milliseconds since 1970. For token times and status minutes. */
  now: () => number
  monotonicNow: () => number
  ping: () => Promise<void>
  isDraining: () => boolean
  /** Defaults to true. Without the edge, answers are the same but slower. */
  hasEdge?: boolean | undefined
  /** Defaults to standard output. */
  logStream?: LogStream | undefined
  /** Defaults to the guarded client. */
  outbound?: Outbound | undefined
  tracing?: Tracing | undefined
  /** Metrics of missing sources are not exported. */
  figures?:
    | { pollAgeMs: () => number; pools: () => Readonly<Record<string, PoolFigures>>; process?: Registry }
    | undefined
}
