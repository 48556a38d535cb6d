import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import t from 'tap'
import { recordEvents } from '../../../app/audit/record.ts'
import { sealPending } from '../../../app/audit/sealer.ts'
import { verifyAudit } from '../../../app/audit/verify.ts'
import { createRedisCache } from '../../../app/cache/redis.ts'
import { parseSnapshot } from '../../../app/cache/snapshot.ts'
import { createSecrets } from '../../../app/config/secrets.ts'
import { createDb, createPool, operatorRole } from '../../../app/db/connect.ts'
import { migrate } from '../../../app/db/migrate.ts'
import { toRedisTag } from '../../../app/db/redis.ts'
import { eraseCustomer } from '../../../app/features/personal-data/erase.ts'
import { listCustomerTables, listKnownTables } from '../../../app/features/personal-data/tables.ts'
import { features } from '../../../app/features.ts'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { countWaiting, secrets } from '../../audit/trail.ts'
import { createCommandLine, run } from '../../command-line.ts'
import { addCustomer, closeAfter, createTestDatabase, until } from '../../helper.ts'
import { testPostgres, testRedis } from '../../servers.ts'
import { startService, untilReady } from '../../service.ts'

// Keeps PostgreSQL running between the tests of this file.
const keeper = await testPostgres()
t.teardown(() => keeper.stop())

const connect = (url: string, role?: string) =>
  createDb(createPool(url, { ...(role ? { role } : {}), max: 4, applicationName: 'test', onError: () => {} }))

/** All names and values in Redis. */
const everythingIn = async (redis: Redis): Promise<string> => {
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
  }
  const names = await redis.keys('*')
  const values = names.map(async (name) => {
    const read = readers[await redis.type(name)]
    if (!read) throw new Error(`how is ${name} read?`)
    return JSON.stringify(await read(name))
  })
  return [...names, ...(await Promise.all(values))].join('\n')
}

const erased = 'ricoh-company-ltd'
const kept = 'nxp-semiconductors-germany-gmbh'
const register = gunzipSync(
  readFileSync(join(import.meta.dirname, '../../data/certifications-2026-04-25.ndjson.gz')),
).toString()
type Line = { resource: string; customer: string; customer_name: string; id: string }
const lines = register
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Line)
const own = lines.filter(({ customer }) => customer === erased)

