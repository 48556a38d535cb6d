import { sql } from 'kysely'
import t from 'tap'
import { type ChainHead, genesis } from '../../app/audit/chain.ts'
import { pruneOldEntries, startAuditPruning } from '../../app/audit/keep-days.ts'
import { listEntries } from '../../app/audit/list.ts'
import { pruneAudit } from '../../app/audit/prune.ts'
import { type AuditEvent, recordEvents } from '../../app/audit/record.ts'
import { readChainState, sealLock, sealPending } from '../../app/audit/sealer.ts'
import { verifyAudit } from '../../app/audit/verify.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import type { Db } from '../../app/db/schema.ts'
import { createCommandLine } from '../command-line.ts'
import { secretKey, until } from '../helper.ts'
import { countWaiting, findFaultAfter, openTrail, secrets } from './trail.ts'

const login = (customer: string): AuditEvent => ({
  actor: 'key',
  action: 'login',
  customer,
  keyId: `key of ${customer}`,
  client: '192.0.2.0/24',
})
const run = (db: Db, statement: string) => sql.raw(statement).execute(db)
const denied = /permission denied/

t.test('each role has only its rights on the trail', async (t) => {
  const { reader, operator } = await openTrail(t)
  const tables = ['audit_entries', 'audit_persons', 'audit_pending', 'audit_seals', 'audit_anchor']
  const writes = (table: string) => [
    `insert into ${table} default values`,
    `update ${table} set ${table === 'audit_seals' || table === 'audit_anchor' ? 'seal_no = 1' : 'entry_id = 1'}`,
    `delete from ${table}`,
    `truncate ${table}`,
  ]
  await t.test('the serving role can neither read nor change its tables', async (t) => {
    for (const table of tables) {
      for (const statement of [`select from ${table}`, ...writes(table)]) {
        await t.rejects(run(reader, statement), denied, statement)
      }
    }
  })
  await t.test('the operator can read but not change them', async (t) => {
    for (const table of tables) {
      await t.resolves(run(operator, `select from ${table}`))
      for (const statement of writes(table)) await t.rejects(run(operator, statement), denied, statement)
    }
  })
  await t.test('both append through one function, and only the serving role seals', async (t) => {
    const raw = `select write_audit_entries('[{"actor":"system","action":"login","outcome":"ok"}]')`
    for (const role of [reader, operator]) {
      await t.resolves(recordEvents(role, [login('acme')]))
      await t.rejects(run(role, raw), denied)
      await t.rejects(run(role, `select nextval('audit_entry_ids')`), denied)
    }
    await t.rejects(run(operator, `select append_audit_seals('[]')`), denied)
    await t.rejects(run(operator, 'select list_unsealed_audit(1)'), denied)
  })
  await t.test('the serving role reads no personal data of the entries that it seals', async (t) => {
    const { rows } = await sql<object>`select * from list_unsealed_audit(10)`.execute(reader)
    t.ok(rows.length > 0)
    t.notMatch(JSON.stringify(rows), /acme|192\.0\.2/)
  })
})

