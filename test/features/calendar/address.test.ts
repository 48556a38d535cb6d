import { crc32 } from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { createApiKey } from '../../../app/identity/api-keys.ts'
import { createCommandLine, run } from '../../command-line.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
  secretKey,
  until,
} from '../../helper.ts'
import { parseCalendar, writeCertificates } from './stage.ts'

const lines: string[] = []
const logStream = { write: (line: string) => void lines.push(line), lost: 0 }
const database = await createTestDatabase()
const app = await createTestApp(database, {
  env: {
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_FAILED_LOGINS: '5',
    LIMIT_CALENDAR: '30',
    LOG_LEVEL: 'trace',
    LOG_CUSTOMERS: 'true',
  },
  logStream: logStream as never,
})
const owner = connectOwner(database)
closeAfter(t, owner, app, database)
const env = {
  DATABASE_URL: database.url,
  SECRET_KEY: secretKey,
  DATA_DIR: t.testdir(),
  PUBLIC_URL: publicUrl,
}
const { cli, json } = createCommandLine(env, 'keys')
const query = async (text: string) => (await sql.raw<Record<string, unknown>>(text).execute(owner)).rows

let addresses = 0
/** Another network each time, so that tests do not use up each other's failures. */
const nextAddress = () => `203.${++addresses % 256}.113.7`

const read = (address: string, headers: object = {}) =>
  app.inject({
    url: address.replace(publicUrl, ''),
    headers: { 'x-forwarded-for': nextAddress(), 'x-forwarded-proto': 'https', ...headers },
  })

let customers = 0
/** A new customer with a certificate, and its address. */
const issue = async (...options: string[]) => {
  const customer = `calendar-${++customers}`
  const apiKey = await addCustomer(database, customer)
  await writeCertificates(database, customer, [
    { id: 'one', title: `Of ${customer}`, valid_until: '2031-01-31', country_code: 'US' },
  ])
  const { address, key_id: id } = await json('issue', customer, '--calendar', ...options)
  return { customer, apiKey, address: address as string, id: id as string }
}
const getToken = (address: string) => /cda_calendar_\w+/.exec(address)?.[0] as string

const refusal = {
  status: 404,
  code: 'not_found',
  detail: /^This address does not work: it may be wrong, revoked or expired/,
}
/** Without the members that differ between any two answers. */
const normalize = ({ statusCode, headers, body }: Awaited<ReturnType<typeof read>>) => {
  const { 'request-id': _id, date: _date, ...rest } = headers
  const { request_id: _request, ...problem } = JSON.parse(body)
  return { statusCode, headers: rest, problem }
}

t.test('the command prints an address, which works without a header', async (t) => {
  const { address, customer, id } = await issue('--name', 'Sales', '--expires', '90d')
  t.match(address, new RegExp(`^${publicUrl}/v1/calendar/cda_calendar_${id}_[A-Za-z0-9]{38}\\.ics$`))
  const answer = await read(address)
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, {
    'content-type': 'text/calendar; charset=utf-8',
    'cache-control': 'private, no-cache',
    'referrer-policy': 'no-referrer',
    vary: /Accept-Encoding/,
  })
  t.match(parseCalendar(answer.body).events, [{ summary: `Ends: Of ${customer} (one)` }])
  const etag = answer.headers.etag as string
  t.equal((await read(address, { 'if-none-match': etag })).statusCode, 304)
  t.equal((await read(`${address}?country_code=DE`)).body.includes('VEVENT'), false)
  t.equal((await read(`${address}?country_code=US&format=ics`)).headers.etag, etag)
  const head = await app.inject({ method: 'HEAD', url: address.replace(publicUrl, '') })
  t.match([head.statusCode, head.body], [200, ''])
  const { stdout } = await cli('issue', customer, '--calendar')
  t.match(stdout, /address +http.*\n[\s\S]*send it as you would send a password/)
  t.match(await json('list', customer), [
    { state: 'active', name: 'Sales', scopes: ['calendar:read'], expires_at: /Z$/, last_used_on: /^\d/ },
    {},
    { scopes: ['calendar:read'], last_used_on: null },
  ])
})

t.test('only a hash is stored', async (t) => {
  const { address, id } = await issue()
  const secret = getToken(address).slice(`cda_calendar_${id}_`.length, -6)
  const rows = await query(`select * from api_keys where key_id = '${id}'`)
  t.equal(rows.length, 1)
  t.notOk(JSON.stringify(rows).includes(secret))
})

