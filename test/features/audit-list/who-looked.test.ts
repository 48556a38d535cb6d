import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { pruneAudit } from '../../../app/audit/prune.ts'
import { type AuditEvent, recordEvents } from '../../../app/audit/record.ts'
import { sealLock, sealPending } from '../../../app/audit/sealer.ts'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { openTrail, secrets } from '../../audit/trail.ts'
import { addCustomer, createTestApp, type Get, logIn } from '../../helper.ts'
import { eraseCustomer, withoutPersonalData } from '../../personal-data.ts'

const scopes = ['products:read', 'audit:read']

const open = async (test: Test) => {
  const { database, owner, verify } = await openTrail(test)
  const app = await createTestApp(database)
  test.teardown(() => app.close())
  const apiKey = await addCustomer(database, 'acme', { scopes })
  const other = await addCustomer(database, 'globex', { scopes })
  const keyId = parseApiKey(apiKey)?.keyId as string
  /** Makes all acts readable, as a minute later. */
  const seal = async () => {
    await app.audit.flush()
    await app.audit.seal(true)
  }
  return { database, owner, app, apiKey, other, keyId, seal, verify }
}

type Row = {
  id: string
  entry: { number: number; action: string; actor: string; key: string | null } & Record<string, unknown>
}

const ndjson = { accept: 'application/x-ndjson' }
const readAll = async (get: Get, path = '/v1/audit'): Promise<Row[]> => {
  const { body } = await get(path, ndjson)
  return body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
/** The numbers up to `last`, the greatest first. */
const countDown = (last: number): number[] => Array.from({ length: last }, (_, i) => last - i)

t.test('who may read the trail', async (t) => {
  const { app, database, apiKey } = await open(t)
  const unlimited = await addCustomer(database, 'acme')
  await addCustomer(database, 'demo')
  for (const path of ['/v1/audit', '/audit', '/webapi/v1/api.php/audit']) {
    const named = await logIn(app, apiKey)
    t.equal((await named.get(path)).statusCode, 200, path)
    const { get } = await logIn(app, unlimited)
    const refused = await get(path)
    t.match(refused.json(), { status: 403, code: 'insufficient_scope' }, 'a key without limits does not')
    t.match(refused.headers['www-authenticate'], /scope="audit:read"/)
    const demo = await app.inject({ url: path, headers: { authorization: 'Bearer cda_demo_public' } })
    t.match(demo.json(), { code: 'live_token_required' })
    t.equal((await app.inject(path)).statusCode, 401)
  }
})

t.test('a customer sees only its own entries', async (t) => {
  const { app, database, apiKey, other, keyId, seal } = await open(t)
  const { get } = await logIn(app, apiKey)
  const { get: getOther } = await logIn(app, other)
  await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: `${apiKey}x` } })
  for (const path of ['/v1/products', '/v1/products?limit=3', '/v1/lab']) {
    await get(path)
    await getOther(path)
  }
  const operatorActs: AuditEvent[] = [
    { actor: 'operator', action: 'keys.issue', customer: 'acme', subject: 'k2' },
    { actor: 'operator', action: 'customers.show', customer: 'acme' },
    { actor: 'operator', action: 'customers.show', customer: 'globex' },
    { actor: 'operator', action: 'customers.list' },
  ]
  await recordEvents(database.operator, operatorActs)
  await seal()

  const rows = await readAll(get)
  const acts = rows.map(({ entry: { action, actor } }) => `${actor} ${action}`)
  for (const act of ['key login', 'key reads', 'operator keys.issue', 'operator customers.show']) {
    t.ok(acts.includes(act), act)
  }
  t.notOk(acts.includes('operator customers.list'), 'what is of no customer is shown to none')
  t.notMatch(JSON.stringify(rows), /globex/)
  t.same(new Set(rows.map(({ entry }) => entry.customer)), new Set(['acme']))
  t.notOk(rows.some(({ entry: { key } }) => key === parseApiKey(other)?.keyId))
  const byOperator = rows.filter(({ entry }) => entry.actor === 'operator')
  for (const { entry } of byOperator) t.match(entry, { key: null, client: null, request_id: null })
  const reads = rows.find(({ entry: { action, details } }) => {
    return action === 'reads' && (details as { resource: string }).resource === 'lab'
  })
  t.match(reads?.entry, { key: keyId, outcome: 'refused', details: { status: 403, count: 1 } })

  const otherRows = await readAll(getOther)
  t.ok(otherRows.length > 3)
  t.notMatch(JSON.stringify(otherRows), /acme/)
  for (const list of [rows, otherRows]) {
    const numbers = list.map(({ entry }) => entry.number)
    t.same(
      numbers,
      numbers.map((_, index) => numbers.length - index),
      'numbered from 1 without gaps, the newest first',
    )
    t.same(
      list.map(({ id }) => id),
      numbers.map(String),
    )
  }

  await t.test('reading the trail is an entry of it', async (t) => {
    await get('/v1/audit?limit=2')
    await seal()
    const newest = await readAll(get, `/v1/audit?action=reads&key=${keyId}&limit=2`)
    const counted = newest.map(({ entry }) => entry.details as { resource: string; rows: number })
    t.same(
      counted.map(({ resource, rows }) => [resource, rows]).sort(),
      [
        ['audit', 2],
        ['audit', rows.length],
      ].sort(),
      'as lines and as a page',
    )
  })
})

