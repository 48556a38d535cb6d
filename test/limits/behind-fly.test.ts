import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createAddressRanges, createClientAddress } from '../../app/http/client-address.ts'
import { addCustomer, createTestApp, createTestDatabase } from '../helper.ts'
import { parseList } from './structured-fields.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
await database.operator
  .insertInto('customers')
  .values({ customer_id: 'demo', name: 'Demo', plan: 'premium' })
  .execute()

const flyToml = readFileSync(join(import.meta.dirname, '../../fly.toml'), 'utf8')
const setting = (name: string) => flyToml.match(new RegExp(`^ *${name} = "(.*)"$`, 'm'))?.[1] ?? ''
const flySettings = {
  TRUSTED_PROXIES: setting('TRUSTED_PROXIES'),
  CLIENT_IP_HEADER: setting('CLIENT_IP_HEADER'),
}

/** As Fly's proxy sends them. The last forwarded address is the app's. */
const fromFly = (client: string, sentByClient = '') => ({
  'fly-client-ip': client,
  'fly-forwarded-port': '443',
  'fly-region': 'fra',
  'x-forwarded-for': `${sentByClient}${client}, 66.241.124.7`,
  'x-forwarded-port': '443',
  'x-forwarded-proto': 'https',
  via: '2 fly.io',
})
const flyProxy = '172.19.0.1'
const demo = { authorization: 'Bearer cda_demo_public' }

const createApp = async (t: Test, env: Record<string, string> = flySettings) => {
  const quotas = { LIMIT_DEMO_BURST: '20', LIMIT_DEMO_MINUTE: '60' }
  const app = await createTestApp(database, {
    env: { ...quotas, ...env },
    clock: { offsetMs: 0, isStopped: true },
  })
  t.teardown(() => app.close())
  return app
}
const left = (rateLimit: unknown) => parseList(String(rateLimit)).map(({ parameters }) => parameters.r)

t.test('the demo token is counted per client behind Fly', async (t) => {
  const app = await createApp(t)
  const ask = async (headers: Record<string, string>, remoteAddress = flyProxy) => {
    const answer = await app.inject({ url: '/v1/products', remoteAddress, headers: { ...headers, ...demo } })
    return left(answer.headers.ratelimit)
  }
  t.same(await ask(fromFly('192.0.2.1')), [19, 59])
  t.same(await ask(fromFly('192.0.2.2')), [19, 59])
  t.same(await ask(fromFly('192.0.2.1', '192.0.2.9, ')), [18, 58], 'not what a client says it is')
  t.same(await ask(fromFly('2001:db8:1:2::1')), [19, 59])
  t.same(await ask({ 'fly-client-ip': '192.0.2.1' }, '127.0.0.1'), [19, 59], 'only a proxy is believed')
})

t.test('the edge counts the demo token per client behind a proxy', async (t) => {
  const app = await createApp(t, { TRUSTED_PROXIES: '127.0.0.1', CLIENT_IP_HEADER: 'Fly-Client-IP' })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const ask = async (client: string) => {
    const answer = await fetch(`${origin}/v1/products`, { headers: { ...fromFly(client), ...demo } })
    await answer.text()
    return left(answer.headers.get('ratelimit'))
  }
  for (let i = 0; i < 4; i++) t.same(await ask('192.0.2.1'), [19 - i, 59 - i])
  t.same(await ask('192.0.2.2'), [19, 59])
})