t.test('an address revokes itself with its own key, and is no other client', async (t) => {
  const { address, apiKey, id } = await issue('--networks', '198.51.100.0/24')
  const other = await issue()
  const [key, otherKey] = [getToken(address), getToken(other.address)]
  const post = (path: string, client: string, secret: string, token: string) =>
    app.inject({
      method: 'POST',
      url: `/v1/oauth/${path}`,
      headers: {
        authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': nextAddress(),
        'x-forwarded-proto': 'https',
      },
      payload: new URLSearchParams({ token, grant_type: 'client_credentials' }).toString(),
    })
  const isRevoked = async (keyId: string) =>
    (await query(`select revoked_at is not null as is from api_keys where key_id = '${keyId}'`))[0]?.is
  const keyIdOfApiKey = apiKey.split('_')[2] as string
  const refused = [
    await post('token', id, key, key),
    await post('introspect', id, key, key),
    await post('revoke', id, key, apiKey),
    await post('revoke', id, key, otherKey),
    await post('revoke', id, `${key.slice(0, -1)}!`, `${key.slice(0, -1)}!`),
    await post('revoke', other.id, key, key),
  ]
  for (const { statusCode, body } of refused) t.match([statusCode, body], [401, /invalid_client/])
  t.equal((await post('revoke', keyIdOfApiKey, apiKey, otherKey)).statusCode, 200, 'of another customer')
  for (const each of [id, other.id, keyIdOfApiKey]) t.equal(await isRevoked(each), false)
  t.equal((await post('revoke', id, key, key)).statusCode, 200, 'from any network')
  t.equal(await isRevoked(id), true)
  t.equal((await read(address, { 'x-forwarded-for': '198.51.100.7' })).statusCode, 404)
  t.equal((await read(other.address)).statusCode, 200)
  const own = other.apiKey
  t.equal((await post('revoke', own.split('_')[2] as string, own, otherKey)).statusCode, 200)
  t.equal((await read(other.address)).statusCode, 404, 'an API key of the customer revokes it, too')
})

t.test('the use of an address is recorded once a day', async (t) => {
  const { address, id } = await issue()
  const readUse = async () => (await query(`select last_used_on from api_keys where key_id = '${id}'`))[0]
  await read(address)
  t.match(await readUse(), { last_used_on: /^\d{4}-\d\d-\d\d$/ })
  // A statement would write this row again.
  await query(`update api_keys set last_used_on = null where key_id = '${id}'`)
  t.equal((await read(address)).statusCode, 200)
  t.match(await readUse(), { last_used_on: null })
})

t.test('all refusals are the same', async (t) => {
  const { address, customer, id } = await issue()
  const other = await issue('--networks', '198.51.100.0/24')
  const token = getToken(address)
  const own = await normalize(await read(address.replace(token, `${token.slice(0, -1)}!`)))
  t.match(own.problem, refusal)
  t.match(own.headers, { 'cache-control': 'no-store', 'content-type': 'application/problem+json' })
  t.notOk('www-authenticate' in own.headers, 'a program asks its user for no password')
  const wrong = [
    token.slice(0, -1),
    token.slice(1),
    token.toUpperCase(),
    `${token}0`,
    `${token}.ics`,
    ` ${token}`,
    `cda_calendar_${id}_`,
    token.replace(id, other.id),
    'x',
    '',
    `${'a'.repeat(3_000)}`,
    `${token}%00`,
    createApiKey().apiKey,
  ]
  for (const each of wrong)
    t.same(normalize(await read(`/v1/calendar/${each}.ics`)), own, `wrong: ${each.slice(0, 80)}`)
  for (const suffix of ['', '.ICS', '.json'])
    t.same(normalize(await read(`/v1/calendar/${token}${suffix}`)), own, `suffix ${suffix}`)
  t.same(normalize(await read(other.address)), own, 'another network')
  const elsewhere = { 'x-forwarded-for': '198.51.100.9' }
  t.equal((await read(other.address, elsewhere)).statusCode, 200)

  const change = async (text: string) =>
    query(`update customers set ${text} where customer_id = '${customer}'`)
  const isRefused = async () => (await read(address)).statusCode === 404
  const isAnswered = async () => (await read(address)).statusCode === 200
  for (const [text, undo] of [
    ['suspended_at = now()', 'suspended_at = null'],
    ["plan = 'basic'", "plan = 'premium'"],
  ] as const) {
    await change(text)
    await until('it is refused', isRefused, 1_000)
    t.same(normalize(await read(address)), own, text)
    await change(undo)
    await until('it is answered again', isAnswered, 1_000)
  }
  await query(`update api_keys set expires_at = now() where key_id = '${id}'`)
  await until('it has expired', isRefused, 1_000)
  t.same(normalize(await read(address)), own, 'expired')
  const revoked = await issue()
  t.equal((await read(revoked.address)).statusCode, 200)
  await json('revoke', revoked.id, '--yes')
  await until('it is revoked', async () => (await read(revoked.address)).statusCode === 404, 1_000)
  t.same(normalize(await read(revoked.address)), own, 'revoked')
  const deleted = await issue()
  t.equal((await read(deleted.address)).statusCode, 200)
  await query(`delete from customers where customer_id = '${deleted.customer}'`)
  await until('it is deleted', async () => (await read(deleted.address)).statusCode === 404, 1_000)
  t.same(normalize(await read(deleted.address)), own, 'deleted')
})