t.test('a customer sees an entry only once it is sealed', async (t) => {
  const { app, database, owner, apiKey, seal } = await open(t)
  const { get } = await logIn(app, apiKey)
  const path = '/v1/audit?action=customers.show,login'
  await seal()
  const before = await readAll(get, path)
  await owner.transaction().execute(async (trx) => {
    // So that the service cannot seal.
    await sql`select pg_advisory_xact_lock(${sealLock}::bigint)`.execute(trx)
    await recordEvents(database.operator, [{ actor: 'operator', action: 'customers.show', customer: 'acme' }])
    t.same(await readAll(get, path), before)
  })
  await seal()
  const [newest, ...rest] = await readAll(get, path)
  t.equal(newest?.entry.action, 'customers.show')
  t.same(rest, before)
})

t.test('a reader that continues after its newest entry misses and repeats none', async (t) => {
  const { app, database, apiKey, seal } = await open(t)
  const { operator, reader } = database
  const { get } = await logIn(app, apiKey)
  const seen: number[] = []
  const readOn = async () => {
    const rows = await readAll(get, `/v1/audit?after=${seen.at(-1) ?? 0}`)
    seen.push(...rows.map(({ entry }) => entry.number).reverse())
  }
  const event = { actor: 'operator', action: 'customers.show', customer: 'acme' } as const
  let late = Promise.withResolvers<void>()
  let slow: Promise<void> = Promise.resolve()
  for (let round = 0; round < 15; round++) {
    // An entry that is older than entries which are sealed before it.
    const previous = { late, slow }
    late = Promise.withResolvers<void>()
    const mayCommit = late.promise
    slow = operator.transaction().execute(async (trx) => {
      await recordEvents(trx, [event])
      await mayCommit
    })
    const work = [recordEvents(operator, [event, event]), sealPending(reader, secrets), readOn()]
    previous.late.resolve()
    await Promise.all([...work, previous.slow, sealPending(reader, secrets)])
    await readOn()
  }
  late.resolve()
  await slow
  await seal()
  await readOn()
  const all = (await readAll(get, `/v1/audit?after=0&until=2999-01-01`)).map(({ entry }) => entry.number)
  t.ok(all.length >= 46)
  t.same(seen.toReversed(), countDown(seen.length))
  t.same(all.slice(-seen.length), seen.toReversed())
})

