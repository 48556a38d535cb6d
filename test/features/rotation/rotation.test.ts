import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { createCommandLine, run } from '../../command-line.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  publicUrl,
  secretKey,
  until,
} from '../../helper.ts'
import { eraseCustomer, exportCustomer, withoutPersonalData } from '../../personal-data.ts'

const database = await createTestDatabase()
const app = await createTestApp(database, {
  env: { TRUSTED_PROXIES: '127.0.0.1', LIMIT_FAILED_LOGINS: '5', LIMIT_LOGINS: '40' },
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
const query = async <Row = Record<string, unknown>>(text: string) =>
  (await sql.raw<Row>(text).execute(owner)).rows

let addresses = 0
/** From another address each time, so that tests do not use up each other's failures. */
const nextAddress = () => `203.0.113.${++addresses % 256}`

const send = (url: string, payload: unknown, headers: object = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'x-forwarded-for': nextAddress(), 'x-forwarded-proto': 'https', ...headers },
    ...(payload === undefined ? {} : { payload: payload as object }),
  })
const rotate = (api_key: string, headers: object = {}) => send('/v1/me/keys/rotate', { api_key }, headers)
const login = (api_key: string, headers: object = {}) => send('/v1/auth/login', { api_key }, headers)
const getId = (apiKey: string): string => parseApiKey(apiKey)?.keyId as string
const readKey = async (apiKey: string) =>
  (await query(`select * from api_keys where key_id = '${getId(apiKey)}'`))[0]
const daysUntil = (instant: unknown) => (new Date(String(instant)).getTime() - Date.now()) / 86_400_000

const scopes = ['products:read', 'keys:rotate']
let customers = 0
const newKey = async (limits: { days?: number; networks?: string; scopes?: string[] } = {}) => {
  const customer = `rotation-${++customers}`
  const apiKey = await addCustomer(database, customer, { scopes: limits.scopes ?? scopes })
  const id = getId(apiKey)
  if (limits.days !== undefined)
    await query(`update api_keys set created_at = now() - interval '20 days',
      expires_at = now() + interval '${limits.days - 20} days' where key_id = '${id}'`)
  if (limits.networks !== undefined)
    await query(`update api_keys set networks = '${limits.networks}' where key_id = '${id}'`)
  return { customer, apiKey, id }
}
/** Rotates, and returns the new key. */
const succeed = async (apiKey: string): Promise<string> => (await rotate(apiKey)).json().api_key

t.test('a key is exchanged for one with the same rights and as long a life', async (t) => {
  const { apiKey, id } = await newKey({ days: 90, networks: '{203.0.113.0/24}' })
  await query(`update api_keys set name = 'ERP' where key_id = '${id}'`)
  const answer = await rotate(apiKey)
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, { 'cache-control': 'no-store', pragma: 'no-cache' })
  const made = answer.json()
  t.match(made, {
    key: { id: getId(made.api_key), name: 'ERP' },
    replaces: id,
    overlap_seconds: 604_800,
  })
  const days = daysUntil(made.expires_at_after_login)
  t.ok(days > 89.9 && days <= 90, 'no longer life')
  t.match(await readKey(made.api_key), { scopes, revoked_at: null, networks: ['203.0.113.0/24'] })
  t.match(await readKey(apiKey), { replaced_by: null }, 'the previous key does not end yet')
  const stored = JSON.stringify(await query('select * from api_keys'))
  t.notOk(stored.includes(parseApiKey(made.api_key)?.secret as string))
  const basic = Buffer.from(`${id}:${apiKey}`).toString('base64')
  const again = await send('/v1/me/keys/rotate', undefined, { authorization: `Basic ${basic}` })
  t.match(again.json(), { replaces: id }, 'HTTP Basic')
})

t.test('the previous key ends after the overlap, which the first login begins', async (t) => {
  const { apiKey, id } = await newKey()
  const fresh = await succeed(apiKey)
  t.equal((await readKey(apiKey))?.expires_at, null)
  t.match((await json('list', (await readKey(apiKey))?.customer_id as string)) as object[], [
    { key_id: getId(fresh), state: 'pending', replaces: id },
    { key_id: id, state: 'active' },
  ])
  t.equal((await login(fresh)).statusCode, 200)
  const former = await readKey(apiKey)
  t.equal(former?.replaced_by, getId(fresh))
  const days = daysUntil(former?.expires_at)
  t.ok(days > 6.9 && days <= 7)
  t.equal((await login(apiKey)).statusCode, 200, 'both work in the meantime')
  await login(fresh)
  t.same((await readKey(apiKey))?.expires_at, former?.expires_at, 'a further login changes nothing')
  t.match(await json('list', former?.customer_id as string), [{ state: 'replaced' }, { state: 'active' }])
})