t.test('failed logins and the audit trail use the client’s address behind Fly', async (t) => {
  const app = await createApp(t, { ...flySettings, LIMIT_FAILED_LOGINS: '2' })
  const logIn = (client: string, api_key: string) => {
    const [url, headers] = ['/v1/auth/login', fromFly(client)]
    return app.inject({ method: 'POST', url, remoteAddress: flyProxy, headers, payload: { api_key } })
  }
  const status = async (client: string) => (await logIn(client, 'nonsense')).statusCode
  t.same([await status('192.0.2.1'), await status('192.0.2.1'), await status('192.0.2.1')], [401, 401, 429])
  t.equal(await status('198.51.100.1'), 401)
  t.equal((await logIn('203.0.113.1', await addCustomer(database, 'acme'))).statusCode, 200)
  const { rows } = await sql<{ client: string }>`
    select p.personal ->> 'client' as client from audit_entries e join audit_persons p using (entry_id)
    where e.action = 'login' order by e.entry_id`.execute(database.operator)
  t.same(
    rows.map(({ client }) => client),
    ['192.0.2.0/24', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  )
})

t.test('a header without a single address is ignored', async (t) => {
  const isProxy = createAddressRanges(['172.16.0.0/12', 'fdaa::/16'])
  const own = createClientAddress({ isProxy, header: 'fly-client-ip' })
  const from = (remoteAddress: string | undefined, headers: Record<string, string>) => ({
    socket: { remoteAddress },
    headers,
  })
  t.equal(own(from('172.19.0.1', { 'fly-client-ip': ' 192.0.2.1 ' })), '192.0.2.1')
  t.equal(own(from('::ffff:172.19.0.1', { 'fly-client-ip': '192.0.2.1' })), '192.0.2.1')
  t.equal(own(from('fdaa::1', { 'fly-client-ip': '2001:db8::1' })), '2001:db8::1')
  for (const value of ['192.0.2.1, 192.0.2.2', 'unknown', '']) {
    t.equal(own(from('172.19.0.1', { 'fly-client-ip': value })), '172.19.0.1', value)
  }
  t.equal(own(from('172.19.0.1', { 'x-forwarded-for': '192.0.2.1' })), '172.19.0.1')
  t.equal(own(from(undefined, { 'fly-client-ip': '192.0.2.1' })), '')

  const forwarded = createClientAddress({ isProxy, header: undefined })
  const said = (value: string) => forwarded(from('172.19.0.1', { 'x-forwarded-for': value }))
  t.equal(said('192.0.2.9, 192.0.2.1, 172.16.0.9'), '192.0.2.1')
  t.equal(said('192.0.2.9, unknown, 172.16.0.9'), '172.16.0.9')
  t.equal(said('172.16.0.8, 172.16.0.9'), '172.16.0.8')
})

const isProxy = createAddressRanges(['172.16.0.0/12'])
const from = (header: string, value: string, onUnreadable?: (value: string) => void) =>
  createClientAddress({ isProxy, header, ...(onUnreadable ? { onUnreadable } : {}) })({
    socket: { remoteAddress: '172.19.0.1' },
    headers: { [header]: value },
  })

t.test('an address may have a port or brackets, in every header', async (t) => {
  const forms: [value: string, address: string][] = [
    ['203.0.113.5:51234', '203.0.113.5'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['"[2001:db8::1]:_port"', '2001:db8::1'],
    ['::ffff:203.0.113.5', '203.0.113.5'],
    ['[::ffff:203.0.113.5]:80', '203.0.113.5'],
    [' 203.0.113.5 ', '203.0.113.5'],
  ]
  for (const [value, address] of forms) {
    t.equal(from('x-forwarded-for', `192.0.2.9, ${value}, 172.16.0.9:80`), address, value)
    t.equal(from('x-azure-clientip', value), address, value)
    const quoted = value.trim().startsWith('"') ? value.trim() : `"${value.trim()}"`
    t.equal(from('forwarded', `for=192.0.2.9, proto=https;For=${quoted}`), address, value)
  }
  const bad = 'fe80::1%eth0,[fe80::1%1],203.0.113.5:,[203.0.113.5],2001:db8::1],a.b,1.2.3,'
  for (const value of bad.split(',')) {
    t.equal(from('x-forwarded-for', `192.0.2.9, ${value}`), '172.19.0.1', value)
  }
})

t.test('in Forwarded the client is the last address that is not a proxy’s (RFC 7239)', async (t) => {
  const forwarded = (value: string) => from('forwarded', value)
  t.equal(forwarded('for=192.0.2.9, for=192.0.2.1;proto=https;by=172.16.0.1, for=172.16.0.9'), '192.0.2.1')
  t.equal(forwarded('FOR=192.0.2.1'), '192.0.2.1')
  for (const value of ['unknown', '_hidden', '"_hidden:80"']) {
    t.equal(forwarded(`for=192.0.2.9, for=${value}, for=172.16.0.9`), '172.16.0.9', value)
  }
  t.equal(forwarded('for=192.0.2.9, proto=https'), '172.19.0.1', 'no for')
  t.equal(forwarded('for=192.0.2.9;for=192.0.2.1'), '172.19.0.1', 'for twice')
})

t.test('no text of a client becomes its address in Forwarded', async (t) => {
  const own = 'for="[2001:db8::1]"'
  for (const sent of ['for="', 'for=192.0.2.9;x="', '"', 'for="\\', 'for=192.0.2.9']) {
    t.equal(from('forwarded', `${sent}, ${own}`), '2001:db8::1', sent)
  }
  const hosts = [
    'a\\", for=192.0.2.9;x=\\"b',
    'x, for=192.0.2.9;y=\\\\',
    'a;for=192.0.2.9;b',
    'a;for=192.0.2.9',
  ]
  for (const host of hosts) t.equal(from('forwarded', `${own};host="${host}"`), '2001:db8::1', host)
})

t.test('warns of an unreadable address at most once a minute, without digits', async (t) => {
  const lines: string[] = []
  const app = await createTestApp(database, {
    env: { TRUSTED_PROXIES: '10.0.0.0/8', LOG_LEVEL: 'warn' },
    logStream: { write: (line: string) => void lines.push(line) } as never,
  })
  t.teardown(() => app.close())
  for (let i = 0; i < 5; i++) {
    const headers = { ...demo, 'x-forwarded-proto': 'HTTPS', 'x-forwarded-for': `203.0.113.${i}:80:80` }
    await app.inject({ url: '/v1/products', remoteAddress: '10.0.0.1', headers })
  }
  const warnings = lines.filter((line) => line.includes('not an address'))
  t.equal(warnings.length, 1)
  t.match(warnings[0], '000.0.000.0:00:00')
})
