import t from 'tap'
import { ConfigError, parseConfig } from '../app/config/config.ts'
import { variables } from '../app/config/variables.ts'

const refusal = (env: Record<string, string>): string => {
  try {
    parseConfig(env)
    return ''
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}

t.test('nothing set is a working local configuration', async (t) => {
  const config = parseConfig({})
  t.match(config, { host: '127.0.0.1', port: 3000, databaseUrl: undefined, allowHttp: 'loopback' })
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

t.test(
  'in production nothing insecure has a default, and all that is missing is named at once',
  async (t) => {
    const message = refusal({ NODE_ENV: 'production' })
    for (const name of ['PUBLIC_URL', 'DATABASE_URL', 'SECRET_KEY', 'TLS_CERT', 'TRUSTED_PROXIES']) {
      t.match(message, name)
    }
    const plain = refusal({ NODE_ENV: 'production', PUBLIC_URL: 'http://api.example' })
    t.match(plain, /PUBLIC_URL: expected https in production/)
    const complete = parseConfig({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://api.example',
      DATABASE_URL: 'postgresql://db/certdata',
      SECRET_KEY: 'x'.repeat(32),
      TRUSTED_PROXIES: '10.0.0.1',
    })
    t.equal(complete.allowHttp, 'never')
    t.equal(complete.databaseAdminUrl, 'postgresql://db/certdata')
  },
)

t.test('history is kept at least as long as a sync token is good', async (t) => {
  t.match(refusal({ HISTORY_DAYS: '89' }), /HISTORY_DAYS/)
  t.equal(parseConfig({ HISTORY_DAYS: '90' }).historyDays, 90)
})

t.test('an empty variable counts as absent', async (t) => {
  t.equal(parseConfig({ REDIS_URL: '', PORT: '' }).port, 3000)
})

t.test('limits are configuration, and whole numbers from 1 on', async (t) => {
  const { limits } = parseConfig({ LIMIT_PREMIUM_BURST: '250', LIMIT_LOGINS: '5' })
  t.same(limits, {
    premium: { burst: 250, minute: 600 },
    enterprise: { burst: 1000, minute: 6000 },
    demo: { burst: 20, minute: 60 },
    logins: 5,
    failedLogins: 10,
    introspections: 600,
    revocations: 60,
    accessRequests: 5,
  })
  for (const bad of ['0', '-1', '1.5', 'many', 'Infinity']) {
    t.match(refusal({ LIMIT_DEMO_MINUTE: bad }), 'LIMIT_DEMO_MINUTE', bad)
  }
})

t.test('a number that is none is refused by what would be one', async (t) => {
  for (const bad of ['abc', '70000', '1.5'])
    t.match(refusal({ PORT: bad }), 'PORT: expected a whole number from 0 to 65535', bad)
})

t.test('proxies may be addresses and ranges of both families', async (t) => {
  const { trustedProxies } = parseConfig({ TRUSTED_PROXIES: '10.0.0.0/8,::1,fd00::/8,192.0.2.1' })
  t.equal(trustedProxies.length, 4)
  for (const bad of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', 'localhost']) {
    t.match(refusal({ TRUSTED_PROXIES: bad }), 'TRUSTED_PROXIES', bad)
  }
  t.match(refusal({ CLIENT_IP_HEADER: 'Fly-Client-IP' }), 'CLIENT_IP_HEADER: expected TRUSTED_PROXIES too')
  t.match(refusal({ CLIENT_IP_HEADER: 'a b', TRUSTED_PROXIES: '::1' }), 'CLIENT_IP_HEADER')
})

t.test('holidays are dates', async (t) => {
  t.same([...parseConfig({ HOLIDAYS: '2026-12-25,2027-01-01' }).holidays], ['2026-12-25', '2027-01-01'])
  t.equal(parseConfig({}).holidays.size, 0)
  for (const bad of ['25.12.2026', '2026-13-01', '2026-12-25,tomorrow', '2026-12-25, 2027-01-01']) {
    t.match(refusal({ HOLIDAYS: bad }), 'HOLIDAYS', bad)
  }
})

t.test('every variable says what it means', async (t) => {
  t.same(
    Object.entries(variables).filter(([, schema]) => !schema.description),
    [],
  )
})

t.test('ALLOW_HTTP is true or false', (t) => {
  t.equal(parseConfig({ ALLOW_HTTP: 'true' }).allowHttp, 'loopback')
  t.equal(parseConfig({ ALLOW_HTTP: 'false' }).allowHttp, 'never')
  t.equal(parseConfig({ ALLOW_HTTP: 'never' }).allowHttp, 'never', 'the former name')
  t.throws(() => parseConfig({ ALLOW_HTTP: 'yes' }), /ALLOW_HTTP: expected true or false/)
  t.end()
})
