import { sql } from 'kysely'
import t from 'tap'
import { parsePublishedKeys } from '../../app/identity/client-keys.ts'
import { connectOwner, createTestApp, createTestDatabase, publicUrl, until } from '../helper.ts'
import { hostName, startInternet } from '../outbound.ts'
import { postForm } from './post-form.ts'
import {
  addSigningClient,
  assertFor,
  getJwk,
  grantWith,
  makeKeys,
  type SigningClient,
} from './signing-client.ts'

const database = await createTestDatabase()
const internet = await startInternet()
const clock = { offsetMs: 0, isStopped: true }
const options = { outbound: internet.outbound, clock }
const apps = [await createTestApp(database, options), await createTestApp(database, options)] as const
t.teardown(async () => {
  for (const app of apps) await app.close()
  internet.close()
  await database.close()
})
const { operator } = database
const jwksUri = `https://${hostName}/jwks.json`

t.beforeEach(() => {
  internet.requests = 0
  internet.lookups = 0
})

const publish = (...keys: unknown[]) => {
  internet.answer = (_request, response) => void response.end(JSON.stringify({ keys }))
}
const logIn = async (each: SigningClient, index: 0 | 1 = 0, header = {}) =>
  (await postForm(apps[index], 'token', grantWith(await assertFor(each, publicUrl, {}, header)))).statusCode
/** Advances the database by a minute, and the instances until they query it again. */
const passMinute = async (each: SigningClient, interval = '61 seconds') => {
  await sql`update client_key_sets set asked_at = asked_at - ${interval}::interval,
    read_at = read_at - ${interval}::interval where key_id = ${each.id}`.execute(operator)
  clock.offsetMs += 3_300
}
const lastReason = async (keyId: string) => {
  const { rows } = await sql<{ reason: string | null }>`
    select p.personal->'details'->>'reason' as reason
    from audit_entries e join audit_persons p on p.entry_id = e.entry_id
    where p.personal->>'key' = ${keyId} order by e.entry_id desc limit 1`.execute(operator)
  return rows[0]?.reason
}

t.test('keys are fetched from the client’s address, once a minute for all instances', async (t) => {
  const each = await addSigningClient(database, { jwksUri })
  publish(
    { kty: 'oct', k: 'eA' },
    getJwk(makeKeys.ES256().publicKey, { kid: 'b' }),
    getJwk(each.publicKey, { kid: 'a' }),
  )
  t.equal(await logIn(each), 200)
  for (const index of [0, 1, 0, 1] as const) t.equal(await logIn(each, index, { kid: 'a' }), 200)
  t.equal(internet.requests, 1)
  for (let i = 0; i < 20; i++) t.equal(await logIn(each, i % 2 ? 0 : 1, { kid: 'unknown' }), 401)
  clock.offsetMs += 3_300
  t.equal(await logIn(each, 1, { kid: 'unknown' }), 401)
  t.equal(internet.requests, 1, 'an unknown kid reads nothing earlier')
  await passMinute(each)
  await Promise.all(Array.from({ length: 10 }, (_, i) => logIn(each, i % 2 ? 0 : 1)))
  t.equal(internet.requests, 2)
})

t.test('a newly published key is accepted within a minute, and a removed one refused', async (t) => {
  const each = await addSigningClient(database, { jwksUri })
  publish(getJwk(each.publicKey))
  t.equal(await logIn(each), 200)
  const fresh = { ...each, ...makeKeys.EdDSA() }
  publish(getJwk(fresh.publicKey))
  await passMinute(each)
  t.equal(await logIn(fresh), 200)
  clock.offsetMs += 3_300
  for (const index of [0, 1] as const) {
    t.equal(await logIn(each, index), 401)
    t.equal(await logIn(fresh, index), 200)
  }
})

t.test('while one instance fetches the keys, another one waits for them', async (t) => {
  const each = await addSigningClient(database, { jwksUri })
  const known = await addSigningClient(database, { jwksUri })
  const other = await addSigningClient(database)
  publish(getJwk(known.publicKey))
  t.equal(await logIn(known), 200)
  await passMinute(known)
  const cases = [
    ['the first login', each],
    ['a new key', { ...known, ...makeKeys.EdDSA() }],
  ] as const
  for (const [what, signer] of cases) {
    const isAsked = Promise.withResolvers<void>()
    const mayAnswer = Promise.withResolvers<void>()
    internet.answer = async (_request, response) => {
      isAsked.resolve()
      await mayAnswer.promise
      response.end(JSON.stringify({ keys: [getJwk(signer.publicKey)] }))
    }
    const first = logIn(signer, 0)
    await isAsked.promise
    const second = logIn(signer, 1)
    // Their statements come after the first statement of `second`.
    for (let n = 0; n < 3; n++) t.equal(await logIn(other, 1), 200)
    mayAnswer.resolve()
    t.strictSame(await Promise.all([first, second]), [200, 200], what)
  }
})