t.test('entries', async (t) => {
  const { reader, operator, owner } = await openTrail(t)
  const newest = async () => (await listEntries(operator, { limit: 1 }))[0]

  await t.test('an entry has actor, action, time, customer, outcome and address', async (t) => {
    const details = { plan: 'premium' }
    const event = {
      actor: 'operator',
      action: 'customers.set-plan',
      customer: 'acme',
      subject: 'it',
    } as const
    await recordEvents(operator, [{ ...event, details, requestId: 'r-1', client: '192.0.2.0/24' }])
    t.match(await newest(), {
      ...event,
      details,
      outcome: 'ok',
      request_id: 'r-1',
      client: '192.0.2.0/24',
      seal: null,
      at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
      customer_ref: /^[0-9a-f-]{36}$/,
    })
  })

  await t.test('an event of a key alone gets its customer', async (t) => {
    const key = await owner.selectFrom('api_keys').selectAll().where('customer_id', '=', 'acme').execute()
    const keyId = key[0]?.key_id as string
    await recordEvents(reader, [{ actor: 'anonymous', action: 'login', outcome: 'refused', keyId }])
    t.match(await newest(), { customer: 'acme', actor: 'anonymous', outcome: 'refused' })
  })

  await t.test('an entry contains nothing of an unknown key or an erased customer', async (t) => {
    await recordEvents(reader, [{ actor: 'anonymous', action: 'login', outcome: 'refused', keyId: 'typed' }])
    t.match(await newest(), { customer: null, customer_ref: null })
    const gone = { ...login('initech'), subject: 'initech key', details: { name: 'initech' } }
    await recordEvents(reader, [gone])
    t.match(await newest(), { actor: 'key', customer: null, subject: null, client: null, details: null })
    const { rows } = await sql<{ personal: string }>`select personal::text from audit_persons`.execute(owner)
    t.notMatch(JSON.stringify(rows), /typed|initech/)
  })

  await t.test('an entry is committed or rolled back with its transaction', async (t) => {
    const before = await newest()
    const failing = operator.transaction().execute(async (trx) => {
      await recordEvents(trx, [login('acme')])
      throw new Error('the act failed')
    })
    await t.rejects(failing, /the act failed/)
    t.same(await newest(), before)
  })

  await t.test('entries are found by customer, time and number', async (t) => {
    await recordEvents(reader, [login('globex'), login('globex'), login('acme')])
    const found = await listEntries(operator, { customer: 'globex', limit: 10 })
    t.same(
      found.map(({ customer, actor }) => [customer, actor]),
      [
        ['globex', 'key of globex'],
        ['globex', 'key of globex'],
      ],
    )
    t.equal((await listEntries(operator, { limit: 2 })).length, 2)
    t.same(await listEntries(operator, { since: '2999-01-01T00:00:00.000Z', limit: 10 }), [])
    const all = await listEntries(operator, { since: '2000-01-01T00:00:00.000Z', limit: 100 })
    t.same(
      all,
      all.toSorted((a, b) => b.entry - a.entry),
    )
  })
})

t.test('sealing', async (t) => {
  const { reader, operator, owner, verify } = await openTrail(t)
  const holdSealLock = (trx: Db) => sql`select pg_advisory_xact_lock(${sealLock}::bigint)`.execute(trx)

  await t.test('an empty trail has no fault', async (t) => {
    t.match(await verify(), { fault: null, verified: 0, unsealed: 0 })
    t.same(await readChainState(reader), { head: genesis, isWaiting: false })
  })

  await t.test('an entry that is committed late is sealed late, and not lost', async (t) => {
    const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const long = operator.transaction().execute(async (trx) => {
      await recordEvents(trx, [login('acme')])
      written.resolve()
      await mayCommit.promise
    })
    await written.promise
    await recordEvents(reader, [login('globex')])
    t.match(await sealPending(reader, secrets), { sealNo: 1 })
    t.match(await verify(), { fault: null, verified: 1, unsealed: 0 })
    mayCommit.resolve()
    await long
    t.match(await verify(), { fault: null, verified: 1, unsealed: 1 })
    t.match(await readChainState(reader), { head: { sealNo: 1 }, isWaiting: true })
    t.match(await sealPending(reader, secrets), { sealNo: 2 })
    t.match(await verify(), { fault: null, verified: 2, unsealed: 0 })
    const entries = await listEntries(operator, { limit: 10 })
    t.same(
      entries.map(({ customer, seal }) => [customer, seal]),
      [
        ['globex', 1],
        ['acme', 2],
      ],
      'the order of seals is the order of commits',
    )
  })

  await t.test('concurrent sealing by several instances gives one chain', async (t) => {
    const events = Array.from({ length: 40 }, () => login('acme'))
    for (let round = 0; round < 5; round++) {
      const sealers = Array.from({ length: 3 }, () => sealPending(reader, secrets))
      await Promise.all([recordEvents(operator, events), ...sealers])
    }
    await sealPending(reader, secrets)
    t.match(await verify(), { fault: null, verified: 202, unsealed: 0 })
  })

  await t.test('while one instance seals, another does nothing', async (t) => {
    await operator.transaction().execute(async (trx) => {
      await holdSealLock(trx)
      t.equal(await sealPending(reader, secrets), undefined)
    })
  })

  await t.test('an instance that closes waits for another one, and seals the rest', async (t) => {
    await recordEvents(operator, [login('acme')])
    const closing = await operator.transaction().execute(async (trx) => {
      await holdSealLock(trx)
      const sealing = sealPending(reader, secrets, true)
      await until('it waits', async () => (await countWaiting(owner)) === 1)
      return { sealing }
    })
    t.match(await closing.sealing, { sealNo: 203 })
  })

  await t.test('several batches are sealed in one call', async (t) => {
    await recordEvents(
      operator,
      Array.from({ length: 2_500 }, () => login('acme')),
    )
    t.match(await sealPending(reader, secrets), { sealNo: 2_703 })
    t.match(await verify(), { fault: null, verified: 2_703 })
  })

  await t.test('verification fails with another secret key', async (t) => {
    t.match(await verifyAudit(operator, createSecrets(['s'.repeat(32)])), { fault: { sealNo: 1 } })
  })
})

