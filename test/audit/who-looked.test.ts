import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { ChainHead } from '../../app/audit/chain.ts'
import { pruneAudit } from '../../app/audit/prune.ts'
import { type AuditEvent, recordEvents } from '../../app/audit/record.ts'
import { signRoots } from '../../app/audit/roots.ts'
import { signStatement } from '../../app/audit/statement.ts'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { rotateSigningKeys } from '../../app/identity/key-rotation.ts'
import { eraseCustomer } from '../../app/operator/gdpr/erase.ts'
import { listExamples } from '../clients/examples.ts'
import { addCustomer, createTestApp, type Get, logIn, until } from '../helper.ts'
import { postForm } from '../identity/post-form.ts'
import { createSigner, findFaultAfter, openTrail, secrets } from './trail.ts'

const scopes = ['products:read', 'audit:read']

/** Only `publish` makes roots, so that no test depends on second 20 of a minute. `isTimed`: roots as in operation. */
const open = async (test: Test, { isTimed = false } = {}) => {
  const { database, owner, verify } = await openTrail(test)
  if (!isTimed) {
    await sql`create or replace function audit_root_cut(at timestamptz) returns timestamptz
      language sql stable parallel safe as $$ select timestamptz '-infinity' $$`.execute(owner)
  }
  const app = await createTestApp(database)
  test.teardown(() => app.close())
  const apiKey = await addCustomer(database, 'acme', { scopes })
  const other = await addCustomer(database, 'globex', { scopes })
  const keyId = parseApiKey(apiKey)?.keyId as string
  /** Makes all acts readable, as a minute later. */
  const publish = async () => {
    await app.audit.flush()
    await app.audit.seal(true)
    await app.audit.publish()
  }
  return { database, owner, app, apiKey, other, keyId, publish, verify }
}

type Row = {
  id: string
  entry: { number: number; action: string; actor: string; key: string | null } & Record<string, unknown>
  proof: { root: number; index: number; salt: string; path: string[] }
}
type Root = { id: string; at: string; statement: string; key: object }

