import type { Registry } from 'prom-client'
import type { Judge } from '../app/cache/freshness.ts'
import type { Poller } from '../app/cache/poller.ts'
import type { SharedCache } from '../app/cache/redis.ts'
import type { Config } from '../app/config/config.ts'
import type { Secrets } from '../app/config/secrets.ts'
import type { Db } from '../app/db/schema.ts'
import type { ExportSource } from '../app/export/source.ts'
import type { Outbound } from '../app/http/outbound.ts'
import type { SigningKeys } from '../app/identity/signing-keys.ts'
import type { SlotStore } from '../app/limits/slots.ts'
import type { LimitStore } from '../app/limits/store.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import type { PoolFigures } from '../app/observe/service-metrics.ts'
import type { Tracing } from '../app/observe/tracing.ts'

/** Everything that the service is built from. Each plugin names the part that it takes as its options. */
export type Deps = {
  config: Config
  /** Origin that clients see; the configured one, or the local address. */
  publicUrl: string
  /** Connections of the serving role, for reading customers' data; in turns. */
  db: Db
  /** Connections of the serving role for logins, facts about keys and customers, revocations and the audit trail. */
  reserved: Db
  /** Connections to a standby, for reading customers' data; absent: there is none. */
  replica?: Db | undefined
  /** Connections for exports. */
  exportSource: ExportSource
  shared: SharedCache | undefined
  /** What may be served of what was read before. */
  judge: Judge
  /** Where instances count requests together; undefined: each for itself. */
  limitStore: (LimitStore & SlotStore) | undefined
  secrets: Secrets
  signingKeys: SigningKeys
  /** The database's clock, whole milliseconds since 1970: the day. */
  databaseNow: () => number
  /** Tells what became visible, within a poll of each commit. */
  listen: Poller['listen']
  /** Whole milliseconds since 1970: tokens' times, minutes of the status page. The same clock for all instances. */
  now: () => number
  /** Milliseconds from any start, never going back: limits, and how old anything is. */
  monotonicNow: () => number
  /** Rejects where the database does not answer. */
  ping: () => Promise<void>
  isDraining: () => boolean
  /** Absent: true. Without its edge the service answers the same, and slower; the tests run both ways. */
  hasEdge?: boolean | undefined
  /** Where the log goes; absent: to standard output. */
  logStream?: LogStream | undefined
  /** Sends requests to addresses of customers' choice. Absent: the guarded one; tests give their own. */
  outbound?: Outbound | undefined
  /** Absent: nobody collects traces. */
  tracing?: Tracing | undefined
  /** For metrics; what is absent is not in them. */
  figures?:
    | { pollAgeMs: () => number; pools: () => Readonly<Record<string, PoolFigures>>; process?: Registry }
    | undefined
}
