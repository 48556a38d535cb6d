import type { Registry } from 'prom-client'
import type { FreshnessCheck } from '../app/cache/freshness.ts'
import type { Poller } from '../app/cache/poller.ts'
import type { SharedCache } from '../app/cache/redis.ts'
import type { Config } from '../app/config/config.ts'
import type { Secrets } from '../app/config/secrets.ts'
import type { QueuedDb } from '../app/db/connect.ts'
import type { ExportSource } from '../app/export/source.ts'
import type { SigningKeys } from '../app/identity/signing-keys.ts'
import type { LimitStore, SlotStore } from '../app/limits/store.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import type { PoolFigures } from '../app/observe/service-metrics.ts'
import type { Tracing } from '../app/observe/tracing.ts'

export type Deps = {
  config: Config
  publicUrl: string
  /** For customers' data. Customers take turns. */
  db: QueuedDb
  /** For logins, rights, the audit trail, access requests and status, which data requests must not delay. */
  reserved: QueuedDb
  replica?: QueuedDb | undefined
  exportSource: ExportSource
  shared: SharedCache | undefined
  freshness: FreshnessCheck
  /** If `undefined`, each instance counts alone. */
  limitStore: (LimitStore & SlotStore) | undefined
  secrets: Secrets
  signingKeys: SigningKeys
  /** Whole milliseconds since 1970. Determines the date. */
  databaseNow: () => number
  listen: Poller['listen']
  /** Whole milliseconds since 1970. For the times of tokens and of the status page. */
  now: () => number
  monotonicNow: () => number
  ping: () => Promise<void>
  isDraining: () => boolean
  /** Resolves when the service listens. Optional. Without it, no process measures its availability. */
  started?: Promise<void> | undefined
  /** Defaults to true. Answers are the same without the edge, but slower. */
  hasEdge?: boolean | undefined
  logStream?: LogStream | undefined
  tracing?: Tracing | undefined
  figures?:
    | { pollAgeMs: () => number; pools: () => Readonly<Record<string, PoolFigures>>; process?: Registry }
    | undefined
}
