import { isIP } from 'node:net'
import type { z } from 'zod'
import { isGuessable, isTooWide, secretLength } from './insecure.ts'
import { checkOtel, hasTraces } from './otel.ts'
import { findTlsFault, withTls } from './postgres-tls.ts'
import { origin, variables } from './variables.ts'

type Environment = z.output<z.ZodObject<typeof variables>>

const isAddressRange = (text: string): boolean => {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

const requiredInProduction = {
  PUBLIC_URL: 'the origin that clients see, such as https://api.example.com',
  DATABASE_URL:
    'the bundled PostgreSQL is for trials. Create a database as in docs/operations.md#create-the-database',
  SECRET_KEY: 'a key that all instances share. Make one: openssl rand -base64 32',
} as const

const findInsecure = (env: Partial<Environment>): string[] => {
  const faults: string[] = []
  for (const [name, reason] of Object.entries(requiredInProduction)) {
    if (env[name as keyof typeof requiredInProduction] === undefined)
      faults.push(`${name}: required in production: ${reason}`)
  }
  if (env.PUBLIC_URL?.startsWith('http:')) faults.push('PUBLIC_URL: expected https in production')
  if (!env.TLS_CERT && !env.TRUSTED_PROXIES?.length) {
    faults.push(
      'TLS_CERT and TLS_KEY, or TRUSTED_PROXIES: required in production, where all requests must use TLS',
    )
  }
  const wide = env.TRUSTED_PROXIES?.filter(isAddressRange).find(isTooWide)
  if (wide !== undefined) {
    faults.push(
      `TRUSTED_PROXIES: ${wide} includes clients, who could then claim any address and TLS. Name the networks of your proxies`,
    )
  }
  if (env.SECRET_KEY?.some(isGuessable)) {
    faults.push(
      'SECRET_KEY: a key repeats itself or has few different characters, so it can be guessed. Make one: openssl rand -base64 32',
    )
  }
  if (env.ALLOW_HTTP === 'true') {
    faults.push('ALLOW_HTTP: expected false in production, where tokens must not be sent over plain HTTP')
  }
  return faults
}

const crossFaults = (env: Partial<Environment>): string[] => {
  const faults = env.NODE_ENV === 'production' ? findInsecure(env) : []
  if (Boolean(env.TLS_CERT) !== Boolean(env.TLS_KEY))
    faults.push('TLS_CERT and TLS_KEY: expected both or none')
  if (env.SECRET_KEY?.length === 0 || env.SECRET_KEY?.some((key) => key.length < secretLength)) {
    faults.push(`SECRET_KEY: expected at least ${secretLength} characters`)
  }
  if (env.CORS_ORIGINS?.some((each) => !origin.safeParse(each).success)) {
    faults.push('CORS_ORIGINS: expected origins such as https://erp.example, never *')
  }
  if (env.TRUSTED_PROXIES?.some((each) => !isAddressRange(each))) {
    faults.push('TRUSTED_PROXIES: expected addresses or CIDR ranges such as 10.0.0.0/8')
  }
  if (env.CLIENT_IP_HEADER !== undefined && !env.TRUSTED_PROXIES?.length) {
    faults.push('CLIENT_IP_HEADER: expected TRUSTED_PROXIES too, because only their headers are believed')
  }
  for (const name of ['DATABASE_URL', 'DATABASE_ADMIN_URL', 'DATABASE_REPLICA_URL'] as const) {
    const fault = env[name] && findTlsFault(env[name], env)
    if (fault) faults.push(`${name}: ${fault}`)
  }
  faults.push(...checkOtel(env))
  return faults
}

const addTls = (env: Environment, url: string | undefined) =>
  url === undefined ? undefined : withTls(url, env)

const toConfig = (env: Environment) => ({
  host: env.HOST,
  port: env.PORT,
  maxConnections: env.MAX_CONNECTIONS,
  keepAliveMs: env.KEEP_ALIVE_SECONDS * 1000,
  maxConnectionsPerNetwork: env.MAX_CONNECTIONS_PER_NETWORK ?? Math.ceil(env.MAX_CONNECTIONS / 4),
  publicUrl: env.PUBLIC_URL,
  dataDir: env.DATA_DIR,
  databaseUrl: addTls(env, env.DATABASE_URL),
  databaseAdminUrl: addTls(env, env.DATABASE_ADMIN_URL ?? env.DATABASE_URL),
  databaseReplicaUrl: addTls(env, env.DATABASE_REPLICA_URL),
  databasePool: env.DATABASE_POOL,
  exports: {
    pool: env.EXPORT_POOL,
    totalMs: env.EXPORT_MAX_SECONDS * 1000,
    idleMs: env.EXPORT_IDLE_SECONDS * 1000,
  },
  databasePrepared: env.DATABASE_PREPARED === 'on',
  redisUrl: env.REDIS_URL,
  /** If `undefined`, `openSecretKeys` keeps a generated key in DATA_DIR. */
  secretKeys: env.SECRET_KEY,
  demoToken: env.DEMO_TOKEN,
  accessTokenSeconds: env.ACCESS_TOKEN_SECONDS,
  tls: env.TLS_CERT && env.TLS_KEY ? { certFile: env.TLS_CERT, keyFile: env.TLS_KEY } : undefined,
  trustedProxies: env.TRUSTED_PROXIES,
  clientIpHeader: env.CLIENT_IP_HEADER?.toLowerCase(),
  allowHttp: (env.ALLOW_HTTP ?? (env.NODE_ENV === 'production' ? 'false' : 'true')) === 'true',
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
    calendar: env.LIMIT_CALENDAR,
  },
  queueMs: env.QUEUE_SECONDS * 1000,
  drainMs: 1000 * (env.DRAIN_SECONDS ?? (env.NODE_ENV === 'production' ? 3 : 0)),
  holidays: new Set(env.HOLIDAYS),
  accessRequestDays: env.ACCESS_REQUEST_DAYS,
  historyDays: env.HISTORY_DAYS,
  auditDays: env.AUDIT_DAYS,
  house: { name: env.OPERATOR_NAME, imprintUrl: env.IMPRINT_URL, privacyUrl: env.PRIVACY_URL },
  securityContact: env.SECURITY_CONTACT,
  operator: env.CERTDATA_OPERATOR,
  accessContact: env.ACCESS_CONTACT,
  metricsToken: env.METRICS_TOKEN,
  metricsCustomers: env.METRICS_CUSTOMERS === 'true',
  logCustomers: env.LOG_CUSTOMERS === 'true',
  metricsPort: env.METRICS_PORT,
  hasTraces: hasTraces(env),
  workers: env.WEB_CONCURRENCY,
  logLevel: env.LOG_LEVEL,
  production: env.NODE_ENV === 'production',
})

export type Config = Readonly<ReturnType<typeof toConfig>>
export type LimitsConfig = Config['limits']
export type PlanLimits = LimitsConfig['premium']

export class ConfigError extends Error {}

/** Parses the environment. An empty variable is unset. Throws one ConfigError that names every fault. */
export const parseConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(variables)) {
    const parsed = schema.safeParse(environment[name] || undefined)
    // Only a missing value is `undefined`, so that an invalid one is reported once.
    values[name] = parsed.success ? parsed.data : null
    faults.push(...(parsed.error?.issues ?? []).map((issue) => `${name}: ${issue.message}`))
  }
  faults.push(...crossFaults(values as Partial<Environment>))
  if (faults.length > 0) throw new ConfigError(`Configuration:\n  ${faults.join('\n  ')}`)
  return Object.freeze(toConfig(values as Environment))
}