const age = (apiKey: string, time: string) =>
  query(`update api_keys set created_at = created_at - interval '${time}', expires_at = expires_at - interval '${time}'
    where key_id = '${getId(apiKey)}'`)

t.test('a pending key ends after a day, and its first login begins its full life', async (t) => {
  const { apiKey, customer } = await newKey({ days: 90 })
  const made = (await rotate(apiKey)).json()
  const { expires_at: end, id } = made.key
  t.ok(daysUntil(end) > 0.99 && daysUntil(end) <= 1)
  const listed = (await json('list', customer)) as { key_id: string }[]
  t.match(
    listed.find(({ key_id }) => key_id === id),
    { state: 'pending', expires_at: end },
  )
  await age(made.api_key, '23 hours')
  const used = (await login(made.api_key)).json()
  t.equal(used.expires_in, 3_600, 'its token does not end with the pending key')
  const left = daysUntil(used.key.expires_at)
  t.ok(left > 89.04 && left < 89.05, `90 days from its creation, ${left}`)
  const row = await readKey(made.api_key)
  t.match(row, { replaces: null, lifetime: null })
  t.equal(
    Number(new Date(row?.expires_at as Date)),
    Date.parse(used.key.expires_at),
    'the answer has the end of the row',
  )
  await query(`update api_keys set rotated_at = now() - interval '1 hour' where key_id = '${id}'`)
  const next = (await rotate(made.api_key)).json()
  t.ok(daysUntil(next.expires_at_after_login) <= 90, 'the next one lives no longer')

  const late = await newKey()
  const lost = await succeed(late.apiKey)
  await age(lost, '25 hours')
  t.equal((await login(lost)).json().code, 'invalid_api_key')
  t.match(await json('list', late.customer), [{ state: 'active' }, { state: 'expired', replaces: late.id }])
  t.equal((await login(late.apiKey)).statusCode, 200, 'the previous key stays')
  const second = (await rotate(late.apiKey)).json()
  t.match(second, { key: { expires_at: String }, expires_at_after_login: null })
  t.strictSame((await login(second.api_key)).json().key.expires_at, null)
  t.equal((await json('list', late.customer)).length, 2, 'the lost key was removed')
})

t.test('a login that overtakes the end of its pending key is refused', async (t) => {
  const { apiKey } = await newKey()
  const pending = await succeed(apiKey)
  const complete = () =>
    query<{ is_valid: boolean; former: string | null }>(
      `select * from complete_key_rotation((select customer_id from api_keys where key_id = '${getId(pending)}'), '${getId(pending)}')`,
    )
  await age(pending, '1 day')
  t.match(await complete(), [{ is_valid: false, former: null }])
  t.match(await readKey(apiKey), { replaced_by: null, expires_at: null })
})

t.test('a successor of a key that lives less than a day does not live longer while it waits', async (t) => {
  const { apiKey, id } = await newKey()
  await query(`update api_keys set expires_at = created_at + interval '2 hours' where key_id = '${id}'`)
  const made = (await rotate(apiKey)).json()
  t.equal(made.key.expires_at, made.expires_at_after_login)
  t.ok(daysUntil(made.key.expires_at) < 0.1)
})

t.test('a key that ends earlier than the overlap is not prolonged', async (t) => {
  const { apiKey } = await newKey({ days: 22 })
  const before = (await readKey(apiKey))?.expires_at
  await login(await succeed(apiKey))
  t.same((await readKey(apiKey))?.expires_at, before)
})

t.test('a repeated call replaces the pending key, so a lost answer does no harm', async (t) => {
  const { apiKey, customer } = await newKey()
  const lost = await succeed(apiKey)
  const second = await succeed(apiKey)
  t.equal((await login(lost)).json().code, 'invalid_api_key')
  t.equal((await query(`select from api_keys where customer_id = '${customer}'`)).length, 2)
  t.equal((await login(second)).statusCode, 200)

  const simultaneous = await newKey()
  const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(simultaneous.apiKey)))
  t.strictSame([...new Set(answers.map(({ statusCode }) => statusCode))], [200])
  const states = await Promise.all(
    answers.map(async (answer) => (await login(answer.json().api_key)).statusCode),
  )
  t.strictSame(states.sort(), [200, 401, 401, 401, 401, 401], 'one of them is left')
})

