import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { createNetworkCheck, parseNetwork } from '../../app/identity/networks.ts'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  logIn as logInTo,
  until,
} from '../helper.ts'

const database = await createTestDatabase()
const app = await createTestApp(database, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
closeAfter(t, app, database)

const inside = '203.0.113.5'
const outside = '198.51.100.7'

const setNetworks = (keyId: string, networks: string[] | null) =>
  sql`update api_keys set networks = ${networks}::cidr[] where key_id = ${keyId}`.execute(database.operator)

let customers = 0
const newKey = async (networks: string[] | null) => {
  const customer = `customer-${++customers}`
  const apiKey = await addCustomer(database, customer)
  const keyId = parseApiKey(apiKey)?.keyId as string
  await setNetworks(keyId, networks)
  return { customer, apiKey, keyId }
}
type Key = Awaited<ReturnType<typeof newKey>>

/** Headers of the trusted proxy. */
const from = (address: string) => ({ 'x-forwarded-proto': 'https', 'x-forwarded-for': address })
const logIn = ({ apiKey }: Key, address: string, on = app) =>
  on.inject({
    method: 'POST',
    url: '/v1/auth/login',
    payload: { api_key: apiKey },
    headers: from(address),
  })
const ask = (token: string, address: string, url = '/v1/products') =>
  app.inject({ url, headers: { authorization: `Bearer ${token}`, ...from(address) } })
const newest = async (customer: string) => {
  const { rows } = await sql<{ outcome: string; details: unknown; key: string | null }>`
    select e.outcome, p.personal->'details' as details, p.personal->>'key' as key
    from audit_entries e join audit_persons p on p.entry_id = e.entry_id
    where p.customer = ${customer} order by e.entry_id desc limit 1`.execute(database.operator)
  return rows[0]
}

t.test('networks become canonical, and an invalid one is refused with the reason', (t) => {
  const good = {
    '203.0.113.0/24': '203.0.113.0/24',
    '203.0.113.5': '203.0.113.5/32',
    '0.0.0.0/0': '0.0.0.0/0',
    '2001:DB8:0:0::/32': '2001:db8::/32',
    '2001:db8::1': '2001:db8::1/128',
    '::/0': '::/0',
    '::ffff:203.0.113.0/120': '203.0.113.0/24',
    '::ffff:cb00:7105': '203.0.113.5/32',
    '2001:db8:8000::/33': '2001:db8:8000::/33',
    '2001:0db8:0000::/48': '2001:db8::/48',
    '::ffff:0:0/96': '0.0.0.0/0',
    '::FFFF:0.0.0.0/96': '0.0.0.0/0',
    '0:0:0:0:0:ffff:c000:0200/120': '192.0.2.0/24',
    '::ffff:203.0.113.5/128': '203.0.113.5/32',
    '::203.0.113.0/120': '::203.0.113.0/120',
    '::/1': '::/1',
    '128.0.0.0/1': '128.0.0.0/1',
    '64:ff9b::cb00:7100/120': '64:ff9b::cb00:7100/120',
  }
  for (const [text, network] of Object.entries(good)) t.equal(parseNetwork(text), network, text)
  const bad: Record<string, string> = {
    'bits after its prefix': `203.0.113.5/24 2001:db8::1/64 2001:db8:8000::/32 203.0.113.0/0 ::1/0
      ::ffff:203.0.113.5/120 ::203.0.113.5/120`,
    '0 to 32 bits': '203.0.113.0/33 ::ffff:203.0.113.0/24 ::ffff:203.0.113.0/95',
    '0 to 128 bits': '2001:db8::/129',
    'expected a network': `203.0.113/24 203.0.113.0/ fe80::1%eth0/128 example.com 010.0.0.0/8 203.0.113.0/024
      203.0.113.0/00 2001:db8::/032 203.000.113.0/24 203.0.113.00/24 0xcb.0.113.0/24 3405803776/24
      02001:db8::/32 2001:db8::%1/32 2001:db8::/32%eth0 [2001:db8::]/32 203.0.113.0/-1 203.0.113.0/+24
      203.0.113.0/24.0 203.0.113.0/255.255.255.0 203.0.113.0/1000 203.0.113.0/24/24
      203.0.113.0/24,198.51.100.0/24 2001:db8:::/32 203.0.113.0/24\0`,
  }
  for (const [reason, texts] of Object.entries(bad)) {
    for (const text of texts.split(/\s+/)) t.throws(() => parseNetwork(text), new RegExp(reason), text)
  }
  for (const text of ['', '203.0.113.0/24 ', '203.0.113.0/24\n']) {
    t.throws(() => parseNetwork(text), /expected a network/, JSON.stringify(text))
  }
  t.end()
})

t.test('PostgreSQL returns canonical networks unchanged', async (t) => {
  for (const network of ['203.0.113.0/24', '203.0.113.5/32', '2001:db8::/32', '::/0', '2001:db8::1/128']) {
    const { rows } = await sql<{ n: string[] }>`select array[${network}]::cidr[]::text[] as n`.execute(
      database.operator,
    )
    t.same(rows[0]?.n, [network])
  }
})

t.test('reads IPv4 in IPv6 as IPv4 in every spelling, and no other address', (t) => {
  const isIn = createNetworkCheck(['203.0.113.0/24', '2001:db8::/32'])
  for (const address of [
    inside,
    '::ffff:203.0.113.5',
    '::FFFF:203.0.113.5',
    '::ffff:cb00:7105',
    '0:0:0:0:0:ffff:203.0.113.5',
    '2001:db8::1',
    '2001:0DB8:0::1%eth0',
  ]) {
    t.ok(isIn(address), address)
  }
  for (const address of [outside, '::203.0.113.5', '2001:db9::1', '::ffff:198.51.100.7', '', 'unknown']) {
    t.notOk(isIn(address), address)
  }
  t.notOk(createNetworkCheck(['::/0'])(inside), 'an IPv6 network holds no IPv4 address')
  t.notOk(createNetworkCheck(['::/0'])('::ffff:203.0.113.5'))
  t.notOk(createNetworkCheck(['0.0.0.0/0'])('2001:db8::1'), 'and the other way round')
  const isAnywhere = createNetworkCheck(['0.0.0.0/0', '::/0'])
  for (const address of [inside, '::ffff:203.0.113.5', '::1', 'fe80::1%eth0']) t.ok(isAnywhere(address))
  for (const address of ['', 'unknown', '203.0.113.5:443', '[::1]']) t.notOk(isAnywhere(address), address)
  const isOverlapping = createNetworkCheck([
    '203.0.113.0/24',
    '203.0.113.0/25',
    '203.0.113.5/32',
    '203.0.112.0/23',
  ])
  for (const address of [inside, '203.0.113.200', '203.0.112.1']) t.ok(isOverlapping(address), address)
  for (const address of ['203.0.111.255', '203.0.114.0']) t.notOk(isOverlapping(address), address)
  t.end()
})

t.test('outside its networks a key gets no token, and its tokens read nothing', async (t) => {
  const key = await newKey(['203.0.113.0/24', '2001:db8::/32'])
  const refused = await logIn(key, outside)
  t.match(refused.json(), { status: 403, code: 'network_not_allowed' })
  t.match(await newest(key.customer), {
    outcome: 'refused',
    key: key.keyId,
    details: { reason: 'network_not_allowed' },
  })

  for (const address of [inside, '::ffff:203.0.113.9', '2001:db8::9']) {
    t.equal((await logIn(key, address)).statusCode, 200, address)
  }
  const token = (await logIn(key, inside)).json().access_token as string
  for (const url of ['/v1/products', '/products', '/v1/me', '/v1/nothing', '/openapi.json']) {
    t.match((await ask(token, outside, url)).json(), { status: 403, code: 'network_not_allowed' }, url)
    t.not((await ask(token, inside, url)).statusCode, 403, url)
  }
  t.equal((await ask(token, '2001:db8::9')).statusCode, 200)
})

t.test('a key has at most 100 networks', async (t) => {
  const key = await newKey(null)
  const many = (count: number) => Array.from({ length: count }, (_, n) => `10.${n}.0.0/16`)
  await setNetworks(key.keyId, many(100))
  t.equal((await logIn(key, '10.99.0.1')).statusCode, 200)
  t.equal((await logIn(key, '10.100.0.1')).statusCode, 403)
  await t.rejects(setNetworks(key.keyId, many(101)), /api_keys_networks/)
  await t.rejects(setNetworks(key.keyId, []), /api_keys_networks/)
})

t.test('a refused request is recorded under its key', async (t) => {
  const key = await newKey(['203.0.113.0/24'])
  const token = (await logIn(key, inside)).json().access_token as string
  await ask(token, outside)
  await app.audit.flush()
  t.match(await newest(key.customer), { key: key.keyId, details: { status: 403 } })
})

t.test('a wrong secret reveals nothing about networks', async (t) => {
  const key = await newKey(['203.0.113.0/24'])
  const other = await newKey(null)
  const wrong = { ...key, apiKey: other.apiKey.replace(other.keyId, key.keyId) }
  t.match((await logIn(wrong, outside)).json(), { code: 'invalid_api_key' })
})

t.test('cached answers of the edge are refused, too', async (t) => {
  const { app: listening, origin } = await listenTestApp(database)
  t.teardown(() => listening.close())
  const key = await newKey(null)
  const { token } = await logInTo(listening, key.apiKey)
  const get = async () => {
    const answer = await fetch(`${origin}/v1/products`, { headers: { authorization: `Bearer ${token}` } })
    await answer.arrayBuffer()
    return answer.status
  }
  for (let i = 0; i < 4; i++) t.equal(await get(), 200)
  if (process.env.TEST_EDGE !== 'off') t.ok(listening.edgeAnswers > 0, 'it came from memory')
  await setNetworks(key.keyId, ['203.0.113.0/24'])
  await until('refused', async () => (await get()) === 403)
  const before = listening.edgeAnswers
  for (let i = 0; i < 4; i++) t.equal(await get(), 403)
  t.equal(listening.edgeAnswers, before)
  await setNetworks(key.keyId, ['127.0.0.0/8', '::1/128'])
  await until('let in', async () => (await get()) === 200)
})
