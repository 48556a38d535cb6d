import { z } from 'zod'
import { postgresUrl, redisUrl } from './connection-url.ts'
import { otelVariables } from './otel.ts'

export const origin = z.url({ protocol: /^https?$/ }).refine((value) => URL.parse(value)?.origin === value, {
  message:
    'expected an origin: scheme, host and port, and no path, because the service needs its own host name',
})
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
const integer = (min: number, max: number) => {
  const error = `expected a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

const quota = (standard: number) => integer(1, 1_000_000_000).default(standard)

const contact = z.string().regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'expected mailto:… or https://…')

const webAddress = z.string().regex(/^https:\/\/[^\s/]+\S*$/, 'expected https://…')

/** The schemas of the environment variables. `certdata config` prints their descriptions. */
export const variables = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: integer(0, 65535).default(3000).describe('Port to listen on; 0 takes any free port'),
  MAX_CONNECTIONS: integer(10, 1_000_000)
    .default(4_000)
    .describe(
      'Open client connections per process. A further one replaces an unread or idle one. One takes about 100 kB',
    ),
  MAX_CONNECTIONS_PER_NETWORK: integer(1, 1_000_000)
    .optional()
    .describe(
      'How many of them one IPv4 address or IPv6 /64 may hold, except TRUSTED_PROXIES and this machine; default: a quarter',
    ),
  KEEP_ALIVE_SECONDS: integer(5, 7_200)
    .default(72)
    .describe(
      'How long an idle client connection stays open. Longer than a load balancer keeps it, so that the balancer closes first',
    ),
  PUBLIC_URL: origin
    .optional()
    .describe(
      'Origin that clients see: issuer and audience of tokens, start of links. Required in production; otherwise the default is the local address',
    ),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder of the bundled PostgreSQL and of generated secrets'),
  DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'PostgreSQL 15 or later. Required in production; otherwise the default is the bundled PostgreSQL',
    ),
  DATABASE_ADMIN_URL: postgresUrl
    .optional()
    .describe('Login of the owner, for migrations, imports and commands; default: DATABASE_URL'),
  DATABASE_REPLICA_URL: postgresUrl
    .optional()
    .describe('A standby of DATABASE_URL, read while it is recent enough'),
  PGSSLMODE: z
    .string()
    .optional()
    .describe(
      'TLS to PostgreSQL, if the URL has no sslmode: disable, verify-full (also as prefer, require and verify-ca), or no-verify, which checks no certificate',
    ),
  PGSSLROOTCERT: z
    .string()
    .optional()
    .describe('File of the certificate authority of PostgreSQL (PEM), if the URL has no sslrootcert'),
  PGSSLCERT: z
    .string()
    .optional()
    .describe('File of the client certificate for PostgreSQL (PEM), if the URL has no sslcert'),
  PGSSLKEY: z.string().optional().describe('File of its private key (PEM), if the URL has no sslkey'),
  DATABASE_POOL: integer(1, 200)
    .default(10)
    .describe(
      'Connections that read data. One customer uses at most 80 %. Three more are for logins, keys and the audit',
    ),
  QUEUE_SECONDS: z.coerce
    .number()
    .min(0.1)
    .max(30)
    .default(1)
    .describe('Maximum wait for one of these connections. Then the answer is 503 overloaded'),
  EXPORT_POOL: integer(1, 200)
    .default(4)
    .describe(
      'Concurrent exports and snapshots of the change feed. If all are in use, a new one cuts off the slowest reader below 64 KiB/s',
    ),
  EXPORT_MAX_SECONDS: integer(1, 86_400)
    .default(3_600)
    .describe('Maximum duration of an export. Then the service cuts the connection'),
  EXPORT_IDLE_SECONDS: integer(1, 3_600)
    .default(60)
    .describe('Maximum time for a client to read 256 KiB of an export. Then the service cuts the connection'),
  DATABASE_PREPARED: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Prepared statements. Set `off` for a pooler in transaction mode that does not support them'),
  REDIS_URL: redisUrl
    .optional()
    .describe('Redis 7 or later, Valkey, or a cluster; default: only the cache in memory'),
  SECRET_KEY: list
    .optional()
    .describe(
      'At least 32 random characters: openssl rand -base64 32. Required in production; otherwise the default is a random key in DATA_DIR. With several, separated by commas, the first signs and seals new values, and all of them check existing ones',
    ),
  DEMO_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9._~+/-]{8,128}$/, 'expected 8 to 128 of A-Z a-z 0-9 . _ ~ + / -')
    .default('cda_demo_public')
    .describe('The published token, which reads example data only'),
  ACCESS_TOKEN_SECONDS: integer(60, 86_400).default(3600).describe('Lifetime of an access token'),
  TLS_CERT: z
    .string()
    .optional()
    .describe('File of the certificate chain (PEM). With TLS_KEY, the service uses TLS itself'),
  TLS_KEY: z.string().optional().describe('File of the private key (PEM)'),
  TRUSTED_PROXIES: list
    .default([])
    .describe(
      'Addresses or CIDR ranges of proxies. X-Forwarded-Proto and X-Forwarded-For are read only from them. At most as wide as 10.0.0.0/8 in production',
    ),
  CLIENT_IP_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'expected the name of a header, such as Fly-Client-IP')
    .optional()
    .describe(
      'Header in which trusted proxies send only the client’s address, or Forwarded (RFC 7239). Default: the last address in X-Forwarded-For that is not a proxy’s',
    ),
  ALLOW_HTTP: z
    .enum(['true', 'false'], 'expected true or false')
    .optional()
    .describe('Whether clients on this machine may use plain HTTP; default: true. Production refuses true'),
  HSTS_INCLUDE_SUBDOMAINS: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'Whether Strict-Transport-Security includes all subdomains of PUBLIC_URL. All of them must use TLS',
    ),
  CORS_ORIGINS: list.default([]).describe('Origins whose pages may call the API'),
  CACHE_TTL_SECONDS: integer(1, 86_400)
    .default(600)
    .describe('How long Redis keeps an answer. Limits the memory of Redis, not the age of answers'),
  STALE_MAX_SECONDS: integer(0, 86_400)
    .default(300)
    .describe('How long cached answers are served, labelled as stale, while the database is unreachable'),
  CACHE_BYTES: integer(0, 2 ** 32)
    .default(64 * 2 ** 20)
    .describe('Size of the cache in memory, in bytes'),
  DRAIN_SECONDS: integer(0, 10)
    .optional()
    .describe(
      'How long requests are still accepted after SIGTERM, for load balancers; default: 3 in production, else 0',
    ),
  LIMIT_PREMIUM_BURST: quota(100).describe('Requests of a premium customer in any second'),
  LIMIT_PREMIUM_MINUTE: quota(600).describe('Requests of a premium customer in 60 s, 304 not counted'),
  LIMIT_ENTERPRISE_BURST: quota(1_000).describe('Requests of an enterprise customer in any second'),
  LIMIT_ENTERPRISE_MINUTE: quota(6_000).describe(
    'Requests of an enterprise customer in 60 s, 304 not counted',
  ),
  LIMIT_DEMO_BURST: quota(20).describe('Requests with the demo token in any second, per client address'),
  LIMIT_DEMO_MINUTE: quota(60).describe(
    'Requests with the demo token in 60 s, per client address, 304 not counted',
  ),
  LIMIT_LOGINS: quota(60).describe('Logins in 60 s, per API key'),
  LIMIT_FAILED_LOGINS: quota(10).describe(
    'Failed logins in 60 s, per client address, and per address and existing key',
  ),
  LIMIT_INTROSPECTIONS: quota(600).describe('Introspections of tokens in 60 s, per API key'),
  LIMIT_REVOCATIONS: quota(60).describe(
    'Revocations of tokens in 60 s, per client address and API key together. Revoking a key is not limited',
  ),
  LIMIT_ACCESS_REQUESTS: quota(5).describe('Access requests in an hour, per client address'),
  LIMIT_CALENDAR: quota(60).describe('Requests in 60 s, per address of a calendar'),
  HOLIDAYS: list
    .refine(
      (days) => days.every((day) => z.iso.date().safeParse(day).success),
      'expected dates such as 2026-12-25',
    )
    .default([])
    .describe(
      'Holidays (YYYY-MM-DD, separated by commas). Access requests are not due on them or on weekends',
    ),
  ACCESS_REQUEST_DAYS: integer(1, 3_650)
    .default(30)
    .describe(
      'Days until an access request is deleted, from its decision, or from its arrival without a decision',
    ),
  HISTORY_DAYS: integer(90, 36_500)
    .default(3_650)
    .describe(
      'Days that the history of records is kept. At least 90, because the change feed reads it for sync tokens',
    ),
  AUDIT_DAYS: integer(1, 36_500)
    .default(400)
    .describe(
      'Days that audit entries are kept. Pruning needs the owner’s login (DATABASE_ADMIN_URL). Without it, run certdata audit prune',
    ),
  ...otelVariables,
  METRICS_PORT: integer(1, 65535)
    .optional()
    .describe('Another port for /metrics, without TLS and token. Only the operator may reach it'),
  OPERATOR_NAME: z
    .string()
    .max(200, 'expected at most 200 characters')
    .regex(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, 'expected a name without control characters')
    .optional()
    .describe(
      'Name of the certification house that operates the service, shown on every page and in OpenAPI',
    ),
  IMPRINT_URL: webAddress.optional().describe('Its imprint, linked from every page and OpenAPI'),
  PRIVACY_URL: webAddress
    .optional()
    .describe('Its privacy notice, linked from every page, the form on /access and OpenAPI'),
  SECURITY_CONTACT: contact
    .optional()
    .describe('Contact for security problems, in security.txt; default: the access form'),
  ACCESS_CONTACT: contact
    .optional()
    .describe('Contact for questions, shown on the page /access; default: only the form'),
  CERTDATA_OPERATOR: z
    .string()
    .max(100)
    .optional()
    .describe('Name of the person at the command line, for the audit trail; default: the system user'),
  CERTDATA_API_KEY: z
    .string()
    .optional()
    .describe('API key of a customer, only for certdata verify; default: its option --key'),
  METRICS_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9._~+/=-]{16,}$/, 'expected 16 or more of A-Z a-z 0-9 . _ ~ + / = -')
    .optional()
    .describe('Bearer token for /metrics; default: /metrics does not exist'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level in the log'),
  LOG_CUSTOMERS: z
    .enum(['true', 'false'], 'expected true or false')
    .default('false')
    .describe('Whether lines of answers have the slug of the customer, which may be personal data'),
  METRICS_CUSTOMERS: z
    .enum(['true', 'false'], 'expected true or false')
    .default('false')
    .describe('Whether /metrics counts the requests of the 50 busiest customers by slug'),
  WEB_CONCURRENCY: integer(1, 64)
    .default(1)
    .describe('Processes that share the port. Without REDIS_URL, each enforces the whole quota by itself'),
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development').describe('Operation mode'),
} as const