t.test('a login and a rotation at the same time leave one successor', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { apiKey, customer } = await newKey()
    const pending = await succeed(apiKey)
    const [first, second] = await Promise.all([login(pending), rotate(apiKey)])
    const rows = await query(
      `select key_id, replaces, replaced_by from api_keys where customer_id = '${customer}'`,
    )
    t.equal(rows.length, 2)
    const isFirst = first.statusCode === 200
    t.strictSame(
      [first.statusCode, second.statusCode],
      isFirst ? [200, 409] : [401, 200],
      'the login wins, or the rotation',
    )
  }
})

t.test('only the first of simultaneous logins completes the rotation', async (t) => {
  const { apiKey, customer } = await newKey()
  const fresh = await succeed(apiKey)
  const logins = await Promise.all(Array.from({ length: 5 }, () => login(fresh)))
  t.strictSame([...new Set(logins.map(({ statusCode }) => statusCode))], [200])
  const { stdout } = await run(['audit', 'list', '--customer', customer, '--json'], { env })
  const entries = JSON.parse(stdout).filter(({ action }: { action: string }) => action === 'keys.rotate')
  t.match(
    entries,
    [
      {
        actor: getId(fresh),
        subject: getId(apiKey),
        client: '203.0.113.0/24',
        details: { by: getId(fresh), former_expires_at: /Z$/ },
      },
      {
        actor: getId(apiKey),
        subject: getId(apiKey),
        details: { by: getId(fresh), pending: true },
      },
    ],
    'both steps are audited',
  )
  t.equal(entries.length, 2)
})

t.test('a token cannot rotate a key, and a key needs the scope by name', async (t) => {
  const { apiKey, customer, id } = await newKey()
  const { access_token } = (await login(apiKey)).json()
  const refused = await send('/v1/me/keys/rotate', undefined, { authorization: `Bearer ${access_token}` })
  t.match(refused.json(), { status: 401, code: 'invalid_api_key', detail: /A token cannot rotate/ })
  t.match(refused.headers['www-authenticate'], /^Basic/)
  t.equal((await send('/v1/me/keys/rotate', {})).json().code, 'invalid_body')

  const unlimited = await addCustomer(database, customer)
  const other = await addCustomer(database, customer, { scopes: ['products:read'] })
  for (const key of [unlimited, other])
    t.match((await rotate(key)).json(), { status: 403, code: 'insufficient_scope', detail: /keys:rotate/ })
  t.equal((await query(`select from api_keys where customer_id = '${customer}'`)).length, 3)
  const { stdout } = await run(['audit', 'list', '--customer', customer, '--json'], { env })
  t.match(JSON.parse(stdout), [
    { action: 'keys.rotate', outcome: 'refused', subject: getId(other) },
    { action: 'keys.rotate', outcome: 'refused', subject: getId(unlimited) },
  ])
  t.equal((await readKey(apiKey))?.key_id, id)
})

t.test('what a login refuses, a rotation refuses, with the same limits', async (t) => {
  const { apiKey, customer } = await newKey({ networks: '{203.0.113.0/24}' })
  const elsewhere = { 'x-forwarded-for': '198.51.100.9' }
  t.equal((await rotate(apiKey, elsewhere)).json().code, 'network_not_allowed')
  const change = async (text: string) => {
    await query(`update customers set ${text} where customer_id = '${customer}'`)
  }
  await change('suspended_at = now()')
  t.equal((await rotate(apiKey)).json().code, 'plan_required')
  await change(`suspended_at = null, plan = 'basic'`)
  t.equal((await rotate(apiKey)).json().code, 'plan_required')
  await change(`plan = 'premium'`)
  await query(`update api_keys set expires_at = now() where customer_id = '${customer}'`)
  t.equal((await rotate(apiKey)).json().code, 'invalid_api_key')
  const revoked = await newKey()
  await json('revoke', revoked.id, '--yes')
  t.equal((await rotate(revoked.apiKey)).json().code, 'invalid_api_key')

  const from = { 'x-forwarded-for': '192.0.2.77' }
  for (let n = 0; n < 5; n++) await rotate(`${apiKey.slice(0, -1)}!`, from)
  t.equal((await rotate('nonsense', from)).statusCode, 429, 'failures count by network')
  const busy = await newKey()
  for (let n = 0; n < 40; n++) await rotate(busy.apiKey)
  t.match((await rotate(busy.apiKey)).json(), { status: 429, detail: /units left of logins/ })
})