t.test('verification finds changes by a superuser in a sealed trail', async (t) => {
  const { reader, owner } = await openTrail(t)
  for (let i = 0; i < 6; i++) await recordEvents(reader, [login('acme'), login('globex')])
  const head = (await sealPending(reader, secrets)) as ChainHead
  await recordEvents(reader, [login('acme')])

  const after = findFaultAfter.bind(null, owner)
  t.equal(await after('select'), null, 'untouched it is good')
  t.equal(await after('select', head), null)

  const edits = [
    `at = at + interval '1 microsecond'`,
    `actor = 'system'`,
    `customer_ref = gen_random_uuid()`,
    `customer_ref = null`,
    `action = 'reads'`,
    `outcome = 'refused'`,
    `request_id = 'x'`,
  ]
  for (const edit of edits) {
    const fault = await after(`update audit_entries set ${edit} where entry_id = 5`)
    t.match(fault, { sealNo: 5, entryId: 5 }, edit)
  }
  const named: [string, object][] = [
    [
      `update audit_persons set personal = replace(personal::text, 'acme', 'evil')::json where entry_id = 5`,
      { entryId: 5, reason: /personal/ },
    ],
    [`update audit_persons set salt = '\\x00' where entry_id = 5`, { entryId: 5 }],
    [`delete from audit_persons where entry_id = 5`, { entryId: 5, reason: /but not the customer.s copy/ }],
    [
      `delete from audit_persons where entry_id = 5; delete from audit_copies where entry_id = 5`,
      { entryId: 5, reason: /without an erasure/ },
    ],
    [`delete from audit_entries where entry_id = 5`, { entryId: 5, reason: /deleted/ }],
    [`update audit_entries set entry_id = 500 where entry_id = 5`, { entryId: 5 }],
    [
      `delete from audit_entries where entry_id = 5; delete from audit_seals where seal_no = 5`,
      { sealNo: 5, reason: /missing/ },
    ],
    [
      `delete from audit_seals where seal_no between 5 and 7`,
      { sealNo: 5, reason: /seals 5 to 7 are missing/ },
    ],
    [
      `delete from audit_entries where entry_id = 5; delete from audit_seals where seal_no = 5;
       update audit_seals set seal_no = -seal_no + 2000000 where seal_no > 5;
       update audit_seals set seal_no = -seal_no + 2000000 - 1 where seal_no > 5`,
      { sealNo: 5 },
    ],
    [
      `update audit_entries set entry_id = 1000 where entry_id = 5;
       update audit_entries set entry_id = 5 where entry_id = 6;
       update audit_entries set entry_id = 6 where entry_id = 1000`,
      { sealNo: 5, entryId: 5 },
    ],
    [
      `update audit_seals set seal_no = 1000 where seal_no = 5;
       update audit_seals set seal_no = 5 where seal_no = 8;
       update audit_seals set seal_no = 8 where seal_no = 1000`,
      { sealNo: 5 },
    ],
    [
      `insert into audit_entries (entry_id, actor, action, outcome) values (900, 'system', 'login', 'ok')`,
      { entryId: 900, reason: /no seal/ },
    ],
    [
      `insert into audit_entries (entry_id, actor, action, outcome) values (900, 'system', 'login', 'ok');
       insert into audit_seals (seal_no, entry_id, mac) values (13, 900, sha256('forged'))`,
      { sealNo: 13, entryId: 900 },
    ],
    [`delete from audit_pending`, { entryId: 13, reason: /no seal/ }],
    [`delete from audit_entries where entry_id = 13`, { entryId: 13, reason: /before it was sealed/ }],
    [
      `insert into audit_anchor (seal_no, seal_mac, mac) select seal_no, mac, mac from audit_seals where seal_no = 5;
       delete from audit_entries where entry_id <= 5; delete from audit_seals where seal_no <= 5`,
      { sealNo: 5, reason: /anchor/ },
    ],
  ]
  for (const [statements, expected] of named) t.match(await after(statements), expected, statements)

  const cut = `delete from audit_seals where seal_no > 8; delete from audit_entries where entry_id > 8;
    delete from audit_pending`
  t.match(await after(cut), { sealNo: 9, reason: /copy of the entry was inserted/ })
  const fitting = `${cut}; delete from audit_copies where entry_id > 8`
  t.equal(await after(fitting), null, 'from within a cut tail that was made to fit cannot be seen')
  t.match(await after(fitting, head), { sealNo: 9, reason: /cut/ }, 'a published head shows it')
  const all = 'truncate audit_entries, audit_persons, audit_pending, audit_seals'
  t.match(await after(all, head), { sealNo: 1, reason: /cut/ }, 'and a trail that was removed')
  const rebuilt = { sealNo: 8, mac: Buffer.alloc(32) }
  t.match(await after('select', rebuilt), { sealNo: 8, reason: /published/ })
})

