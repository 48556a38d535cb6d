import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Cluster } from 'ioredis'
import pg from 'pg'
import t from 'tap'
import { ConfigError, parseConfig } from '../app/config/config.ts'
import { localOrigin } from '../app/config/local-origin.ts'
import { describeOldNode } from '../app/config/require-node.js'
import { variables } from '../app/config/variables.ts'
import { connectRedis } from '../app/db/redis.ts'

const randomKey = randomBytes(24).toString('base64')
const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example',
  DATABASE_URL: 'postgresql://db/certdata',
  SECRET_KEY: randomKey,
  TRUSTED_PROXIES: '10.0.0.1',
}

const refusal = (env: Record<string, string>): string => {
  try {
    parseConfig(env)
    return ''
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}

t.test('the defaults form a working local configuration', async (t) => {
  const config = parseConfig({})
  t.match(config, { host: '127.0.0.1', port: 3000, databaseUrl: undefined, allowHttp: true })
  t.ok(Object.isFrozen(config))
})

t.test('one message names every bad variable', async (t) => {
  const bad = {
    PORT: '70000',
    PUBLIC_URL: 'https://api.example/path',
    REDIS_URL: 'http://cache',
    TLS_CERT: 'a.pem',
    SECRET_KEY: 'short',
    CORS_ORIGINS: '*',
    TRUSTED_PROXIES: 'proxy',
  }
  const message = refusal(bad)
  const unnamed = Object.keys(bad).filter((name) => !message.includes(name))
  t.same(unnamed, [])
})

t.test('in production no insecure setting has a default', async (t) => {
  const message = refusal({ NODE_ENV: 'production' })
  for (const name of ['PUBLIC_URL', 'DATABASE_URL', 'SECRET_KEY', 'TLS_CERT', 'TRUSTED_PROXIES']) {
    t.match(message, name)
  }
  t.notMatch(message, /default/, 'a required variable has none')
  t.match(message, /DATABASE_URL: .*bundled PostgreSQL is for trials.*docs\/operations\.md#/)
  t.match(message, /SECRET_KEY: .*openssl rand -base64 32/)
  for (const [, file = '', anchor = ''] of message.matchAll(/(docs\/[\w-]+\.md)#([\w-]+)/g)) {
    const heading = new RegExp(`^#+ ${anchor.replaceAll('-', ' ')}$`, 'im')
    t.match(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'), heading)
  }
  const invalid = refusal({ NODE_ENV: 'production', PUBLIC_URL: 'https://api.example/path' })
  t.equal(invalid.match(/PUBLIC_URL:/g)?.length, 1, 'an invalid value is not missing, too')
  t.match(invalid, /PUBLIC_URL: .*no path, because the service needs its own host name/)
  const plain = refusal({ NODE_ENV: 'production', PUBLIC_URL: 'http://api.example' })
  t.match(plain, /PUBLIC_URL: expected https in production/)
  const complete = parseConfig(production)
  t.equal(complete.allowHttp, false)
  t.equal(complete.databaseAdminUrl, 'postgresql://db/certdata')
})

t.test('an empty variable counts as unset', async (t) => {
  t.equal(parseConfig({ REDIS_URL: '', PORT: '' }).port, 3000)
})

t.test('limits are configurable whole numbers of at least 1', async (t) => {
  const { limits } = parseConfig({ LIMIT_PREMIUM_BURST: '250' })
  t.match(limits, {
    premium: { burst: 250, minute: 600 },
    enterprise: { burst: 1000, minute: 6000 },
    demo: { burst: 20, minute: 60 },
    logins: 60,
    failedLogins: 10,
  })
})

t.test('a refused value is named with the expected form', async (t) => {
  const refused: [name: string, values: string[], message: string][] = [
    ['PORT', ['abc', '70000', '1.5'], 'expected a whole number from 0 to 65535'],
    ['LIMIT_DEMO_MINUTE', ['0', '-1', '1.5', 'many', 'Infinity'], 'expected a whole number from 1'],
    // A sync token lives as long.
    ['HISTORY_DAYS', ['89'], 'expected a whole number from 90'],
    ['ALLOW_HTTP', ['yes'], 'expected true or false'],
    ['CLIENT_IP_HEADER', ['a b'], 'expected the name of a header'],
    ['CLIENT_IP_HEADER', ['Fly-Client-IP'], 'expected TRUSTED_PROXIES too'],
    [
      'TRUSTED_PROXIES',
      ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', 'localhost'],
      'expected addresses or CIDR ranges',
    ],
  ]
  for (const [name, values, message] of refused) {
    for (const value of values) t.match(refusal({ [name]: value }), `${name}: ${message}`, value)
  }
  const { trustedProxies } = parseConfig({ TRUSTED_PROXIES: '10.0.0.0/8,::1,fd00::/8,192.0.2.1' })
  t.equal(trustedProxies.length, 4)
  t.equal(parseConfig({ HISTORY_DAYS: '90' }).historyDays, 90)
  t.same(
    ['true', 'false'].map((value) => parseConfig({ ALLOW_HTTP: value }).allowHttp),
    [true, false],
  )
})

t.test('production refuses proxy networks that contain clients', (t) => {
  const wide = '0.0.0.0/0 ::/0 0.0.0.0/1,128.0.0.0/1 ::ffff:0:0/96 ::/64 2000::/3 10.0.0.0/7'.split(' ')
  for (const ranges of wide) {
    const message = refusal({ ...production, TRUSTED_PROXIES: `10.0.0.1, ${ranges}` })
    t.match(message, `TRUSTED_PROXIES: ${ranges.split(',')[0]} includes clients`, ranges)
    t.equal(refusal({ TRUSTED_PROXIES: ranges }), '', 'elsewhere it is allowed')
  }
  const narrow = '10.0.0.0/8,172.16.0.0/12,fd00::/8,fc00::/7,fe80::/10,2606:4700::/32,::1,::ffff:10.0.0.0/104'
  t.equal(refusal({ ...production, TRUSTED_PROXIES: narrow }), '')
  t.end()
})

t.test('production refuses a secret key that can be guessed, and never prints it', (t) => {
  const patterns = [
    ['a', 32],
    ['ab', 40],
    ['abcdefgh', 4],
    ['0123456789abcdef', 2],
    ['change-me!', 4],
  ] as const
  const weak = patterns.map(([part, count]) => part.repeat(count))
  weak.push(
    '0110100110010110'.repeat(3),
    '01101001100101101001011001101001',
    'correct-horse'.repeat(3).slice(2),
  )
  for (const key of weak) {
    const message = refusal({ ...production, SECRET_KEY: `${randomKey},${key}` })
    t.match(message, /SECRET_KEY: .* can be guessed/, key)
    t.notMatch(message, key.slice(0, 12))
    t.equal(refusal({ SECRET_KEY: key }), '', 'elsewhere it is allowed')
  }
  for (let bytes = 24; bytes < 64; bytes += 1) {
    for (const coding of ['hex', 'base64', 'base64url'] as const) {
      t.equal(refusal({ ...production, SECRET_KEY: randomBytes(bytes).toString(coding) }), '')
    }
  }
  t.match(refusal({ SECRET_KEY: ' , ' }), /SECRET_KEY: expected at least 32 characters/)
  t.end()
})

t.test('production refuses plain HTTP, by either of its names', (t) => {
  t.match(refusal({ ...production, ALLOW_HTTP: 'true' }), /ALLOW_HTTP: expected false in production/)
  t.equal(refusal({ ...production, ALLOW_HTTP: 'false' }), '')
  t.end()
})

t.test('ignores spaces around the parts of a list', (t) => {
  const lists: Record<string, string[]> = {
    SECRET_KEY: [randomKey, randomBytes(24).toString('base64')],
    CORS_ORIGINS: ['https://a.example', 'https://b.example'],
    TRUSTED_PROXIES: ['10.0.0.1', 'fd00::/8'],
  }
  const isList = (schema: { safeParse: (value: unknown) => { data?: unknown } }) =>
    Array.isArray(schema.safeParse('a,b').data)
  const found = Object.entries(variables).filter(([, schema]) => isList(schema))
  t.same(found.map(([name]) => name).sort(), Object.keys(lists).sort())
  for (const [name, parts] of Object.entries(lists)) {
    const plain = parseConfig({ [name]: parts.join(',') })
    for (const separator of [', ', ' ,', '\t,\n', ',,', ' , ,'])
      t.same(
        parseConfig({ [name]: ` ${parts.join(separator)}\n` }),
        plain,
        `${name} ${JSON.stringify(separator)}`,
      )
  }
  t.end()
})

const urls = ['DATABASE_URL', 'DATABASE_ADMIN_URL', 'DATABASE_REPLICA_URL', 'REDIS_URL'] as const

t.test('a connection string that cannot be read names its variable and prints no part of a password', (t) => {
  const passwords =
    'Geheim#9,Geheim/9,Geheim?9,12/34,12/a=b,12?34,12#34,Geheim%9,Geh%zz,Geh%ff,Geh eim,p@ss/x'.split(',')
  for (const name of urls) {
    const scheme = name === 'REDIS_URL' ? 'redis' : 'postgresql'
    for (const password of passwords) {
      const message = refusal({ [name]: `${scheme}://someone:${password}@db.example:5432/0` })
      t.match(message, `${name}: expected ${scheme}://`, password)
      t.match(message, /Write special characters in the name and password as %XX/)
      t.notMatch(message, /Geh|34|ss\/x/, `${name} ${password}`)
      const escaped = `${scheme}://someone:${encodeURIComponent(password)}@db.example:5432/0`
      t.equal(refusal({ [name]: escaped }), '', escaped)
    }
    for (const bad of [
      `${scheme}://a:b@db:port/0`,
      'http://db',
      'db:5432',
      `${scheme}://`,
      `${scheme}://[::1/0`,
    ])
      t.match(refusal({ [name]: bad }), `${name}: expected ${scheme}://`, bad)
  }
  t.end()
})

t.test('a connection string with several hosts is refused with the way to one address', (t) => {
  const several = ['u:p@a,b/db', 'u:p@a:5432,b:5433/db', 'a,b', 'u@/db?host=a,b', 'u@/db?x=1&host=a%2Cb']
  for (const name of urls.slice(0, 3)) {
    for (const rest of several)
      t.match(
        refusal({ [name]: `postgresql://${rest}` }),
        `${name}: expected one host. Name one address`,
        rest,
      )
  }
  t.match(
    refusal({ REDIS_URL: 'redis://a:6379,b:6379' }),
    /REDIS_URL: expected one host. For a cluster write/,
  )
  t.equal(refusal({ REDIS_URL: 'redis-cluster://u:p@a:6379,b:6379' }), '')
  t.match(refusal({ REDIS_URL: 'redis-cluster://a:b,b:6379' }), /REDIS_URL: expected redis/)
  t.end()
})

t.test('the URL of a cluster may have IPv6 addresses and a comma in the password', (t) => {
  const url = 'redis-cluster://name:a,b%40c@[::1]:7000,example.com'
  t.equal(refusal({ REDIS_URL: url }), '')
  const cluster = connectRedis(url, { lazyConnect: true }) as Cluster
  t.match(cluster, {
    startupNodes: [
      { host: '::1', port: 7000 },
      { host: 'example.com', port: 6379 },
    ],
    options: { redisOptions: { username: 'name', password: 'a,b@c' } },
  })
  t.end()
})

t.test('every form of a connection string that works is accepted', (t) => {
  const forms = [
    ...'/db db db/certdata u@db u:p@db:5432/certdata?sslmode=require u@/db?host=/run/postgresql u:p@ss@db/x'.split(
      ' ',
    ),
    '/db?host=/run/postgresql&user=a@b',
    '%2Frun%2Fpostgresql/db',
    'u:a%23%2f%3f%40%25@[::1]:5432/db',
  ]
  for (const form of forms) t.equal(refusal({ DATABASE_URL: `postgresql://${form}` }), '', form)
  const stores = 'redis://:p@db:6379 rediss://u:p@db redis://[::1]:6379/3 redis://db/ rediss-cluster://a:1'
  for (const url of stores.split(' ')) t.equal(refusal({ REDIS_URL: url }), '', url)
  t.end()
})

t.test('the local origin is a URL for every kind of host', async (t) => {
  const at = (host: string, tls?: { certFile: string; keyFile: string }) => localOrigin({ host, tls }, 3000)
  t.equal(at('0.0.0.0'), 'http://localhost:3000')
  t.equal(at('::1', { certFile: '', keyFile: '' }), 'https://localhost:3000')
  t.equal(at('fd00::1'), 'http://[fd00::1]:3000')
  t.equal(at('10.0.0.1'), 'http://10.0.0.1:3000')
})

t.test("OpenTelemetry's variables are honoured or refused", async (t) => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }
  t.equal(parseConfig({}).hasTraces, false)
  t.equal(parseConfig(endpoint).hasTraces, true)
  t.equal(parseConfig(traces).hasTraces, true, 'alone')
  t.equal(parseConfig({ ...traces, OTEL_SDK_DISABLED: 'true' }).hasTraces, false)
  t.equal(parseConfig({ ...traces, OTEL_SDK_DISABLED: 'false' }).hasTraces, true)
  t.equal(parseConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).hasTraces, false)
  t.equal(parseConfig({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }).hasTraces, true)
  const bad = {
    OTEL_SDK_DISABLED: 'yes',
    OTEL_TRACES_EXPORTER: 'zipkin',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '10s',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: '10%',
    OTEL_PROPAGATORS: 'b3',
    OTEL_RESOURCE_ATTRIBUTES: 'a=b=c',
  }
  for (const [name, value] of Object.entries(bad)) {
    t.match(refusal({ ...endpoint, [name]: value }), `${name}: expected`, name)
  }
  t.match(refusal({ ...traces, OTEL_TRACES_SAMPLER: 'traceidratio' }), 'OTEL_TRACES_SAMPLER_ARG: required')
  t.equal(refusal({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), '', 'without traces')
  const both = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }
  t.equal(refusal({ ...endpoint, ...both }), '', 'the one for traces wins')
  t.equal(refusal({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: 'a=b,c=d%2Ce' }), '')
  t.equal(refusal({ ...endpoint, OTEL_PROPAGATORS: 'tracecontext,baggage' }), '')
})

t.test('TLS to PostgreSQL is explicit, and its files come from the URL or the environment', async (t) => {
  const url = 'postgresql://u:p@db/certdata'
  const file = fileURLToPath(import.meta.url)
  const encoded = encodeURIComponent(file)
  const databaseUrl = (env: Record<string, string>) => parseConfig(env).databaseUrl
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    t.equal(databaseUrl({ DATABASE_URL: `${url}?sslmode=${mode}` }), `${url}?sslmode=verify-full`, mode)
  }
  for (const rest of ['', '?sslmode=disable', '?sslmode=no-verify', '?sslmode=require&uselibpqcompat=true']) {
    t.equal(databaseUrl({ DATABASE_URL: url + rest }), url + rest, rest)
  }
  t.equal(
    databaseUrl({ DATABASE_URL: `${url}?sslmode=require&sslrootcert=system` }),
    `${url}?sslmode=verify-full`,
  )
  const named = { DATABASE_URL: `${url}?sslmode=require`, PGSSLROOTCERT: file }
  t.equal(databaseUrl(named), `${url}?sslmode=verify-full&sslrootcert=${encoded}`)
  t.equal(parseConfig(named).databaseAdminUrl, databaseUrl(named))
  t.equal(
    databaseUrl({ DATABASE_URL: url, PGSSLROOTCERT: file, PGSSLMODE: 'verify-full' }),
    `${url}?sslrootcert=${encoded}`,
  )
  const own = `${url}?sslmode=verify-full&sslrootcert=${encoded}`
  t.equal(databaseUrl({ DATABASE_URL: own, PGSSLROOTCERT: '/other' }), own, 'the URL wins')
  t.match(refusal({ DATABASE_URL: url, PGSSLROOTCERT: file }), 'DATABASE_URL: expected sslmode=verify-full')
  t.match(refusal({ DATABASE_URL: `${url}?sslmode=requier` }), 'DATABASE_URL: expected sslmode=disable')
  t.match(refusal({ DATABASE_URL: url, PGSSLMODE: 'allow' }), 'DATABASE_URL: expected sslmode=disable')
  t.match(refusal({ ...named, PGSSLROOTCERT: '/missing' }), /DATABASE_URL: .*PGSSLROOTCERT.* cannot be read/)
})

t.test("no sslmode prints Node's warning", async (t) => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  for (const mode of ['prefer', 'require', 'verify-ca']) {
    const { databaseUrl = '' } = parseConfig({ DATABASE_URL: `postgresql://u:p@db/x?sslmode=${mode}` })
    t.match(new pg.Client({ connectionString: databaseUrl }), { ssl: {} })
  }
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  t.same(warnings, [])
})

t.test('an old Node names the command that works: of npm, while its Node is not installed', (t) => {
  const old = { node: '20.20.2', command: 'npx --no certdata' }
  const installed = t.testdir({ node_modules: { '.bin': { node: '' } } })
  t.match(describeOldNode({ ...old, root: installed }), /This is Node 20.*run `npx --no certdata`/)
  const missing = describeOldNode({ ...old, root: t.testdir({ node_modules: {} }) })
  t.match(missing, /run `npm ci`.*or wait/)
  t.notMatch(missing, old.command)
  t.equal(describeOldNode({ ...old, root: installed, node: '24.0.0' }), undefined)
  t.end()
})