t.test('the key of an address works nowhere else, and no API key works in an address', async (t) => {
  const { address, apiKey, id } = await issue()
  const token = getToken(address)
  const secret = token.slice('cda_calendar_'.length)
  const post = (url: string, payload: object, headers: object = {}) =>
    app.inject({ method: 'POST', url, payload, headers: { 'x-forwarded-for': nextAddress(), ...headers } })
  for (const key of [token, `cda_live_${secret}`, `${id}:${token}`]) {
    t.equal((await post('/v1/auth/login', { api_key: key })).statusCode, 401, key)
    t.equal((await post('/v1/me/keys/rotate', { api_key: key })).statusCode, 401)
    t.equal((await read('/v1/certificates', { authorization: `Bearer ${key}` })).statusCode, 401)
    const basic = Buffer.from(`${id}:${key}`).toString('base64')
    t.equal((await read('/v1/certificates', { authorization: `Basic ${basic}` })).statusCode, 401)
  }
  // The secrets of both kinds, with the other beginning and a right checksum.
  const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const withChecksum = (body: string) => {
    let rest = crc32(body)
    let sum = ''
    for (let place = 0; place < 6; place++) {
      sum = digits[rest % 62] + sum
      rest = Math.floor(rest / 62)
    }
    return body + sum
  }
  t.equal(withChecksum(token.slice(0, -6)), token, 'the checksum of this test is right')
  const asApiKey = withChecksum(`cda_live_${secret.slice(0, -6)}`)
  t.equal((await post('/v1/auth/login', { api_key: asApiKey })).statusCode, 401)
  const { token: bearer } = await logIn(app, apiKey)
  const asAddress = withChecksum(`cda_calendar_${apiKey.slice('cda_live_'.length, -6)}`)
  for (const each of [apiKey, asAddress, bearer])
    t.match((await read(`/v1/calendar/${each}.ics`)).json(), refusal)
  // Even with the right hash, a key without the scope is refused.
  await query(`update api_keys set scopes = '{certificates:read}' where key_id = '${id}'`)
  await until('it has another scope', async () => (await read(address)).statusCode === 404, 1_000)
})

t.test('attempts count by network, as failed logins do', async (t) => {
  const { address } = await issue()
  const from = { 'x-forwarded-for': '192.0.2.77' }
  for (let n = 0; n < 5; n++) t.equal((await read('/v1/calendar/x.ics', from)).statusCode, 404)
  t.match((await read('/v1/calendar/x.ics', from)).json(), {
    status: 429,
    detail: /units left of failed_logins/,
  })
  t.equal((await read(address, from)).statusCode, 200, 'a right address is never refused for others')
  const login = await app.inject({
    method: 'POST',
    url: '/v1/auth/login',
    headers: from,
    payload: { api_key: createApiKey().apiKey },
  })
  t.equal(login.statusCode, 429, 'one count for both')
})

t.test('an address has a quota of its own', async (t) => {
  const { address, apiKey } = await issue()
  const first = await read(address)
  const known = { 'if-none-match': first.headers.etag as string }
  for (let n = 1; n < 30; n++) await read(address, known)
  const refused = await read(address)
  t.match(refused.json(), { status: 429, code: 'quota_exceeded', detail: /units left of calendar/ })
  t.ok(Number(refused.headers['retry-after']) >= 1)
  const { get } = await logIn(app, apiKey)
  t.equal((await get('/v1/certificates')).statusCode, 200, 'the quota of the customer is another one')
})

t.test('faults of the query are named, without an address for tokens', async (t) => {
  const { address } = await issue()
  const typo = (await read(`${address}?contry_code=US`)).json()
  t.match(typo, { status: 400, errors: [{ parameter: 'contry_code', did_you_mean: 'country_code' }] })
  t.notOk('try' in typo)
  t.match((await read(`${address}?format=csv`)).json(), { status: 400, errors: [{ parameter: 'format' }] })
  t.match((await read(`${address}?limit=5`)).json(), { status: 400, errors: [{ parameter: 'limit' }] })
  t.match((await read('/v1/calendar/x.ics?limit=5')).json(), refusal, 'the key is checked first')
  const post = await app.inject({ method: 'POST', url: address.replace(publicUrl, '') })
  t.match([post.statusCode, post.headers.allow], [405, 'GET, HEAD, OPTIONS'])
})

