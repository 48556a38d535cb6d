import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { readKeyExpiry } from '../../app/identity/key-expiry.ts'
import { createCommandLine } from '../command-line.ts'
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
} from '../helper.ts'

const database = await createTestDatabase()
const clock = { offsetMs: 0 }
const app = await createTestApp(database, { clock, env: { METRICS_TOKEN: 'who-measures-has-this' } })
const owner = connectOwner(database)
closeAfter(t, owner, app, database)
const env = {
  DATABASE_URL: database.url,
  SECRET_KEY: secretKey,
  DATA_DIR: t.testdir(),
  PUBLIC_URL: publicUrl,
}
const { cli, json } = createCommandLine(env, 'keys')
const query = async <Row>(text: string) => (await sql.raw<Row>(text).execute(owner)).rows
const removeKeys = () => query('delete from customers')

t.test('a customer sees the name and the end of its key at the login and at /v1/me', async (t) => {
  await addCustomer(database, 'acme')
  const issued = await json('issue', 'acme', '--name', 'ERP, production', '--expires', '2099-12-31')
  const key = { id: issued.key_id, name: 'ERP, production', expires_at: '2100-01-01T00:00:00.000000Z' }
  const payload = { api_key: issued.api_key }
  const answer = await app.inject({ method: 'POST', url: '/v1/auth/login', payload })
  t.strictSame(answer.json().key, key)
  const { get } = await logIn(app, issued.api_key)
  t.strictSame((await get('/v1/me')).json().data.key, key)

  t.match(await json('rename', issued.key_id, 'ERP'), { key_id: issued.key_id, name: 'ERP' })
  await until('the new name is shown', async () => (await get('/v1/me')).json().data.key.name === 'ERP')
  const rotated = await json('rotate', issued.key_id)
  t.equal(rotated.name, 'ERP', 'the successor has the name')
  t.match(await cli('rename', 'nosuchkey', 'x'), { code: 1, stderr: /no key nosuchkey/ })
  for (const name of ['', ' ', 'two\nlines', 'x'.repeat(101)])
    t.match(await cli('rename', issued.key_id, name), { code: 2 }, JSON.stringify(name))
})

t.test('a key without a name and an end has null for both, and the demo has no key', async (t) => {
  const apiKey = await addCustomer(database, 'plain')
  const { get } = await logIn(app, apiKey)
  t.strictSame((await get('/v1/me')).json().data.key, {
    id: parseApiKey(apiKey)?.keyId,
    name: null,
    expires_at: null,
  })
  await addCustomer(database, 'demo')
  const authorization = 'Bearer cda_demo_public'
  t.equal((await app.inject({ url: '/v1/me', headers: { authorization } })).json().data.key, null)
})

t.test('a link passes its name on to the key', async (t) => {
  await addCustomer(database, 'linked')
  const { link, name } = await json('issue', 'linked', '--link', '--name', 'PIM')
  t.equal(name, 'PIM')
  t.match(await json('list', 'linked'), [{ name: 'PIM', state: 'pending' }, {}])
  const headers = { origin: publicUrl }
  const payload = { secret: new URL(link).hash.slice(1) }
  const shown = await app.inject({ method: 'POST', url: '/key', headers, payload })
  t.equal(shown.json().name, 'PIM')
  const { key_id: id } = await json('issue', 'linked', '--expires', '10d')
  const { key_lifetime_seconds: lifetime } = await json('rotate', id, '--link')
  t.ok(Number.isInteger(lifetime), `${lifetime} s: milliseconds since the issue do not show`)
})

t.test('the key that ends next is listed first, and keys that no longer work last', async (t) => {
  await removeKeys()
  await addCustomer(database, 'b')
  await addCustomer(database, 'a')
  const issue = async (customer: string, expires: string) =>
    (await json('issue', customer, '--name', expires, '--expires', expires)).key_id
  const dead = await issue('a', '2d')
  await issue('a', '300d')
  await issue('b', '30d')
  const expired = await issue('b', '3d')
  await json('revoke', dead, '--yes')
  await query(`update api_keys set expires_at = now() - interval '5 days' where key_id = '${expired}'`)
  const order = (keys: { name: string | null; state: string }[]) =>
    keys.map(({ name, state }) => [name, state])
  t.strictSame(order(await json('list')), [
    ['30d', 'active'],
    ['300d', 'active'],
    [null, 'active'],
    [null, 'active'],
    ['3d', 'expired'],
    ['2d', 'revoked'],
  ])
  t.strictSame(order(await json('list', 'a')), [
    ['300d', 'active'],
    [null, 'active'],
    ['2d', 'revoked'],
  ])
  t.match((await cli('list', 'a')).stdout, /^key_id +customer +name +state +expires_at/)
})

t.test('the end of keys in use is measured', async (t) => {
  await removeKeys()
  const read = () => readKeyExpiry(database.reserved)
  t.strictSame(await read(), { nearestDays: null, ending: 0 })
  await addCustomer(database, 'a')
  await json('issue', 'a', '--expires', '20d')
  const near = (await read()).nearestDays ?? 0
  t.ok(near > 19.9 && near <= 20)
  const ending = (await json('issue', 'a', '--expires', '10d')).key_id
  t.match(await read(), { ending: 1 })
  const listEnding = async (...words: string[]): Promise<string[]> =>
    (await json('list', ...words)).map((key: { key_id: string }) => key.key_id)
  t.strictSame(await listEnding('--ending', '14d'), [ending], 'the list has the counted keys')
  t.equal((await listEnding('a', '--ending', '20d')).length, 2, 'the next to end comes first')
  t.equal((await listEnding('a', '--ending', '20d'))[0], ending)
  await json('issue', 'a', '--link', '--expires', '5d')
  t.strictSame(await listEnding('--ending', '14d'), [ending], 'a link is no key yet')
  t.match(await cli('list', '--ending', '3d'), { code: 0, stdout: /^no key in use ends within this time\n$/ })
  t.match(await cli('list', '--ending', 'soon'), { code: 2, stderr: /a duration such as 30m, 12h or 7d/ })
  const figures = async () => {
    const headers = { authorization: 'Bearer who-measures-has-this' }
    const { body } = await app.inject({ url: '/metrics', headers })
    return [
      /^certdata_keys_ending (.*)$/m.exec(body)?.[1],
      /^certdata_key_expiry_days (.*)$/m.exec(body)?.[1],
    ]
  }
  clock.offsetMs += 60_000
  await until('it is counted', async () => (await figures())[0] === '1')
  const [, days] = await figures()
  t.ok(Number(days) > 9.9 && Number(days) <= 10)

  for (const change of [
    `update customers set suspended_at = now()`,
    `update customers set suspended_at = null, plan = 'basic'`,
    `update customers set plan = 'premium'; update api_keys set revoked_at = now() where key_id = '${ending}'`,
    `update api_keys set revoked_at = null, expires_at = now() where key_id = '${ending}'`,
    `update api_keys set expires_at = now() + interval '1 day', replaced_by = 'x' where key_id = '${ending}'`,
    `update api_keys set replaced_by = null, replaces = (select key_id from api_keys where expires_at is null),
      overlap = '7 days' where key_id = '${ending}'`,
  ]) {
    await query(change)
    t.match(await read(), { ending: 0 }, change)
    t.strictSame(await listEnding('--ending', '14d'), [], change)
  }
})
