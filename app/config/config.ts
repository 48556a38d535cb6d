import { crossFaults, type Environment } from './cross-faults.ts'
import type { LimitsConfig } from './limits.ts'
import { variables } from './variables.ts'

export type Config = Readonly<{
  host: string
  port: number
  publicUrl: string | undefined
  dataDir: string
  databaseUrl: string | undefined
  databaseAdminUrl: string | undefined
  databaseReplicaUrl: string | undefined
  databasePool: number
  /** `pool` connections; times in milliseconds. */
  exports: Readonly<{ pool: number; totalMs: number; idleMs: number }>
  databasePrepared: boolean
  redisUrl: string | undefined
  /** First makes, all check; undefined: generated and kept in DATA_DIR. */
  secretKeys: readonly string[] | undefined
  demoToken: string
  accessTokenSeconds: number
  tls: Readonly<{ certFile: string; keyFile: string }> | undefined
  trustedProxies: readonly string[]
  /** In lower case. */
  clientIpHeader: string | undefined
  allowHttp: 'loopback' | 'never'
  hasHstsOfSubdomains: boolean
  corsOrigins: readonly string[]
  /** How long Redis keeps an answer. */
  cacheTtlSeconds: number
  staleMaxSeconds: number
  cacheBytes: number
  limits: LimitsConfig
  /** Milliseconds that a request waits for its turn at the database at most. */
  queueMs: number
  drainMs: number
  /** Dates, YYYY-MM-DD. */
  holidays: ReadonlySet<string>
  accessRequestDays: number
  /** Absent: nothing is pruned by itself. */
  auditDays: number | undefined
  /** A `mailto:` or `https:` address. */
  securityContact: string | undefined
  metricsToken: string | undefined
  metricsPort: number | undefined
  hasTraces: boolean
  /** Processes that share the port. */
  workers: number
  logLevel: string
  production: boolean
}>

export class ConfigError extends Error {}

/**
 * Reads the environment once. An empty variable counts as absent.
 * Throws one ConfigError that names every bad or missing variable.
 */
export const parseConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(variables)) {
    const parsed = schema.safeParse(environment[name] || undefined)
    if (parsed.success) values[name] = parsed.data
    else faults.push(...parsed.error.issues.map((issue) => `${name}: ${issue.message}`))
  }
  faults.push(...crossFaults(values as Partial<Environment>))
  if (faults.length > 0) throw new ConfigError(`Configuration:\n  ${faults.join('\n  ')}`)
  const env = values as Environment
  return Object.freeze({
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    databaseAdminUrl: env.DATABASE_ADMIN_URL ?? env.DATABASE_URL,
    databaseReplicaUrl: env.DATABASE_REPLICA_URL,
    databasePool: env.DATABASE_POOL,
    exports: {
      pool: env.EXPORT_POOL,
      totalMs: env.EXPORT_MAX_SECONDS * 1000,
      idleMs: env.EXPORT_IDLE_SECONDS * 1000,
    },
    databasePrepared: env.DATABASE_PREPARED === 'on',
    redisUrl: env.REDIS_URL,
    secretKeys: env.SECRET_KEY,
    demoToken: env.DEMO_TOKEN,
    accessTokenSeconds: env.ACCESS_TOKEN_SECONDS,
    tls: env.TLS_CERT && env.TLS_KEY ? { certFile: env.TLS_CERT, keyFile: env.TLS_KEY } : undefined,
    trustedProxies: env.TRUSTED_PROXIES,
    clientIpHeader: env.CLIENT_IP_HEADER?.toLowerCase(),
    allowHttp: env.ALLOW_HTTP ?? (env.NODE_ENV === 'production' ? 'never' : 'loopback'),
    hasHstsOfSubdomains: env.HSTS_INCLUDE_SUBDOMAINS === 'on',
    corsOrigins: env.CORS_ORIGINS,
    cacheTtlSeconds: env.CACHE_TTL_SECONDS,
    staleMaxSeconds: env.STALE_MAX_SECONDS,
    cacheBytes: env.CACHE_BYTES,
    limits: {
      premium: { burst: env.LIMIT_PREMIUM_BURST, minute: env.LIMIT_PREMIUM_MINUTE },
      enterprise: { burst: env.LIMIT_ENTERPRISE_BURST, minute: env.LIMIT_ENTERPRISE_MINUTE },
      demo: { burst: env.LIMIT_DEMO_BURST, minute: env.LIMIT_DEMO_MINUTE },
      logins: env.LIMIT_LOGINS,
      failedLogins: env.LIMIT_FAILED_LOGINS,
      introspections: env.LIMIT_INTROSPECTIONS,
      revocations: env.LIMIT_REVOCATIONS,
      accessRequests: env.LIMIT_ACCESS_REQUESTS,
    },
    queueMs: env.QUEUE_SECONDS * 1000,
    drainMs: 1000 * (env.DRAIN_SECONDS ?? (env.NODE_ENV === 'production' ? 3 : 0)),
    holidays: new Set(env.HOLIDAYS),
    accessRequestDays: env.ACCESS_REQUEST_DAYS,
    auditDays: env.AUDIT_DAYS,
    securityContact: env.SECURITY_CONTACT,
    metricsToken: env.METRICS_TOKEN,
    metricsPort: env.METRICS_PORT,
    hasTraces: env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    workers: env.WEB_CONCURRENCY,
    logLevel: env.LOG_LEVEL,
    production: env.NODE_ENV === 'production',
  })
}