t.test('lists', async (t) => {
  const { app, database, apiKey, other, keyId, seal } = await open(t)
  const { get } = await logIn(app, apiKey)
  for (let i = 0; i < 3; i++) {
    await recordEvents(database.operator, [
      { actor: 'operator', action: 'customers.show', customer: 'acme' },
      { actor: 'anonymous', action: 'login', outcome: 'refused', keyId },
      { actor: 'key', action: 'login', customer: 'globex', keyId: parseApiKey(other)?.keyId },
    ])
    await seal()
  }
  const walk = async (path: string) => {
    const texts: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await get(`${path}${path.includes('?') ? '&' : '?'}limit=2${cursor}`)
      const { data, page } = JSON.parse(body)
      t.equal(page.limit, 2)
      t.equal(page.has_more, page.next_cursor !== null)
      texts.push(...data.map((row: object) => JSON.stringify(row)))
      if (!page.next_cursor) return texts
      cursor = `&cursor=${page.next_cursor}`
    }
  }
  await t.test('an export has the rows of all pages', async (t) => {
    for (const path of ['/v1/audit', '/v1/audit?action=login', '/v1/audit?after=2']) {
      const { body, headers } = await get(path, ndjson)
      t.equal(headers['content-type'], 'application/x-ndjson')
      t.match(headers['content-disposition'], /attachment; filename="audit-\d{4}-\d\d-\d\d\.ndjson"/)
      const lines = body.trimEnd().split('\n')
      t.ok(lines.length >= 3)
      t.same(await walk(path), lines, path)
    }
  })
  await t.test('Link leads to the next page', async (t) => {
    for (const path of [
      '/v1/audit?action=login,customers.show&limit=2',
      '/audit?limit=1&since=today-1d&after=1',
    ]) {
      const all = await walk(path.replace(/&?limit=\d/, ''))
      const texts: string[] = []
      for (let next: string | undefined = path; next !== undefined; ) {
        const { body, headers }: Awaited<ReturnType<Get>> = await get(next)
        const { data, page } = JSON.parse(body)
        texts.push(...data.map((row: object) => JSON.stringify(row)))
        next = /<http:\/\/api\.test(\/v1[^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
        t.equal(next !== undefined, page.has_more)
        if (next) t.match(next, page.next_cursor)
      }
      t.same(texts, all, path)
    }
    t.equal((await get('/v1/audit', ndjson)).headers.link, undefined)
  })
  await t.test('no cache stores an answer', async (t) => {
    for (const headers of [{}, ndjson]) {
      const answer = await get('/v1/audit', headers)
      t.equal(answer.headers['cache-control'], 'no-store')
      t.equal(answer.headers.etag, undefined)
      t.match(answer.headers['data-as-of'], /Z$/)
    }
  })
  await t.test('filters', async (t) => {
    const rows = await readAll(get)
    const middle = String((rows[3] as Row).entry.at)
    const at = encodeURIComponent(middle)
    const filters: [query: string, isWanted: (row: Row) => boolean][] = [
      ['action=login', ({ entry }) => entry.action === 'login'],
      [`key=${keyId}&outcome=refused`, ({ entry }) => entry.outcome === 'refused'],
      [`since=${at}`, ({ entry }) => String(entry.at) >= middle],
      [`until=${at}`, ({ entry }) => String(entry.at) < middle],
      ['since=today', () => true],
      ['since=today%2B1d', () => false],
      ['after=2', ({ entry }) => entry.number > 2],
      ['after=3&action=login', ({ entry }) => entry.number > 3 && entry.action === 'login'],
      ['after=999999999999999', () => false],
      ['limit=2', (row) => rows.indexOf(row) < 2],
    ]
    const ids = (list: Row[]) => list.map(({ id }) => id)
    for (const [query, isWanted] of filters)
      t.same(ids(await readAll(get, `/v1/audit?${query}`)), ids(rows.filter(isWanted)), query)
    t.equal(rows.filter(({ entry }) => entry.outcome === 'refused').length, 3)
  })
  await t.test('all faults are reported', async (t) => {
    const faulty = (await get('/v1/audit?actoin=login&since=yesterday&limit=0&outcome=good')).json()
    t.match(faulty, {
      status: 400,
      code: 'invalid_query',
      errors: [
        { parameter: 'actoin', code: 'unknown_parameter', did_you_mean: 'action' },
        { parameter: 'since', code: 'invalid_value' },
        { parameter: 'limit', code: 'invalid_value' },
        { parameter: 'outcome', code: 'invalid_value' },
      ],
    })
    t.equal(
      (await get('/v1/audit?actoin=login')).json().try,
      'http://api.test/v1/audit?action=login',
      'with what was meant',
    )
    t.match((await get('/v1/audit?action=foo')).json(), {
      code: 'invalid_query',
      errors: [{ parameter: 'action', code: 'invalid_value', detail: /audit\.list, .* webhooks\.test/ }],
    })
    t.match((await get('/v1/audit?action=login,kesy.issue')).json(), {
      errors: [{ parameter: 'action', did_you_mean: 'keys.issue' }],
      try: 'http://api.test/v1/audit?action=login,keys.issue',
    })
    for (const wrong of ['-1', '1.5', '01', '1000000000000000', '1,2', 'x']) {
      t.match((await get(`/v1/audit?after=${wrong}`)).json(), {
        errors: [{ parameter: 'after', detail: /number of an entry/ }],
      })
    }
    t.equal((await get('/v1/audit?format=csv')).statusCode, 406)
    t.match((await get('/v1/audit?format=ndjson&cursor=x')).json(), { errors: [{ parameter: 'cursor' }] })
    const { page } = (await get('/v1/audit?limit=1')).json()
    const cursor = page.next_cursor
    t.equal((await get(`/v1/audit?limit=1&action=login&cursor=${cursor}`)).json().code, 'invalid_cursor')
    t.equal((await get(`/v1/audit?limit=1&after=1&cursor=${cursor}`)).json().code, 'invalid_cursor')
    const { get: getOther } = await logIn(app, other)
    t.equal((await getOther(`/v1/audit?limit=1&cursor=${cursor}`)).json().code, 'invalid_cursor')
    const misspelt = (await getOther(`/v1/audit?limit=1&curser=${cursor}`)).json()
    t.match(misspelt.errors, [{ parameter: 'curser', did_you_mean: 'cursor' }])
    t.notOk('try' in misspelt, "no address with another customer's cursor is proposed")
    t.match((await get(`/v1/audit?limit=1&curser=${cursor}`)).json(), {
      try: `http://api.test/v1/audit?limit=1&cursor=${cursor}`,
    })
    t.match((await get('/v1/audit?limit=0&cursor=nonsense')).json(), {
      errors: [{ parameter: 'limit' }, { parameter: 'cursor' }],
    })
    t.notMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /acme|globex/)
  })
})