const ndjson = { accept: 'application/x-ndjson' }
const listLines = <T>(body: string): T[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const readAll = async <T = Row>(get: Get, path = '/v1/audit') => listLines<T>((await get(path, ndjson)).body)

const guide = readFileSync(join(import.meta.dirname, '../../docs/who-looked.md'), 'utf8')
const verifier = listExamples('who-looked', guide).find(({ language }) => language === 'js')?.code ?? ''

type Files = { audit: Row[]; roots: Root[]; jwks: { keys: object[] } }

/** Returns the output of the guide's program for these files. */
const freshness = async (test: Test, { audit, roots, jwks }: Files): Promise<string> => {
  const folder = test.testdir()
  const write = (name: string, rows: readonly object[]) =>
    writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  write('audit.ndjson', audit)
  write('roots.ndjson', roots)
  write('jwks.json', [jwks])
  // A worker cannot change its working directory.
  const program = verifier.replace('readFileSync(file', `readFileSync(${JSON.stringify(`${folder}/`)} + file`)
  writeFileSync(join(folder, 'verify.mjs'), program)
  const worker = new Worker(join(folder, 'verify.mjs'), { stdout: true, stderr: true })
  const [stdout, stderr] = await Promise.all([text(worker.stdout), text(worker.stderr)])
  return (stderr || stdout).trim()
}

const download = async (app: FastifyInstance, get: Get): Promise<Files> => ({
  audit: await readAll(get),
  roots: await readAll<Root>(get, '/v1/audit/roots'),
  jwks: (await app.inject('/.well-known/jwks.json')).json(),
})

t.test('who may read the trail', async (t) => {
  const { app, database, apiKey } = await open(t)
  const unlimited = await addCustomer(database, 'acme')
  await addCustomer(database, 'demo')
  const token = (key: string, form: Record<string, string>) =>
    postForm(app, 'token', {
      grant_type: 'client_credentials',
      ...{ client_id: parseApiKey(key)?.keyId ?? '', client_secret: key, ...form },
    })
  for (const path of ['/v1/audit', '/audit', '/webapi/v1/api.php/audit', '/v1/audit/roots']) {
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
  const narrow = await token(apiKey, { scope: 'audit:read' })
  t.match(narrow.json(), { scope: 'audit:read' })
  t.equal((await token(unlimited, { scope: 'audit:read' })).json().error, 'invalid_scope')
  t.notMatch((await token(unlimited, {})).json().scope, 'audit:read')
  const metadata = (await app.inject('/.well-known/oauth-authorization-server')).json()
  t.ok(metadata.scopes_supported.includes('audit:read'))
})

t.test('a customer sees only its own entries', async (t) => {
  const { app, database, apiKey, other, keyId, publish } = await open(t)
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
  t.same(await readAll(get), [], 'not before the root of their minute')
  await publish()

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
    await publish()
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

t.test('lists', async (t) => {
  const { app, database, apiKey, other, keyId, publish } = await open(t)
  const { get } = await logIn(app, apiKey)
  for (let i = 0; i < 3; i++) {
    await recordEvents(database.operator, [
      { actor: 'operator', action: 'customers.show', customer: 'acme' },
      { actor: 'anonymous', action: 'login', outcome: 'refused', keyId },
      { actor: 'key', action: 'login', customer: 'globex', keyId: parseApiKey(other)?.keyId },
    ])
    await publish()
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
    // These reads are not published, so they do not change the rows.
    for (const path of ['/v1/audit', '/v1/audit?action=login', '/v1/audit/roots']) {
      const { body, headers } = await get(path, ndjson)
      t.equal(headers['content-type'], 'application/x-ndjson')
      t.match(headers['content-disposition'], /attachment; filename="audit(-roots)?-\d{4}-\d\d-\d\d\.ndjson"/)
      const lines = body.trimEnd().split('\n')
      t.ok(lines.length >= 3)
      t.same(await walk(path), lines, path)
    }
  })
  await t.test('Link leads to the next page', async (t) => {
    for (const path of [
      '/v1/audit?action=login,customers.show&limit=2',
      '/audit/roots?limit=1&since=today-1d',
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
      ['after_root=2', ({ proof }) => proof.root > 2],
      ['limit=2', (row) => rows.indexOf(row) < 2],
    ]
    const ids = (list: Row[]) => list.map(({ id }) => id)
    for (const [query, isWanted] of filters)
      t.same(ids(await readAll(get, `/v1/audit?${query}`)), ids(rows.filter(isWanted)), query)
    t.equal(rows.filter(({ entry }) => entry.outcome === 'refused').length, 3)
    const roots = await readAll<Root>(get, '/v1/audit/roots?id=1,3')
    t.same(
      roots.map(({ id }) => id),
      ['3', '1'],
    )
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
    t.equal((await get('/v1/audit?format=csv')).statusCode, 406)
    t.match((await get('/v1/audit?format=ndjson&cursor=x')).json(), { errors: [{ parameter: 'cursor' }] })
    const { page } = (await get('/v1/audit?limit=1')).json()
    const cursor = page.next_cursor
    t.equal((await get(`/v1/audit?limit=1&action=login&cursor=${cursor}`)).json().code, 'invalid_cursor')
    t.equal((await get(`/v1/audit/roots?cursor=${cursor}`)).json().code, 'invalid_cursor')
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

t.test('the program of the guide', async (t) => {
  const { app, database, apiKey, other, publish } = await open(t)
  const { get } = await logIn(app, apiKey)
  for (let i = 0; i < 3; i++) {
    await logIn(app, other)
    await get('/v1/products')
    await recordEvents(database.operator, [
      { actor: 'operator', action: 'customers.show', customer: 'acme', subject: 'Übung "1"\n\u0007\\ 𝄞' },
    ])
    await publish()
  }
  const files = await download(app, get)
  t.ok(files.audit.length >= 6)
  t.equal(files.roots.length, 3)
  const proofs = files.audit.map(({ proof }) => proof)
  t.ok(proofs.some(({ path }) => path.length >= 2))
  t.equal(
    await freshness(t, files),
    `${files.audit.length} entries and 3 roots are good`,
    'finds good what is good',
  )

  type Change = (files: Files) => void
  const getRow = ({ audit }: Files, index = 2) => audit[index] as Row
  const resigned = (statement: string) => {
    const key = createSigner()
    const said = JSON.parse(Buffer.from(statement.split('.')[1] ?? '', 'base64url').toString())
    return { statement: signStatement(key, said), key: key.jwk }
  }
  const changes: [string, Change, RegExp][] = [
    ['a forged entry', (files) => Object.assign(getRow(files).entry, { action: 'logout' }), /does not lead/],
    [
      'a forged detail',
      (files) => Object.assign(getRow(files).entry, { details: null, subject: 'x' }),
      /does not/,
    ],
    ['a removed entry', ({ audit }) => audit.splice(2, 1), /entry \d+ is missing/],
    ['a copied entry', ({ audit }) => audit.splice(2, 0, audit[1] as Row), /is missing/],
    [
      'a swapped salt',
      (files) => Object.assign(getRow(files).proof, { salt: getRow(files, 3).proof.salt }),
      /does not lead/,
    ],
    [
      'another place',
      (files) => {
        const { proof } = files.audit.find((row) => row.proof.path.length > 0) as Row
        proof.index = proof.index === 0 ? 1 : 0
      },
      /does not lead/,
    ],
    [
      'a place beyond the tree',
      (files) => Object.assign(getRow(files).proof, { index: getRow(files).proof.index + 1_024 }),
      /does not lead/,
    ],
    ['another root', (files) => Object.assign(getRow(files).proof, { root: 999 }), /does not lead/],
    [
      'a wrong signature',
      ({ roots }) => {
        const [header, payload] = (roots[0] as Root).statement.split('.')
        const { statement } = resigned((roots[0] as Root).statement)
        Object.assign(roots[0] as Root, { statement: `${header}.${payload}.${statement.split('.')[2]}` })
      },
      /root 3 has a wrong signature/,
    ],
    [
      'a foreign key',
      ({ roots }) => Object.assign(roots[0] as Root, resigned((roots[0] as Root).statement)),
      /unknown key/,
    ],
    [
      'a foreign key of an older root',
      ({ roots }) => Object.assign(roots[1] as Root, resigned((roots[1] as Root).statement)),
      /root 2 is not the one before 3/,
    ],
    ['a root taken out', ({ roots }) => roots.splice(1, 1), /root 1 is not the one before 3/],
    [
      'a token in place of a root',
      ({ roots }) => {
        const statement = token
        Object.assign(roots[0] as Root, { statement })
      },
      /unknown key/,
    ],
  ]
  const { token } = await logIn(app, apiKey)
  for (const [name, change, said] of changes) {
    const changed = structuredClone(files)
    change(changed)
    t.match(await freshness(t, changed), said, name)
  }
  const asToken = await app.inject({
    url: '/v1/me',
    headers: { authorization: `Bearer ${files.roots[0]?.statement}` },
  })
  t.equal(asToken.json().code, 'invalid_token', 'a root is no token')

  await t.test('still proves old roots after their key was removed from the key set', async (t) => {
    const before = new Set((files.jwks.keys as { kid: string }[]).map(({ kid }) => kid))
    await rotateSigningKeys(database.operator, secrets, 0)
    await rotateSigningKeys(database.operator, secrets, 0)
    await app.signingKeys.refresh()
    await logIn(app, other)
    await publish()
    const after = await download(app, get)
    after.jwks.keys = (after.jwks.keys as { kid: string }[]).filter(({ kid }) => !before.has(kid))
    t.equal(after.jwks.keys.length, 2)
    t.match(await freshness(t, after), /4 roots are good/)
    after.roots.shift()
    t.match(
      await freshness(t, after),
      /unknown key|does not lead/,
      'but not without a newer root that leads there',
    )
  })
})

t.test('the task that runs each second makes a root only when one is due', async (t) => {
  const { app, owner, database, apiKey } = await open(t, { isTimed: true })
  const { get } = await logIn(app, apiKey)
  await app.audit.seal(true)
  const entry = { actor: 'operator', action: 'customers.show', customer: 'acme' } as const
  await recordEvents(database.operator, [entry])
  await app.audit.seal(true)
  // In the future, because a seal from before second 20 would be due already.
  await sql`update audit_seals set sealed_at = clock_timestamp() + interval '1 minute'`.execute(owner)
  const before = (await readAll(get)).length
  await app.audit.seal(true)
  t.equal((await readAll(get)).length, before, 'its minute is not over')
  await sql`update audit_seals set sealed_at = clock_timestamp() - interval '1 minute'`.execute(owner)
  await app.audit.seal(true)
  // The periodic task of the service may be making it.
  await until('the root is there', async () => (await readAll(get)).length > before)
})

t.test('verification finds changes by a superuser in roots and copies', async (t) => {
  const { app, owner, database, apiKey, publish, verify } = await open(t)
  for (let i = 0; i < 3; i++) {
    await logIn(app, apiKey)
    await recordEvents(database.operator, [
      { actor: 'operator', action: 'customers.list' },
      { actor: 'operator', action: 'customers.show', customer: 'globex' },
    ])
    await publish()
  }
  t.match(await verify(), { fault: null, roots: 3 })
  const [{ statement } = { statement: '' }] = (
    await sql<{ statement: string }>`select statement from audit_roots where root_no = 2`.execute(owner)
  ).rows
  const foreign = createSigner()
  const said = JSON.parse(Buffer.from(statement.split('.')[1] ?? '', 'base64url').toString())
  const forged = signStatement(foreign, said)

  const after = async (statements: string) => (await findFaultAfter(owner, statements))?.reason
  t.equal(await after('select 1'), undefined)
  const acme = `customer_id = 'acme' and number = 1`
  const cases: [string, RegExp][] = [
    [
      `update audit_copies set entry = replace(entry::text, 'login', 'logout')::json where ${acme}`,
      /copy .* changed/,
    ],
    [`update audit_copies set salt = sha256('x') where ${acme}`, /copy .* changed/],
    [`delete from audit_copies where ${acme}`, /copy .* deleted/],
    [`delete from audit_copies`, /copy .* deleted/],
    ...[
      "action = 'reads'",
      "outcome = 'refused'",
      "key_id = 'other'",
      'key_id = null',
      "at = at - interval '1 day'",
    ].map((change): [string, RegExp] => [
      `update audit_copies set ${change} where ${acme}`,
      /copy .* changed/,
    ]),
    [`update audit_copies set number = 999 where ${acme}`, /copy .* changed/],
    [`update audit_copies set customer_id = 'globex', number = 999 where ${acme}`, /copy .* changed/],
    [
      `insert into audit_copies (customer_id, number, entry_id, at, action, outcome, salt, entry)
        select customer_id, 999, 999999, at, action, outcome, salt, entry from audit_copies where ${acme}`,
      /copy .* inserted/,
    ],
    [
      `insert into audit_copies (customer_id, number, entry_id, at, action, outcome, salt, entry)
        select 'acme', 999, e.entry_id, e.at, e.action, e.outcome, sha256('x'), '{}' from audit_entries e
        where e.action = 'customers.list' limit 1`,
      /copy .* inserted/,
    ],
    [`update audit_copies set path = sha256('x') where ${acme}`, /root 1: the proof/],
    [`update audit_copies set leaf_index = leaf_index # 1 where ${acme}`, /root 1: the proof/],
    [`update audit_copies set root_no = 2 where ${acme}`, /root 1: the proof/],
    [`update audit_copies set root_no = null where ${acme}`, /root 1: the proof/],
    [`update audit_seals set number = number + 1 where number = 1`, /number or the salt/],
    [`update audit_seals set leaf = sha256('x') where seal_no = 2`, /entry or its seal/],
    [
      `alter table audit_seals alter leaf drop not null; update audit_seals set leaf = null where seal_no = 2`,
      /entry or its seal/,
    ],
    [`update audit_roots set leaves = leaves || leaves where root_no = 2`, /root 2: its leaves/],
    [`update audit_roots set leaves = sha256('x') where root_no = 2`, /root 2: its leaves/],
    [
      `update audit_roots set statement = '${forged}', kid = '${foreign.kid}' where root_no = 2`,
      /root 2: its signature/,
    ],
    [
      `insert into audit_root_keys (kid, public_jwk, mac) values ('${foreign.kid}', '${JSON.stringify(foreign.jwk)}', sha256('x'));
       update audit_roots set statement = '${forged}', kid = '${foreign.kid}' where root_no = 2`,
      /root 2: its signature/,
    ],
    [
      `update audit_roots set statement = (select statement from audit_roots where root_no = 1) where root_no = 2`,
      /root 2/,
    ],
    [
      `update audit_roots set statement = '${statement.split('.').slice(0, 2).join('.')}.${forged.split('.')[2]}' where root_no = 2`,
      /root 2: its signature/,
    ],
    [`delete from audit_roots where root_no = 2`, /root 3: it does not name/],
    [`delete from audit_roots where root_no = 1`, /root of the entry was deleted/],
    [`delete from audit_roots where root_no in (1, 2)`, /root of the entry was deleted/],
    [`update audit_roots set at = at - interval '1 day' where root_no = 2`, /root 2: it differs from/],
    [`update audit_roots set kid = 'other' where root_no = 2`, /root 2: its signature/],
    [`update audit_roots set first_seal = first_seal + 1 where root_no = 1`, /root of the entry was deleted/],
    [`update audit_roots set first_seal = first_seal + 1 where root_no = 2`, /root 2: seals before it/],
    [`update audit_root_head set last_seal = last_seal + 1`, /newest root was deleted or replaced/],
    [`delete from audit_root_head`, /newest root was deleted or replaced/],
    [
      `delete from audit_roots; update audit_root_head set root_no = 0, digest = null`,
      /root of the entry was deleted/,
    ],
    [
      `delete from audit_roots where root_no = 3; update audit_root_head h set root_no = 2, last_seal = r.last_seal,
        digest = sha256(convert_to(r.statement, 'UTF8')) from audit_roots r where r.root_no = 2`,
      /root of the entry was deleted/,
    ],
    [`delete from audit_roots where root_no = 3`, /newest root was deleted/],
    [`delete from audit_roots`, /newest root was deleted/],
    [
      `create temporary table cut as select entry_id, seal_no from audit_seals
        where seal_no >= (select first_seal from audit_roots where root_no = 3);
       delete from audit_entries where entry_id in (select entry_id from cut);
       delete from audit_seals where seal_no in (select seal_no from cut)`,
      /copy of the entry was inserted/,
    ],
    [
      `create temporary table cut as select entry_id, seal_no from audit_seals
        where seal_no >= (select first_seal from audit_roots where root_no = 3);
       delete from audit_entries where entry_id in (select entry_id from cut);
       delete from audit_copies where entry_id in (select entry_id from cut);
       delete from audit_seals where seal_no in (select seal_no from cut)`,
      /root 3: it belongs to another chain/,
    ],
    [
      `update audit_roots set last_seal = last_seal - 1 where root_no = 1`,
      /root 1: it belongs to another chain/,
    ],
  ]
  for (const [statements, expected] of cases) t.match(await after(statements), expected, statements)
})

t.test('verification finds changes by a superuser in a whole trail', async (t) => {
  const { reader, operator, owner, seal } = await openTrail(t)
  const signer = createSigner()
  const reasonAfter = async (statements: string, published?: ChainHead) =>
    (await findFaultAfter(owner, statements, published))?.reason
  let head: ChainHead | undefined
  for (let root = 1; root <= 2; root++) {
    const customers = ['acme', 'globex', 'acme', undefined]
    await recordEvents(
      operator,
      customers.map((customer) => ({ actor: 'operator', action: 'customers.show', customer })),
    )
    await sql`update audit_entries set at = at - interval '20 minutes'
      where entry_id in (select entry_id from audit_pending)`.execute(owner)
    head = await seal()
    if (root === 2) {
      const late = "update audit_seals set sealed_at = now() - interval '20 minutes'"
      t.equal(await reasonAfter('select 1'), undefined, 'sealed late: the root is not due yet')
      t.match(await reasonAfter(late), /has no root after ten minutes/, 'no instance runs')
    }
    await signRoots(reader, secrets, signer, 'all')
  }
  const [{ ref } = { ref: '' }] = (
    await sql<{
      ref: string
    }>`select audit_ref::text as ref from customers where customer_id = 'acme'`.execute(owner)
  ).rows
  const cutRoots = (after: number, lastSeal: string) => `
    delete from audit_roots where root_no > ${after};
    update audit_root_head set root_no = ${after}, last_seal = ${lastSeal}, digest = (
      select sha256(convert_to(statement, 'UTF8')) from audit_roots where root_no = ${after});
    update audit_copies set root_no = null, leaf_index = null, path = null where root_no > ${after};
    update audit_seals set sealed_at = sealed_at - interval '20 minutes'`
  const cutTail = `
    create temporary table cut on commit drop as select entry_id from audit_seals where seal_no > 4;
    delete from audit_entries where entry_id in (select entry_id from cut);
    delete from audit_persons where entry_id in (select entry_id from cut);
    delete from audit_copies where entry_id in (select entry_id from cut);
    delete from audit_seals where entry_id in (select entry_id from cut);
    ${cutRoots(1, '4')}`
  const erasure = JSON.stringify([
    { actor: 'operator', customer_ref: ref, action: 'customers.erase', outcome: 'ok', personal: {} },
  ])
  const cases: [string, string, RegExp | undefined][] = [
    ['nothing', 'select 1', undefined],
    [
      'all pseudonyms replaced, all copies deleted',
      'update customers set audit_ref = gen_random_uuid(); delete from audit_copies',
      /customer .* deleted or replaced/,
    ],
    ['a pseudonym replaced', `update customers set audit_ref = gen_random_uuid()`, /deleted or replaced/],
    [
      'a customer replaced by one of the same name',
      `delete from customers where customer_id = 'acme';
       insert into customers (customer_id, name, plan) values ('acme', 'Acme', 'premium')`,
      /deleted or replaced/,
    ],
    [
      'an erasure inserted',
      `select write_audit_entries('${erasure}');
       delete from audit_persons where customer = 'acme'; delete from audit_copies where customer_id = 'acme'`,
      /the customer still exists/,
    ],
    [
      'copies of two customers swapped',
      `update audit_copies set customer_id = 'globex', number = 100 + number where customer_id = 'acme';
       update audit_copies set customer_id = 'acme' where number < 100;
       update audit_copies set number = number - 100 where number > 100`,
      /copy .* changed/,
    ],
    ['all roots deleted, head reset', cutRoots(0, '0'), /no root after ten minutes/],
    ['and the head behind all seals', cutRoots(0, '(select max(seal_no) from audit_seals)'), /no root after/],
    [
      'and the times of seals in the future',
      `${cutRoots(0, '0')}; update audit_seals set sealed_at = 'infinity'`,
      /no root after ten minutes/,
    ],
    ['the head set back to an older root', cutRoots(1, '4'), /no root after ten minutes/],
    ['entries renumbered', 'update audit_seals set number = number + 1', /number or the salt/],
    [
      'entries renumbered with their copies',
      'update audit_seals set number = number + 1; update audit_copies set number = -number;' +
        'update audit_copies set number = 1 - number',
      /number or the salt/,
    ],
  ]
  for (const [name, statements, expected] of cases) {
    const reason = await reasonAfter(statements, head)
    if (expected) t.match(reason, expected, name)
    else t.equal(reason, undefined, name)
  }
  t.equal(await reasonAfter(cutTail), undefined, 'a cut tail is not seen without its head')
  t.match(await reasonAfter(cutTail, head), /the chain was cut/)
  await eraseCustomer(owner, 'acme')
  t.equal(await reasonAfter('select 1', head), undefined, 'an erasure is no fault')
  await seal()
  t.equal(await reasonAfter('select 1', head), undefined)
})

t.test('the remaining entries have valid proofs after a pruning', async (t) => {
  const { app, owner, apiKey, publish, verify } = await open(t)
  const { get } = await logIn(app, apiKey)
  for (let i = 0; i < 4; i++) {
    for (let n = 0; n < 3; n++) await logIn(app, apiKey)
    await publish()
  }
  const rows = await readAll(get)
  // In the middle of a tree.
  const oldest = rows.find(({ entry }) => entry.number === 6) as Row
  const { pruned } = await pruneAudit(owner, secrets, String(oldest.entry.at))
  t.ok(pruned > 0)
  t.match(await verify(), { fault: null })
  const left = await readAll(get)
  t.same(
    left.map(({ id }) => id),
    rows.map(({ id }) => id).filter((id) => Number(id) >= 6),
  )
  t.match(
    await freshness(t, await download(app, get)),
    /^entries 1 to 5 are not in the file: .*\n8 entries .* good$/,
  )
  await t.test('numbers continue after pruning everything', async (t) => {
    await pruneAudit(owner, secrets, '2999-01-01T00:00:00Z')
    t.same(await readAll(get), [])
    t.same(await readAll(get, '/v1/audit/roots'), [])
    t.match(await verify(), { fault: null })
    await logIn(app, apiKey)
    await publish()
    const [{ entry, proof } = {} as Row] = await readAll(get, '/v1/audit?action=login')
    t.ok(entry.number > rows.length)
    t.equal(proof.root, 5)
    t.match(await verify(), { fault: null, roots: 1 })
    t.match(await freshness(t, await download(app, get)), /are good/)
  })
})

t.test('after an erasure the proofs of other customers stay valid', async (t) => {
  const { app, owner, apiKey, other, publish, verify } = await open(t)
  const { get } = await logIn(app, apiKey)
  const { get: getOther } = await logIn(app, other)
  await getOther('/v1/products')
  await publish()
  const before = await download(app, get)
  const [copy] = (
    await sql<{
      salt: string
      leaf: string
    }>`select encode(c.salt, 'hex') as salt, encode(s.leaf, 'hex') as leaf
      from audit_copies c join audit_seals s on s.entry_id = c.entry_id where c.customer_id = 'globex'`.execute(
      owner,
    )
  ).rows
  // These entries are sealed and have no root; the login below is not sealed.
  await getOther('/v1/products')
  await app.audit.flush()
  await app.audit.seal(true)
  await logIn(app, other)
  await eraseCustomer(owner, 'globex')
  await publish()
  t.match(await verify(), { fault: null, roots: 2 })
  const { audit } = await download(app, get)
  t.same(audit.slice(-before.audit.length), before.audit)
  t.match(await freshness(t, await download(app, get)), /are good/)
  const tables = [
    'audit_copies',
    'audit_numbers',
    'audit_persons',
    'audit_entries',
    'audit_seals',
    'audit_roots',
  ]
  const texts = await Promise.all(
    tables.map((name) =>
      sql<{ row: string }>`select row_to_json(x)::text as row from ${sql.table(name)} x`.execute(owner),
    ),
  )
  const all = JSON.stringify(texts)
  t.notMatch(all, /globex/)
  t.notMatch(all, copy?.salt as string, 'without the salt its hash says nothing')
  t.match(all, copy?.leaf as string, 'the hash stays')
  await t.test('a new customer with the same name begins with number 1', async (t) => {
    const database = { operator: owner }
    const again = await logIn(app, await addCustomer(database, 'globex', { scopes }))
    await publish()
    t.same(
      (await readAll(again.get)).map(({ entry: { number, action } }) => [number, action]),
      [[1, 'login']],
    )
    t.match(await verify(), { fault: null })
  })
})

t.test('a large minute has several roots', async (t) => {
  const { app, database, apiKey, verify } = await open(t)
  const { get } = await logIn(app, apiKey)
  const event = { actor: 'operator', action: 'customers.show', customer: 'acme' } as const
  await recordEvents(
    database.operator,
    Array.from({ length: 1_128 }, () => event),
  )
  await app.audit.seal(true)
  await signRoots(database.reader, secrets, app.signingKeys.active, 'all')
  const rows = await readAll(get)
  t.equal(rows.length, 1_129)
  t.same([...new Set(rows.map(({ proof }) => `${proof.root} ${proof.path.length}`))].sort(), ['1 10', '2 7'])
  t.match(await freshness(t, await download(app, get)), /1129 entries and 2 roots are good/)
  t.match(await verify(), { fault: null, roots: 2 })
})