t.test('a pending key ends with its predecessor, and follows its networks', async (t) => {
  const { apiKey, id } = await newKey()
  const pending = await succeed(apiKey)
  await json('networks', id, '198.51.100.0/24')
  await until('the networks hold', async () => (await login(pending)).json().code === 'network_not_allowed')
  await json('networks', id, '--anywhere')
  await json('revoke', id, '--yes')
  t.equal((await login(pending)).json().code, 'invalid_api_key', 'a stolen key gets no successor')

  const own = await newKey()
  const successor = await succeed(own.apiKey)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = `client_id=${own.id}&client_secret=${own.apiKey}&token=${own.apiKey}`
  t.equal((await send('/v1/oauth/revoke', body, form)).statusCode, 200)
  t.equal((await login(successor)).json().code, 'invalid_api_key', 'also if the customer revokes')

  const removed = await newKey()
  const orphan = await succeed(removed.apiKey)
  await query(`delete from api_keys where key_id = '${removed.id}'`)
  t.equal((await login(orphan)).json().code, 'invalid_api_key')
})

const link = (id: string, ...options: string[]) => json('rotate', id, '--link', ...options)
const open = (linked: { link: string }) =>
  send('/key', { secret: new URL(linked.link).hash.slice(1) }, { origin: publicUrl })

/** A key, its two successors, and a fourth key that waits for its first login. */
const newRow = async () => {
  const first = await newKey()
  const keys = [first.apiKey]
  for (let n = 0; n < 3; n++) {
    const made = await succeed(keys.at(-1) as string)
    if (n < 2) await login(made)
    await query(`update api_keys set rotated_at = null where key_id = '${getId(made)}'`)
    keys.push(made)
  }
  return { ...first, keys, ids: keys.map(getId) }
}
const listStates = async (customer: string) => {
  const listed: { key_id: string; state: string }[] = await json('list', customer)
  return Object.fromEntries(listed.map(({ key_id, state }) => [key_id, state]))
}
const statusesOf = (keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await login(key)).statusCode))

t.test('a revocation ends the successors of a key, used ones and pending ones', async (t) => {
  const { customer, keys, ids } = await newRow()
  const bystander = await addCustomer(database, customer, { scopes })
  const asked = await run(['keys', 'revoke', ids[0] as string], { env, isWatched: true, input: 'n\n' })
  t.match(
    asked.stderr,
    new RegExp(
      `cannot be restored\\. So do its 3 successors: ${ids[1]} \\(last used on .*\\), ${ids[2]} \\(.*\\), ${ids[3]} \\(pending\\)\\. To keep them, add --keep-successors`,
    ),
  )
  t.same(await statusesOf([keys[0] as string]), [200], 'nothing was done')
  t.match(await json('revoke', ids[0] as string, '--yes'), {
    key_id: ids[0],
    state: 'revoked',
    ended_successors: ids.slice(1),
  })
  t.same(await statusesOf(keys), [401, 401, 401, 401])
  t.same(await statusesOf([bystander]), [200], 'a key of the same customer that is no successor')
  const states = await listStates(customer)
  for (const id of ids) t.equal(states[id], 'revoked')
  const { stdout } = await run(['audit', 'list', '--customer', customer, '--json'], { env })
  const entries: { action: string; subject: string; details: object | null }[] = JSON.parse(stdout)
  const ended = entries.filter(({ action }) => action === 'keys.revoke').reverse()
  t.same(
    ended.map(({ subject }) => subject),
    ids,
  )
  for (const { details } of ended.slice(1)) t.match(details, { successor_of: ids[0] })
})

t.test('a revocation in the middle of a row keeps the keys before it', async (t) => {
  const { keys, ids } = await newRow()
  await json('revoke', ids[1] as string, '--yes')
  t.same(await statusesOf(keys), [200, 401, 401, 401])
  t.match(await json('revoke', ids[0] as string, '--yes'), { ended_successors: [] })
})

