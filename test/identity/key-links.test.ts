import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { createCommandLine, run } from '../command-line.ts'
import {
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
  secretKey,
} from '../helper.ts'
import { eraseCustomer, exportCustomer, withoutPersonalData } from '../personal-data.ts'

const database = await createTestDatabase()
const lines: string[] = []
const logStream = { write: (line: string) => void lines.push(line), lost: 0 }
const app = await createTestApp(database, {
  logStream,
  env: { TRUSTED_PROXIES: '127.0.0.1', LIMIT_FAILED_LOGINS: '10', LOG_LEVEL: 'debug' },
})
const owner = connectOwner(database)
closeAfter(t, owner, app, database)
const env = {
  DATABASE_URL: database.url,
  SECRET_KEY: secretKey,
  DATA_DIR: t.testdir(),
  PUBLIC_URL: publicUrl,
  CERTDATA_OPERATOR: 'Änne (duty)',
}
const { cli, json } = createCommandLine(env, 'keys')

let addresses = 0
/** By default from another network each time, so that tests do not use up each other's limit. */
const post = (secret: unknown, address = `198.51.100.${++addresses}`, headers: object = {}) =>
  app.inject({
    method: 'POST',
    url: '/key',
    headers: { origin: publicUrl, 'x-forwarded-for': address, 'x-forwarded-proto': 'https', ...headers },
    payload: { secret } as object,
  })
const getSecret = ({ link }: { link: string }) => new URL(link).hash.slice(1)
const query = async <Row>(text: string) => (await sql.raw<Row>(text).execute(owner)).rows
const addPremium = (slug: string) =>
  query(`insert into customers (customer_id, name, plan) values ('${slug}', '${slug}', 'premium')`)
const issue = (slug: string, ...options: string[]) => json('issue', slug, '--link', ...options)

t.test('a link gives the key once, with the limits of the link', async (t) => {
  await addPremium('acme')
  const limits = ['--scopes', 'lab:read', '--networks', '203.0.113.0/24,2001:db8::/32', '--expires', '30d']
  const issued = await issue('acme', ...limits)
  t.match(issued, {
    customer: 'acme',
    link: new RegExp(`^${publicUrl}/key#[\\w-]{43}$`),
    scopes: ['lab:read'],
    networks: ['203.0.113.0/24', '2001:db8::/32'],
    key_lifetime_seconds: 30 * 86_400,
  })
  const days = (Date.parse(issued.link_expires_at) - Date.now()) / 86_400_000
  t.ok(days > 6.9 && days <= 7, 'the link works for seven days')
  t.notOk('api_key' in issued, 'there is no key yet')
  t.same(await query(`select from api_keys where customer_id = 'acme'`), [])
  await query(`update key_links set created_at = created_at - interval '6 days'`)

  const answer = await post(getSecret(issued))
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['cache-control'], 'no-store')
  const key = answer.json()
  t.match(key, { customer: 'acme', key_id: issued.key_id, scopes: ['lab:read'], networks: issued.networks })
  t.equal(parseApiKey(key.api_key)?.keyId, issued.key_id)
  const left = (Date.parse(key.expires_at) - Date.now()) / 86_400_000
  t.ok(left > 29.9 && left <= 30, 'the key lives 30 days from its pick-up')

  const again = await post(getSecret(issued))
  const wrong = await post('A'.repeat(43))
  t.equal(again.statusCode, 404)
  t.same(
    { ...again.json(), request_id: '' },
    { ...wrong.json(), request_id: '' },
    'no answer tells used from wrong',
  )
  const stored = JSON.stringify([
    await query('select * from api_keys'),
    await query('select * from key_links'),
  ])
  for (const text of [getSecret(issued), parseApiKey(key.api_key)?.secret as string]) {
    t.notOk(stored.includes(text))
    t.notOk(lines.join('').includes(text), 'nor is it in the log')
  }
  t.ok(lines.some((line) => line.includes('"/key"')))
})

t.test('a key from a link logs in', async (t) => {
  await addPremium('login')
  const key = (await post(getSecret(await issue('login')))).json()
  t.equal(key.expires_at, null)
  const { get } = await logIn(app, key.api_key)
  t.match((await get('/v1/me')).json(), { data: { customer: 'login' } })
})

t.test('only one of many simultaneous clicks gets the key', async (t) => {
  await addPremium('clicks')
  const secret = getSecret(await issue('clicks'))
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(secret)))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, ...Array(7).fill(404)])
  t.equal((await query(`select from api_keys where customer_id = 'clicks'`)).length, 1)
})