t.test('a pruning leaves the other entries and their numbers', async (t) => {
  const { app, owner, apiKey, seal, verify } = await open(t)
  const { get } = await logIn(app, apiKey)
  for (let i = 0; i < 4; i++) {
    for (let n = 0; n < 3; n++) await logIn(app, apiKey)
    await seal()
  }
  const rows = await readAll(get)
  const oldest = rows.find(({ entry }) => entry.number === 6) as Row
  const { pruned } = await pruneAudit(owner, secrets, String(oldest.entry.at))
  t.ok(pruned > 0)
  t.match(await verify(), { fault: null })
  const left = rows.filter(({ id }) => Number(id) >= 6)
  t.same((await readAll(get, '/v1/audit?action=login')).length, left.length)
  t.same((await readAll(get)).slice(-left.length), left)
  await t.test('numbers continue after pruning everything', async (t) => {
    await seal()
    const last = (await readAll(get))[0]?.entry.number as number
    await pruneAudit(owner, secrets, '2999-01-01T00:00:00Z')
    t.match(await verify(), { fault: null })
    await logIn(app, apiKey)
    await seal()
    const numbers = (await readAll(get, `/v1/audit?after=${last}`)).map(({ entry }) => entry.number)
    t.ok((numbers.at(-1) as number) > last)
    t.match(await verify(), { fault: null })
  })
})

const erases = { skip: withoutPersonalData }

t.test('an erasure leaves no trace of a customer, and the entries of others', erases, async (t) => {
  const { app, database, owner, apiKey, other, seal, verify } = await open(t)
  const { get } = await logIn(app, apiKey)
  const { get: getOther } = await logIn(app, other)
  await getOther('/v1/products')
  await seal()
  const before = await readAll(get)
  // The login below is not sealed.
  await getOther('/v1/products')
  await seal()
  await logIn(app, other)
  await eraseCustomer(database, 'globex')
  await seal()
  t.match(await verify(), { fault: null })
  t.same((await readAll(get)).slice(-before.length), before)
  const tables = ['audit_copies', 'audit_numbers', 'audit_persons', 'audit_entries', 'audit_seals']
  const texts = await Promise.all(
    tables.map((name) =>
      sql<{ row: string }>`select row_to_json(x)::text as row from ${sql.table(name)} x`.execute(owner),
    ),
  )
  t.notMatch(JSON.stringify(texts), /globex/)
  await t.test('a new customer with the same name begins with number 1', async (t) => {
    const again = await logIn(app, await addCustomer({ operator: owner }, 'globex', { scopes }))
    await seal()
    t.same(
      (await readAll(again.get)).map(({ entry: { number, action } }) => [number, action]),
      [[1, 'login']],
    )
    t.match(await verify(), { fault: null })
  })
})