t.test('--keep-successors ends one key, and a pending one completes its rotation', async (t) => {
  const { keys, ids } = await newRow()
  const question = await run(['keys', 'revoke', ids[0] as string, '--keep-successors'], { env })
  t.match(question.stderr, `Its 3 successors can still be used: ${ids[1]}`)
  t.match(await json('revoke', ids[0] as string, '--keep-successors', '--yes'), { ended_successors: [] })
  t.same(await statusesOf(keys.slice(0, 3)), [401, 200, 200])
  await json('revoke', ids[2] as string, '--keep-successors', '--yes')
  await json('networks', ids[2] as string, '198.51.100.0/24')
  t.equal(
    (await login(keys[3] as string)).json().code,
    'network_not_allowed',
    'it still follows its predecessor',
  )
  await json('networks', ids[2] as string, '--anywhere')
  await until('the networks hold', async () => (await login(keys[3] as string)).statusCode === 200)
  t.match(await readKey(keys[2] as string), { replaced_by: ids[3], revoked_at: String })
  t.match(await json('revoke', ids[2] as string, '--yes'), { ended_successors: [ids[3]] }, 'a later decision')
})

t.test('a revocation ends an unused link to a successor', async (t) => {
  const { id, customer } = await newKey()
  const linked = await link(id)
  t.match(await json('revoke', id, '--yes'), { ended_successors: [linked.key_id] })
  t.equal((await open(linked)).statusCode, 404)
  t.match(await json('list', customer), { length: 1 })
})

t.test('a rotation during a revocation leaves no successor', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { apiKey, id, customer } = await newKey()
    const pending = await succeed(apiKey)
    const [, , answer] = await Promise.all([json('revoke', id, '--yes'), login(pending), rotate(apiKey)])
    t.ok([200, 401, 409].includes(answer.statusCode))
    const states = Object.values(await listStates(customer))
    t.same([...new Set(states)], ['revoked'])
  }
})

t.test('a customer that presents its previous key does not end the key that replaced it', async (t) => {
  const { apiKey, id } = await newKey()
  const fresh = await succeed(apiKey)
  await login(fresh)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = `client_id=${id}&client_secret=${apiKey}&token=${apiKey}`
  t.equal((await send('/v1/oauth/revoke', body, form)).statusCode, 200)
  t.same(await statusesOf([apiKey, fresh]), [401, 200])
})

t.test('a revoked pending key stays revoked, and another one may be made', async (t) => {
  const { apiKey } = await newKey()
  const pending = await succeed(apiKey)
  t.match(await json('revoke', getId(pending), '--yes'), { state: 'revoked' })
  t.equal((await login(pending)).json().code, 'invalid_api_key')
  t.equal((await readKey(apiKey))?.replaced_by, null)
  t.equal((await login(await succeed(apiKey))).statusCode, 200)
  t.match(await readKey(pending), { revoked_at: String })
})

t.test('a pending key completes its rotation after the previous key has ended', async (t) => {
  const { apiKey, id } = await newKey({ days: 30 })
  const pending = await succeed(apiKey)
  await query(`update api_keys set expires_at = now() where key_id = '${id}'`)
  t.equal((await login(pending)).statusCode, 200)
})

t.test('a key has one successor, and completes one rotation an hour', async (t) => {
  const { apiKey } = await newKey()
  const second = await succeed(apiKey)
  t.match((await rotate(second)).json(), {
    status: 409,
    code: 'rotation_refused',
    detail: /Log in with it first/,
  })
  await login(second)
  const replaced = (await rotate(apiKey)).json()
  t.match(replaced, { status: 409, code: 'rotation_refused', detail: /rotated already/ })
  const end = /ends at (\S+Z): /.exec(replaced.detail)?.[1]
  t.equal(end, (await login(apiKey)).json().key.expires_at)
  t.ok(Math.abs(daysUntil(end) - 7) < 0.1, 'a week after the first login with its successor')
  const early = await rotate(second)
  t.match(early.json(), { status: 429, code: 'quota_exceeded', detail: /units left of key_rotations/ })
  const wait = Number(early.headers['retry-after'])
  t.ok(wait > 3_500 && wait <= 3_600)
  await query(`update api_keys set rotated_at = now() - interval '1 hour' where key_id = '${getId(second)}'`)
  t.equal((await rotate(second)).statusCode, 200)
})