t.test('customer, plan and expiry are checked at issue and again at pick-up', async (t) => {
  await addPremium('judged')
  const set = (change: string) => query(`update customers set ${change} where customer_id = 'judged'`)
  const secret = getSecret(await issue('judged'))
  for (const [change, refusal] of [
    [`suspended_at = now()`, /judged is suspended/],
    [
      `suspended_at = null, plan = 'basic'`,
      /the plan basic, which has no API access.*certdata customers set-plan \S+ premium/,
    ],
  ] as const) {
    await set(change)
    t.equal((await post(secret)).statusCode, 404)
    t.match(await cli('issue', 'judged', '--link'), { code: 1, stderr: refusal })
  }
  await set(`plan = 'premium'`)
  t.equal((await post(secret)).statusCode, 200, 'the link was not used up')
  const late = getSecret(await issue('judged'))
  await query(`update key_links set expires_at = now() where customer_id = 'judged'`)
  t.equal((await post(late)).statusCode, 404)
  t.match(await cli('issue', 'demo', '--link'), { code: 1, stderr: /example data/ })
})

t.test('pending links are listed, and revoked like keys', async (t) => {
  await addPremium('listed')
  const issued = await issue('listed', '--scopes', 'lab:read')
  const { key_id } = issued
  t.match(await json('list', 'listed'), [
    {
      key_id,
      customer: 'listed',
      state: 'pending',
      scopes: ['lab:read'],
      expires_at: issued.link_expires_at,
    },
  ])
  t.match(await json('revoke', key_id, '--yes'), { key_id, state: 'revoked' })
  t.same(await json('list', 'listed'), [])
  t.equal((await post(getSecret(issued))).statusCode, 404)
  t.match(await cli('revoke', key_id, '--yes'), { code: 1, stderr: `no key ${key_id}` })
  const used = await issue('listed')
  await post(getSecret(used))
  t.match(await json('list', 'listed'), [{ key_id: used.key_id, state: 'active' }])
  t.match(await json('revoke', used.key_id, '--yes'), { state: 'revoked', revoked_at: /Z$/ })
})

t.test('an expired link is listed as expired until it is revoked', async (t) => {
  await addPremium('late')
  const { key_id } = await issue('late')
  await query(`update key_links set expires_at = now() where customer_id = 'late'`)
  t.match(await json('list', 'late'), [{ key_id, state: 'expired' }])
  t.match(await json('revoke', key_id, '--yes'), { key_id, state: 'revoked' })
  t.same(await json('list', 'late'), [])
})

t.test('the audit trail names the issuer and the pick-up', async (t) => {
  await addPremium('audited')
  const { key_id } = await issue('audited').then(async (issued) => {
    await post(getSecret(issued), '203.0.113.77')
    return issued
  })
  const { stdout } = await run(['audit', 'list', '--customer', 'audited', '--json'], { env })
  t.match(JSON.parse(stdout), [
    {
      action: 'keys.pick-up',
      actor: 'anonymous',
      operator: null,
      subject: key_id,
      client: '203.0.113.0/24',
      request_id: String,
    },
    {
      action: 'keys.issue',
      actor: 'operator',
      operator: 'Änne (duty)',
      subject: key_id,
      details: { link: true },
    },
  ])
  await app.audit.seal(true)
  const { rows } = await sql<{ text: string }>`select json_agg(entry)::text as text from audit_copies
    where customer_id = 'audited'`.execute(owner)
  t.match(rows[0]?.text, 'keys.issue')
  t.notMatch(rows[0]?.text, 'duty', 'customers do not read the name')
})

t.test('links are exported without secrets, and erased', { skip: withoutPersonalData }, async (t) => {
  await addPremium('leaving')
  const issued = await issue('leaving')
  const exported = await exportCustomer(database, 'leaving')
  const [link = {}] = exported.key_links ?? []
  t.match(link, { key_id: issued.key_id })
  t.notMatch(Object.keys(link).join(), /secret/)
  t.notMatch(JSON.stringify(exported), 'duty', 'the operator is not part of the export')
  t.match(await eraseCustomer(database, 'leaving'), { rows: { key_links: 1 } })
  t.equal((await post(getSecret(issued))).statusCode, 404)
})

t.test('attempts are limited by network, and only pages of the service may make them', async (t) => {
  for (let attempt = 1; attempt <= 10; attempt++) {
    t.equal((await post('wrong', `2001:db8::${attempt}`)).statusCode, 404)
  }
  const over = await post('wrong', '2001:db8::ffff')
  t.match([over.statusCode, over.json().code], [429, 'quota_exceeded'])
  t.ok(Number(over.headers['retry-after']) > 0)
  t.equal((await post('wrong', '2001:db8:0:1::1')).statusCode, 404, 'another network goes on')
  t.equal((await post('x', undefined, { origin: 'https://elsewhere.example' })).json().code, 'cross_origin')
  for (const body of [7, null, undefined, {}]) t.equal((await post(body)).statusCode, 400)
  t.equal((await post('')).statusCode, 404)
  t.equal((await post('\u0000'.repeat(3))).statusCode, 404)
})

t.test('a preview of the page does not use up the link', async (t) => {
  await addPremium('preview')
  const secret = getSecret(await issue('preview'))
  const page = await app.inject({ url: '/key' })
  t.match(page, { statusCode: 200, headers: { 'cache-control': 'no-store', etag: undefined } })
  t.equal((await app.inject({ url: `/key?${secret}` })).statusCode, 200)
  t.equal((await post(secret)).statusCode, 200)
})