/** Strings that only the erased customer's records contain. */
const telling = (() => {
  const others = lines
    .filter(({ customer }) => customer !== erased)
    .map((line) => JSON.stringify(line))
    .join('\n')
  const strings = own
    .flatMap((line) => Object.values(line).flat())
    .filter((value) => typeof value === 'string')
  // No dates: the example data move with the day and may contain the same date.
  const isTelling = (text: string) => text.length >= 8 && !/["\\]|^\d{4}-\d\d-\d\d$/.test(text)
  const plain = [...new Set(strings)].filter(isTelling)
  return plain.filter((text) => !others.includes(text))
})()

const networks = ['127.0.0.0/8', '::1/128', 'fd00:5eed::/32']

t.test('exports and erases a real manufacturer completely', async (t) => {
  const server = await testPostgres()
  const redis = await testRedis()
  const superuser = connect(server.url)
  const folder = t.testdir()
  const env = {
    DATABASE_URL: server.url,
    SECRET_KEY: 's'.repeat(40),
    DATA_DIR: folder,
    ...(redis ? { REDIS_URL: redis.url } : {}),
  }
  t.teardown(async () => {
    await superuser.destroy()
    await server.stop()
    await redis?.stop()
  })
  const { cli, json } = createCommandLine(env)
  const query = async <Row>(text: string) => (await sql.raw<Row>(text).execute(superuser)).rows

  const file = join(folder, 'register.ndjson')
  writeFileSync(file, register)
  await cli('migrate')
  await cli('import', file)
  for (const slug of [erased, kept]) await cli('customers', 'set-plan', slug, 'premium')
  const { api_key: apiKey, key_id: keyId } = await json('keys', 'issue', erased)
  const secret = parseApiKey(apiKey)?.secret as string
  await cli('keys', 'networks', keyId, ...networks)
  const service = await startService(env)
  await untilReady(service)
  const login = (key: string) =>
    fetch(`${service.base}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: key }),
    })
  const { access_token: token } = (await (await login(apiKey)).json()) as { access_token: string }
  const ask = (path: string) => fetch(service.base + path, { headers: { authorization: `Bearer ${token}` } })

  const everything = async () => {
    const tables = await query<{ name: string }>(`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`)
    const rows = await Promise.all(
      tables.map(({ name }) => query<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`)),
    )
    return rows
      .flat()
      .map(({ row }) => row)
      .join('\n')
  }
  const traces = (text: string) =>
    [erased, keyId, secret, token, 'fd00:5eed::/32', ...telling].filter((each) => text.includes(each))

  await t.test('the customer is read and known before', async (t) => {
    t.ok(telling.length > 20, `${telling.length} strings that only this customer has`)
    const page = (await (await ask('/v1/products')).json()) as { data: unknown[] }
    t.ok(page.data.length > 0)
    t.ok(traces(await everything()).length >= telling.length)
  })

  const counts: Record<string, number> = {}
  await t.test('the export has every row of every table with the customer', async (t) => {
    const directory = join(folder, 'export')
    const { rows } = await json('customers', 'export', erased, '--output', directory)
    Object.assign(counts, rows)
    const stored = await listCustomerTables(superuser)
    t.ok(stored.length >= 8)
    for (const { name } of stored) {
      if (listKnownTables(features).get(name)?.isDerived) {
        t.notOk(name in rows, name)
        continue
      }
      const [found] = await query<{ n: number }>(
        `select count(*) as n from ${name} where customer_id = '${erased}'`,
      )
      t.equal(rows[name], found?.n, name)
    }
    const read = (table: string) =>
      readFileSync(join(directory, `${table}.ndjson`), 'utf8')
        .trimEnd()
        .split('\n')
    for (const resource of ['products', 'certificates', 'lab']) {
      const ids = read(resource).map((line) => JSON.parse(line).id)
      const expected = own.filter((line) => line.resource === resource).map(({ id }) => id)
      t.same(ids.sort(), expected.sort(), resource)
    }
    t.match(JSON.parse(read('customers')[0] as string), { customer_id: erased, plan: 'premium' })
    const keys = read('api_keys').map((line) => JSON.parse(line))
    t.match(
      keys.find((key) => key.key_id === keyId),
      { networks },
    )
    t.ok(read('audit').some((line) => JSON.parse(line).action === 'login'))
    const all = readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('')
    const digest = createHash('sha256').update(secret).digest()
    for (const form of [secret, digest.toString('hex'), digest.toString('base64')])
      t.notOk(all.includes(form))
    t.notMatch(all, kept)
    t.notMatch(all, /created_xid|"xid"|_sort"|"-?infinity"/)
    t.equal(statSync(directory).mode & 0o777, 0o700)
    t.equal(statSync(join(directory, 'products.ndjson')).mode & 0o777, 0o600)
    t.match(await cli('customers', 'export', erased, '--output', directory), { code: 1, stderr: /not empty/ })
  })

  await t.test('standard output has the same rows under their table', async (t) => {
    const { stdout, code } = await cli('customers', 'export', erased)
    t.equal(code, 0)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const [table, count] of Object.entries(counts)) {
      if (table === 'audit') continue
      t.equal(rows.filter((row) => row.table === table).length, count, table)
    }
    // Listing turns counted reads into entries, which are the newest.
    const newest = await json('audit', 'list', '--customer', erased, '--limit', '5')
    const last = newest.find(({ action }: { action: string }) => action !== 'reads')
    t.match(last, { action: 'customers.export', actor: 'operator', customer: erased })
    t.match(await cli('customers', 'export', 'nobody'), {
      code: 1,
      stdout: /^$/,
      stderr: /no customer nobody/,
    })
  })

  await t.test('an erasure needs --yes and an existing customer', async (t) => {
    const { code, stderr } = await cli('customers', 'erase', erased)
    t.equal(code, 1)
    t.match(stderr, `${counts.products} products`)
    t.match(stderr, /--yes/)
    t.match(await cli('customers', 'erase', 'nobody'), { code: 1, stderr: /no customer nobody/ })
    t.ok((await ask('/v1/products')).ok)
    t.match(await cli('customers', 'erase', 'demo', '--yes'), { code: 1, stderr: /example data/ })
    t.match(await cli('customers', 'erase', 'nobody', '--yes'), { code: 1, stderr: /no customer nobody/ })
    if (!redis) return
    const unreachable = await run(['customers', 'erase', erased, '--yes'], {
      env: { ...env, REDIS_URL: 'redis://127.0.0.1:1' },
    })
    t.match(unreachable, { code: 1, stderr: /Nothing was erased/ })
    t.ok((await ask('/v1/products')).ok)
  })

  const before = await query<{ name: string; n: number }>(
    `select customer_id as name, count(*) as n from certificates where customer_id <> '${erased}' group by 1 order by 1`,
  )

  await t.test('the erasure deletes rows, keys and the customer’s keys in Redis', async (t) => {
    const client = redis && new Redis(redis.url)
    if (redis) {
      const shared = createRedisCache({
        url: redis.url,
        secrets: createSecrets([env.SECRET_KEY]),
        epoch: () => 'epoch',
        ttlSeconds: 600,
        warn: () => {},
      })
      const entry = {
        snapshot: parseSnapshot('1:1:'),
        epoch: 'epoch',
        dependsOn: [],
        isAbsent: false,
        etag: '',
        encoded: new Map(),
      }
      await client?.ping()
      // The cache drops entries while it is connecting.
      while ((await client?.keys('certdata:*:products *'))?.length !== 2) {
        for (const customerId of [erased, kept])
          shared.set({ ...entry, customerId, key: `products ${customerId}`, body: Buffer.from(customerId) })
        await client?.ping()
      }
      await client?.set(`certdata:logins:${keyId}`, '1')
      await shared.close()
    }
    await ask('/v1/lab?limit=3')
    const result = await json('customers', 'erase', erased, '--yes')
    const rows = {
      products: counts.products,
      customers: 1,
      api_keys: 1,
    }
    t.match(result, { customer: erased, rows })
    const { audit: _, ...exported } = counts
    const { elements, record_words: words, ...others } = result.rows
    t.ok(elements > 0 && words > 0)
    t.same(others, exported, 'as many rows of every other table as were exported')
    t.ok(result.audit_entries >= (counts.audit ?? 0))
    if (client) {
      t.ok(result.redis_keys >= 2)
      t.same(traces(await everythingIn(client)), [])
      t.equal((await client.keys(`certdata:${toRedisTag(kept)}*`)).length, 1, 'others keep theirs')
      client.disconnect()
    }
  })

  await t.test('an erased customer gets no data and leaves no trace', async (t) => {
    t.equal((await login(apiKey)).status, 401)
    let status = 0
    await until('the token is refused', async () => {
      status = (await ask('/v1/products?limit=3')).status
      return status !== 200
    })
    t.equal(status, 401)
    t.equal(await service.stop(), 0, 'and what was counted meanwhile is written')
  })

  await t.test('no table, dump, log or cache contains data of the customer', async (t) => {
    t.same(traces(await everything()), [])
    t.same(traces(service.output()), [])
    const dump = await promisify(execFile)('pg_dump', [server.url], { maxBuffer: 2 ** 28 }).catch(
      (error: Error) => error.message,
    )
    // pg_dump may be missing or older than the server. The tables were read above.
    if (typeof dump === 'string') return t.comment(`no pg_dump: ${dump.split('\n')[1]}`)
    t.ok(dump.stdout.includes(kept), 'the dump has the others')
    t.same(traces(dump.stdout), [])
  })

  await t.test('the records of other customers are unchanged', async (t) => {
    const after = await query<{ name: string; n: number }>(
      `select customer_id as name, count(*) as n from certificates group by 1 order by 1`,
    )
    t.same(after, before)
  })

  await t.test('the chain still verifies, and records the erasure under a pseudonym', async (t) => {
    const head = [...service.output().matchAll(/"head":"(\d+:[\w-]{43})"/g)].at(-1)?.[1] as string
    const verified = await json('audit', 'verify', '--head', head)
    t.match(verified, { ok: true, compared_with: head })
    t.ok(verified.erased >= (counts.audit ?? 0))
    const entries = await json('audit', 'list', '--limit', '100000')
    const [erasure] = entries.filter(({ action }: { action: string }) => action === 'customers.erase')
    t.match(erasure, { actor: 'operator', customer: null, details: { rows: { products: counts.products } } })
    const bare = entries.filter(
      (entry: { customer_ref: string; action: string }) =>
        entry.customer_ref === erasure.customer_ref && entry.action !== 'customers.erase',
    )
    t.equal(bare.length, verified.erased)
    for (const { actor, customer, subject, client, details } of bare) {
      t.same([customer, subject, client, details], [null, null, null, null])
      t.ok(['key', 'operator', 'anonymous'].includes(actor))
    }
  })

  await t.test('a new customer with the same name starts empty', async (t) => {
    await json('customers', 'add', erased)
    const entries = await json('audit', 'list', '--customer', erased)
    t.match(entries, [{ action: 'customers.add', customer: erased }])
    t.equal(entries.length, 1)
  })
})