t.test('pruning', async (t) => {
  const { reader, owner, operator } = await openTrail(t)
  const age = (from: number, to: number, at: string) =>
    run(owner, `update audit_entries set at = '${at}' where entry_id between ${from} and ${to}`)
  const count = async (table: string) =>
    (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(owner)).rows[0]?.n
  await recordEvents(
    reader,
    Array.from({ length: 10 }, () => login('acme')),
  )
  await age(1, 4, '2020-01-01')
  await age(6, 8, '2020-01-01')
  const heads = [await sealPending(reader, secrets)] as ChainHead[]

  await t.test('deletes all before the first young entry, and the rest verifies', async (t) => {
    t.same(await pruneAudit(owner, secrets, '2021-01-01'), { pruned: 4, through: 4, fault: null })
    t.same([await count('audit_seals'), await count('audit_persons')], [6, 7])
    t.match(await verifyAudit(operator, secrets, heads[0]), { fault: null, anchor: 4, verified: 6 })
  })

  await t.test('is recorded', async (t) => {
    const [newest] = await listEntries(operator, { limit: 1 })
    t.match(newest, { action: 'audit.prune', actor: 'operator', details: { pruned: 4, through: 4 } })
  })

  await t.test('a second pruning deletes nothing', async (t) => {
    t.match(await pruneAudit(owner, secrets, '2021-01-01'), { pruned: 0, through: 4 })
  })

  await t.test('keeps entries without a seal', async (t) => {
    t.match(await pruneAudit(owner, secrets, '2999-01-01'), { pruned: 6, through: 10 })
    t.equal(await count('audit_entries'), 3, 'the three prunings')
  })

  await t.test('pruning the whole trail leaves an anchor on which the chain continues', async (t) => {
    heads.push((await sealPending(reader, secrets)) as ChainHead)
    t.match(heads, [{ sealNo: 10 }, { sealNo: 13 }])
    for (const head of heads) {
      t.match(await verifyAudit(operator, secrets, head), { fault: null, anchor: 10, verified: 3 })
    }
    const other = { sealNo: 10, mac: Buffer.alloc(32) }
    t.match(await verifyAudit(operator, secrets, other), { fault: { reason: /published/ } })
  })

  await t.test('refuses a trail that was tampered with, which it would hide', async (t) => {
    await run(owner, `update audit_entries set outcome = 'refused' where entry_id = 12`)
    t.match(await pruneAudit(owner, secrets, '2999-01-01'), { pruned: 0, fault: { entryId: 12 } })
    t.equal(await count('audit_entries'), 3)
  })

  await t.test('waits for the sealer', async (t) => {
    let isDone = false
    let pruning: Promise<void> | undefined
    await owner.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${sealLock}::bigint)`.execute(trx)
      pruning = pruneAudit(owner, secrets, '2021-01-01').then(() => {
        isDone = true
      })
      await until('it waits', async () => isDone || (await countWaiting(owner)) === 1)
      t.equal(isDone, false)
    })
    await pruning
    t.equal(isDone, true)
  })
})

t.test('the trail verifies without a SECRET_KEY whose entries were pruned', async (t) => {
  const { reader, owner, operator } = await openTrail(t)
  const both = createSecrets(['n'.repeat(40), secretKey])
  for (const [at, used] of [
    ['2020-01-01', secrets],
    ['2022-01-01', both],
  ] as const) {
    await recordEvents(reader, [login('acme')])
    await run(
      owner,
      `update audit_entries e set at = '${at}' from audit_pending q where q.entry_id = e.entry_id`,
    )
    await sealPending(reader, used)
  }
  t.match(await pruneAudit(owner, both, '2021-01-01'), { through: 1, fault: null })
  t.match(await verifyAudit(operator, createSecrets(['n'.repeat(40)])), {
    fault: null,
    verified: 1,
  })
})

t.test('pruning by age', async (t) => {
  const { database, owner, reader, operator, seal, verify } = await openTrail(t)
  const addEntry = async (days: number) => {
    await recordEvents(reader, [{ actor: 'anonymous', action: 'login', outcome: 'refused' }])
    await sql`update audit_entries set at = at - make_interval(days => ${days}::integer)
      where entry_id = (select max(entry_id) from audit_entries)`.execute(owner)
    await seal()
  }
  const ages = async () => {
    const { rows } = await sql<{ days: number }>`
      select extract(day from now() - at)::integer as days from audit_entries
      where action = 'login' order by entry_id`.execute(owner)
    return rows.map(({ days }) => days)
  }

  await t.test('entries older than AUDIT_DAYS are deleted, and the pruning is recorded', async (t) => {
    for (const days of [40, 31, 29, 15, 0]) await addEntry(days)
    t.match(await pruneOldEntries(owner, secrets, 30), { pruned: 2, fault: null })
    t.same(await ages(), [29, 15, 0])
    await seal()
    t.match(await verify(), { fault: null })
    const { rows } = await sql`select actor from audit_entries where action = 'audit.prune'`.execute(owner)
    t.same(rows, [{ actor: 'system' }])
    t.equal(await pruneOldEntries(owner, secrets, 30), undefined, 'nothing is recorded if no entry is old')
  })

  await t.test('only the login of the owner can prune', async (t) => {
    for (const role of [reader, operator]) {
      await t.rejects(pruneOldEntries(role, secrets, 10), /permission denied/)
    }
  })

  await t.test('the service prunes on schedule', async (t) => {
    const stop = startAuditPruning({
      url: database.url,
      secrets,
      days: 20,
      everyMs: 10,
      warn: (message) => t.fail(message),
    })
    t.teardown(stop)
    await until('old entries are gone', async () => (await ages())[0] === 15)
  })

  await t.test('an unreachable database is not blamed on the login', async (t) => {
    const warned = Promise.withResolvers<string>()
    const warn = (text: string) => warned.resolve(text)
    const url = 'postgresql://127.0.0.1:1/none'
    const stop = startAuditPruning({ url, secrets, days: 20, everyMs: 10, warn })
    t.equal(await warned.promise, 'the audit trail was not pruned')
    await stop()
  })

  await t.test('certdata audit prune uses AUDIT_DAYS by default, which is 400 days', async (t) => {
    const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, DATA_DIR: t.testdir() }
    t.match(await createCommandLine(env).json('audit', 'prune', '--yes'), { pruned: 0 })
    const { rows } = await sql`
      select extract(day from now() - (personal #>> '{details,before}')::timestamptz)::integer as days
      from audit_entries join audit_persons using (entry_id)
      where action = 'audit.prune' order by entry_id desc limit 1`.execute(owner)
    t.same(rows, [{ days: 400 }])
    const { json } = createCommandLine({ ...env, AUDIT_DAYS: '12' })
    t.match(await json('audit', 'prune', '--yes'), { pruned: Number })
    t.same(await ages(), [0])
  })
})