t.test('no log, metric and audit entry contains the key', async (t) => {
  const { address, customer, id } = await issue()
  const token = getToken(address)
  await read(address)
  await read(`${address}?limit=5`)
  await read(`${address}/`)
  await read(address.replace('/calendar/', '/Calendar/'))
  await read(address.replace('/calendar/', '//calendar/'))
  await query(`update customers set suspended_at = now() where customer_id = '${customer}'`)
  await until('it is refused', async () => (await read(address)).statusCode === 404, 1_000)
  await app.audit.flush()
  const { stdout } = await run(['audit', 'list', '--customer', customer, '--json'], { env })
  const { text } = await app.metrics.read()
  const secret = token.slice(-38)
  for (const [place, found] of Object.entries({ log: lines.join(''), audit: stdout, metrics: text })) {
    t.ok(found.length > 100, `${place} is not empty`)
    t.notOk(found.includes(secret), place)
  }
  t.match(lines.join(''), `"route":"/v1/calendar/:file","status":200`)
  t.match(text, /certdata_http_requests_total\{route="\/calendar\/:file",plan="premium",status="200"\} [1-9]/)
  const entries = JSON.parse(stdout)
  t.match(
    entries.filter(({ action }: { action: string }) => action === 'keys.issue'),
    [{ subject: id, details: { scopes: ['calendar:read'] } }],
  )
  const find = (action: string, outcome: string) =>
    entries.find(
      (each: { action: string; outcome: string }) => each.action === action && each.outcome === outcome,
    )
  t.match(find('reads', 'ok'), {
    actor: id,
    details: { resource: 'calendar/:file', status: 200, query: null },
  })
  t.match(find('login', 'refused'), { details: { reason: 'plan_required' } }, 'with the reason of a refusal')
})

t.test('keys rotate makes another address, and both work until the overlap ends', async (t) => {
  const { address, id, customer } = await issue('--name', 'Sales', '--networks', '203.0.0.0/8')
  const fresh = await json('rotate', id, '--overlap', '1h')
  t.match(fresh, { address: /cda_calendar_/, name: 'Sales', scopes: ['calendar:read'], former_key_id: id })
  t.notOk('api_key' in fresh)
  t.equal((await read(fresh.address)).statusCode, 200)
  t.equal((await read(address)).statusCode, 200)
  const kept = (await json('list', customer)).filter(({ key_id }: { key_id: string }) =>
    [id, fresh.key_id].includes(key_id),
  )
  t.match(kept, [
    { key_id: id, state: 'replaced', scopes: ['calendar:read'] },
    { key_id: fresh.key_id, state: 'active', networks: ['203.0.0.0/8'], scopes: ['calendar:read'] },
  ])
  t.match(await cli('rotate', fresh.key_id, '--link'), { code: 1, stderr: /no links: leave --link out/ })
  await json('networks', fresh.key_id, '198.51.100.0/24')
  await until('the networks hold', async () => (await read(fresh.address)).statusCode === 404, 1_000)
})

t.test('the alert, the export and the erasure of a customer include its addresses', async (t) => {
  const { address, id, customer } = await issue('--name', 'Sales', '--expires', '90d')
  t.equal((await read(address)).statusCode, 200)
  const exported = await run(['customers', 'export', customer], { env })
  t.equal(exported.code, 0, exported.stderr)
  t.match(exported.stdout, id)
  t.notOk(exported.stdout.includes(getToken(address)), 'without the key itself')
  await query(`update api_keys set expires_at = now() + interval '1 hour' where key_id = '${id}'`)
  const [expiry] = await query("select nearest_days, ending from read_key_expiry('7 days')")
  t.ok(Number(expiry?.nearest_days) < 1, 'the alert counts it')
  t.equal(expiry?.ending, 1)
  const erased = await run(['customers', 'erase', customer, '--yes', '--json'], { env })
  t.equal(erased.code, 0, erased.stderr)
  t.same(await query(`select key_id from api_keys where key_id = '${id}'`), [])
  await until('it is erased', async () => (await read(address)).statusCode === 404, 1_000)
})

t.test('the command refuses options that an address does not have', async (t) => {
  const { customer } = await issue()
  t.match(await cli('issue', customer, '--calendar', '--scopes', 'products:read'), {
    code: 2,
    stderr: /cannot be used with/,
  })
  t.match(await cli('issue', customer, '--calendar', '--link'), { code: 2, stderr: /cannot be used with/ })
  t.match(await cli('issue', customer, '--scopes', 'calendar:read'), { code: 2, stderr: /There is no scope/ })
  t.match(await cli('issue', 'demo', '--calendar'), { code: 1 })
})