t.test('an entry in progress is erased with the others, and a later entry has no name', async (t) => {
  const database = await createTestDatabase()
  const superuser = connect(database.url)
  closeAfter(t, superuser, database)
  await addCustomer(database, 'acme')
  const login = { actor: 'key', action: 'login', customer: 'acme', keyId: 'k' } as const
  let erasing: Promise<unknown> | undefined
  await database.operator.transaction().execute(async (trx) => {
    await recordEvents(trx, [login])
    erasing = eraseCustomer(superuser, 'acme')
    await until('the erasure waits', async () => (await countWaiting(superuser)) > 0)
  })
  t.match(await erasing, { auditEntries: 1, rows: { customers: 1 } })
  await recordEvents(database.reader, [login])
  const { rows } = await sql<{ personal: string }>`select personal::text from audit_persons`.execute(
    superuser,
  )
  t.notMatch(JSON.stringify(rows), /acme/)
  await sealPending(database.reader, secrets)
  t.match(await verifyAudit(superuser, secrets), { fault: null, verified: 3, erased: 1 })
  t.equal(await eraseCustomer(superuser, 'acme'), undefined, 'again there is nothing to erase')
})

t.test('remains of a customer that was deleted by hand are erased too', async (t) => {
  const database = await createTestDatabase()
  const superuser = connect(database.url)
  closeAfter(t, superuser, database)
  await addCustomer(database, 'acme')
  await recordEvents(database.reader, [{ actor: 'key', action: 'login', customer: 'acme', keyId: 'k' }])
  await superuser.deleteFrom('customers').where('customer_id', '=', 'acme').execute()
  t.match(await eraseCustomer(superuser, 'acme'), { auditEntries: 1 })
  await sealPending(database.reader, secrets)
  t.match(await verifyAudit(superuser, secrets), { fault: null, erased: 1 })
})