t.test('while an address fails, another instance waits until the fetch must be over', async (t) => {
  const each = await addSigningClient(database, { jwksUri })
  publish(getJwk(each.publicKey))
  t.equal(await logIn(each, 0), 200)
  internet.answer = (_request, response) => void response.writeHead(500).end()
  await passMinute(each)
  t.equal(await logIn(each, 0), 200)
  t.equal(await logIn(each, 0), 200, 'the instance that fetched does not wait')
  const waiting = logIn(each, 1)
  await sql`update client_key_sets set asked_at = asked_at - interval '3.3 seconds'
    where key_id = ${each.id}`.execute(operator)
  t.equal(await waiting, 200)
  t.equal(internet.requests, 2)
})

t.test('nothing is fetched for a client that is unknown, revoked, or sends a bad assertion', async (t) => {
  const each = await addSigningClient(database, { jwksUri })
  publish(getJwk(each.publicKey))
  t.equal(await logIn({ ...each, id: 'nosuchclient0000' }), 401)
  for (const claims of [{ aud: 'https://elsewhere.example' }, { exp: 1 }, { jti: undefined }]) {
    await postForm(apps[0], 'token', grantWith(await assertFor(each, publicUrl, claims)))
  }
  await sql`update api_keys set revoked_at = now() where key_id = ${each.id}`.execute(operator)
  await until('revoked', async () => (await apps[0].principals.findKey(each.id))?.revoked === true)
  t.equal(await logIn(each), 401)
  t.match(internet, { requests: 0, lookups: 0 })
})

t.test('while the address fails, the last keys are valid for an hour', async (t) => {
  const each = await addSigningClient(database, { jwksUri })
  publish(getJwk(each.publicKey))
  t.equal(await logIn(each), 200)
  internet.answer = (_request, response) => void response.writeHead(500).end()
  await passMinute(each)
  t.equal(await logIn(each), 200)
  await passMinute(each)
  t.equal(await logIn(each, 1), 200)
  t.equal(internet.requests, 3)
  await passMinute(each, '1 hour')
  t.equal(await logIn(each), 401)
  t.equal(await lastReason(each.id), 'jwks_unavailable')
  publish(getJwk(each.publicKey))
  await passMinute(each)
  t.equal(await logIn(each), 200)
})

t.test('refuses an answer that is too large, a redirect or not a key set', async (t) => {
  const answers: Record<string, typeof internet.answer> = {
    redirect: (_request, response) => void response.writeHead(302, { location: jwksUri }).end(),
    html: (_request, response) => void response.end('<html>'),
    key: (_request, response) => void response.end(JSON.stringify(getJwk(makeKeys.EdDSA().publicKey))),
    large: (_request, response) => void response.end(`{"keys": [], "x": "${'x'.repeat(70_000)}"}`),
    many: (_request, response) =>
      void response.end(JSON.stringify({ keys: Array(11).fill(getJwk(makeKeys.EdDSA().publicKey)) })),
    missing: (_request, response) => void response.writeHead(404).end('{"keys": []}'),
  }
  for (const [name, answer] of Object.entries(answers)) {
    const each = await addSigningClient(database, { jwksUri })
    internet.answer = answer
    t.equal(await logIn(each), 401, name)
    t.equal(await lastReason(each.id), 'jwks_unavailable', name)
  }
  const unsuitable = Array(10).fill({ kty: 'oct' })
  const good = getJwk(makeKeys.EdDSA().publicKey)
  t.equal(parsePublishedKeys({ keys: [...unsuitable, good] }).length, 1, 'unsuitable keys do not count')
  t.throws(() => parsePublishedKeys({ keys: Array(101).fill({ kty: 'oct' }) }), /at most 100 keys/)
  const each = await addSigningClient(database, { jwksUri })
  publish()
  t.equal(await logIn(each), 401)
  t.equal(await lastReason(each.id), 'assertion_signature', 'an empty set is a set')
})

t.test('a login is 503 if the database cannot store the fetched keys', async (t) => {
  const owner = connectOwner(database)
  await sql
    .raw(`create function fail_keys() returns trigger language plpgsql as $$
      begin raise exception using errcode = 'disk_full'; end $$;
    create trigger fail_keys before update on client_key_sets for each row
      when (new.jwks is distinct from old.jwks) execute function fail_keys()`)
    .execute(owner)
  t.teardown(async () => {
    await sql`drop function fail_keys cascade`.execute(owner)
    await owner.destroy()
  })
  const each = await addSigningClient(database, { jwksUri })
  publish(getJwk(each.publicKey))
  t.equal(await logIn(each), 503)
})

t.test('never connects to an address that is not public', async (t) => {
  const before = internet.addresses
  t.teardown(() => {
    internet.addresses = before
  })
  const each = await addSigningClient(database, { jwksUri })
  publish(getJwk(each.publicKey))
  internet.addresses = [['169.254.169.254']]
  t.equal(await logIn(each), 401)
  t.match(internet, { requests: 0, lookups: 1 })
})

t.test('a new address of a client applies immediately, and its previous keys do not', async (t) => {
  const each = await addSigningClient(database, { jwksUri })
  publish(getJwk(each.publicKey))
  t.equal(await logIn(each), 200)
  const fresh = { ...each, ...makeKeys.EdDSA() }
  publish(getJwk(fresh.publicKey))
  await sql`update api_keys set jwks_uri = ${`${jwksUri}?2`} where key_id = ${each.id}`.execute(operator)
  await until('the new address', async () => (await logIn(fresh)) === 200)
  t.equal(await logIn(each), 401)
  t.equal(internet.requests, 2)
})