t.test('a client that signs is refused', async (t) => {
  const { apiKey, id } = await newKey()
  await query(`update api_keys set client_jwks = '{"keys": []}' where key_id = '${id}'`)
  t.equal((await rotate(apiKey)).json().code, 'invalid_api_key')
  t.match(await cli('rotate', id, '--link'), { code: 1, stderr: /no valid key/ })
})

t.test('an OAuth login completes a rotation, too', async (t) => {
  const { apiKey } = await newKey()
  const fresh = await succeed(apiKey)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = `grant_type=client_credentials&client_id=${getId(fresh)}&client_secret=${fresh}`
  t.equal((await send('/v1/oauth/token', body, form)).statusCode, 200)
  t.equal((await readKey(apiKey))?.replaced_by, getId(fresh))
})

t.test('a rotation by the operator removes a pending key', async (t) => {
  const { apiKey, id } = await newKey()
  const pending = await succeed(apiKey)
  const { api_key } = await json('rotate', id)
  t.equal((await login(pending)).json().code, 'invalid_api_key')
  t.equal((await login(api_key)).statusCode, 200)
})

t.test('a link of keys rotate makes a key that replaces the other one at its first login', async (t) => {
  const { apiKey, id, customer } = await newKey({
    days: 90,
    networks: '{203.0.113.0/24}',
    scopes: ['lab:read'],
  })
  const linked = await link(id, '--overlap', '2d')
  t.match(linked, {
    link: new RegExp(`^${publicUrl}/key#[\\w-]{43}$`),
    customer,
    scopes: ['lab:read'],
    networks: ['203.0.113.0/24'],
    key_lifetime_seconds: 90 * 86_400,
    overlap_seconds: 2 * 86_400,
    former_key_id: id,
  })
  const again = await link(id, '--overlap', '2d')
  t.equal((await open(linked)).statusCode, 404, 'a second link replaces the first')
  const key = (await open(again)).json()
  t.match(key, { key_id: again.key_id, scopes: ['lab:read'], networks: ['203.0.113.0/24'] })
  const [wait, life] = [daysUntil(key.expires_at), daysUntil(key.expires_at_after_login)]
  t.ok(wait > 6.9 && wait <= 7, 'people have a week to install it')
  t.ok(life > 89.9 && life <= 90)
  t.equal((await readKey(apiKey))?.replaced_by, null)
  t.equal((await login(key.api_key)).json().key.expires_at, key.expires_at_after_login)
  const days = daysUntil((await readKey(apiKey))?.expires_at)
  t.ok(days > 1.9 && days <= 2)
  t.match(await cli('rotate', id, '--link'), { code: 1, stderr: /no valid key/ })
})

t.test('a link, a pending key and a revocation exclude each other', async (t) => {
  const first = await newKey()
  const linked = await link(first.id)
  const pending = await succeed(first.apiKey)
  t.equal((await open(linked)).statusCode, 404, 'the customer rotated')
  const second = await link(first.id)
  const key = (await open(second)).json()
  t.equal((await login(pending)).json().code, 'invalid_api_key', 'the link was used')
  t.equal((await login(key.api_key)).statusCode, 200)

  const revoked = await newKey()
  const useless = await link(revoked.id)
  await json('networks', revoked.id, '203.0.113.0/24')
  t.match(await json('list', revoked.customer), [{ networks: ['203.0.113.0/24'] }, {}])
  await json('revoke', revoked.id, '--yes')
  t.equal((await open(useless)).statusCode, 404)
  const suspended = await newKey()
  await query(`update customers set suspended_at = now() where customer_id = '${suspended.customer}'`)
  t.match(await cli('rotate', suspended.id, '--link'), { code: 1, stderr: /suspended/ })
})

t.test(
  'pending keys are exported without their secrets, and erased',
  { skip: withoutPersonalData },
  async (t) => {
    const { apiKey, id, customer } = await newKey()
    const pending = await succeed(apiKey)
    const exported = await exportCustomer(database, customer)
    const rows = exported.api_keys as Record<string, unknown>[]
    t.match(
      rows.find(({ key_id }) => key_id === getId(pending)),
      { replaces: id, overlap: String, lifetime: null },
    )
    t.notMatch(JSON.stringify(rows), 'secret')
    t.match(await eraseCustomer(database, customer), { rows: { api_keys: 2 } })
    t.equal((await login(pending)).json().code, 'invalid_api_key')
  },
)