t.test('the operator may read and delete in every table with customers', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  for (const { name } of await listCustomerTables(database.operator)) {
    const { rows } = await sql<{ may: boolean; policy: boolean }>`
      select has_table_privilege(${operatorRole}, ${name}, 'select')
          and has_table_privilege(${operatorRole}, ${name}, 'delete') as may,
        exists (select from pg_policies where tablename = ${name} and cmd = 'ALL'
          and ${operatorRole} = any(roles)) as policy`.execute(database.operator)
    t.same(rows, [{ may: true, policy: true }], name)
  }
})

t.test('an owner who is no superuser exports, erases and verifies', async (t) => {
  const database = await createTestDatabase()
  const admin = connect(database.url)
  const name = `owner_${process.pid}`
  const second = await testPostgres()
  const owner = connect(second.url, name)
  t.teardown(async () => {
    await owner.destroy()
    await second.stop()
    await sql`drop role if exists ${sql.id(name)}`.execute(admin)
    await admin.destroy()
    await database.close()
  })
  await sql`create role ${sql.id(name)} nologin`.execute(admin)
  await sql`grant certdata_reader, certdata_operator to ${sql.id(name)}`.execute(admin)
  const fresh = connect(second.url)
  await sql`grant all on schema public to ${sql.id(name)}`.execute(fresh)
  await fresh.destroy()
  await migrate(owner)
  await owner.insertInto('customers').values({ customer_id: 'acme', name: 'Acme' }).execute()
  await sql`insert into products (customer_id, id, name) values ('acme', 'p', 'P')`.execute(owner)
  await recordEvents(owner, [{ actor: 'operator', action: 'customers.add', customer: 'acme' }])
  // Security definer functions run as this owner, to whom forced row level security applies.
  await sealPending(owner, secrets)
  const copies = async () => (await sql`select from audit_copies`.execute(owner)).rows.length
  t.equal(await copies(), 1)
  t.match(await verifyAudit(owner, secrets), { fault: null, verified: 1 })
  t.match(await eraseCustomer(owner, 'acme'), { rows: { products: 1, customers: 1 }, auditEntries: 1 })
  t.equal(await copies(), 0)
  await sealPending(owner, secrets)
  t.match(await verifyAudit(owner, secrets), { fault: null, unsealed: 0 })
})
