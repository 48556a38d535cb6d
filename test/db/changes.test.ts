import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import { createChangeSource } from '../../app/cache/changes.ts'
import { readerRole } from '../../app/db/connect.ts'
import { resourceNames } from '../../app/records/resources/index.ts'
import { createDatabaseDoor } from '../door.ts'
import { addCustomer, closeAfter, connectOwner, createTestDatabase, until } from '../helper.ts'

const featureTests = join(import.meta.dirname, '../features')
const database = await createTestDatabase()
const { operator, reader } = database
const source = createChangeSource({
  url: database.url,
  role: readerRole,
  reachSeconds: 600,
  timeoutMs: 5_000,
})
closeAfter(t, source, database)
await addCustomer(database, 'acme')
await addCustomer(database, 'bolt')

const run = (query: RawBuilder<unknown>) => query.execute(operator)
/** Returns the events that `act` logged, as `customer resource record`, sorted. */
const loggedBy = async (act: () => Promise<unknown>): Promise<string[]> => {
  const last = async () =>
    (await sql<{ last: number }>`select coalesce(max(position), 0) as last from change_log`.execute(operator))
      .rows[0]?.last ?? 0
  const before = await last()
  await act()
  const { rows } = await sql<{ event: string }>`
    select customer_id || ' ' || resource || ' ' || record_id as event from change_log
    where position > ${before} order by 1`.execute(operator)
  return rows.map(({ event }) => event)
}
/** Returns the events of a poll after `act`, since a poll before it. */
const pollAround = async (act: () => Promise<unknown>) => {
  const { snapshot } = await source.poll(undefined)
  await act()
  const { events } = await source.poll(snapshot)
  return events?.map(({ customerId, resource }) => `${customerId} ${resource}`).sort()
}

t.test('every change is logged with its customer, once for each statement and record', async (t) => {
  const product = (customer: string, id: string) =>
    run(sql`insert into products (customer_id, id, name) values (${customer}, ${id}, 'n')`)
  t.same(await loggedBy(() => product('acme', 'p1')), ['acme products p1'])
  t.same(await loggedBy(() => product('bolt', 'p1')), ['bolt products p1'])
  const rename = sql`update products set name = 'm' where customer_id = 'acme'`
  t.same(await loggedBy(() => run(rename)), ['acme products p1'])
  t.same(await loggedBy(() => run(rename)), [], 'what changes nothing is no change')
  const move = sql`update products set id = 'p2' where customer_id = 'acme' and id = 'p1'`
  t.same(await loggedBy(() => run(move)), ['acme products p1', 'acme products p2'], 'another id: both')
  t.same(await loggedBy(() => run(sql`delete from products where id = 'p2'`)), ['acme products p2'])
  const many = sql`insert into lab (customer_id, id, report_number, title, status)
    select 'acme', 'l' || n, 'r', 't', 'planned' from generate_series(1, 3) n`
  t.same(await loggedBy(() => run(many)), ['acme lab l1', 'acme lab l2', 'acme lab l3'])
  const upsert = sql`insert into products (customer_id, id, name) values ('bolt', 'p1', 'x'), ('bolt', 'p3', 'x')
    on conflict (customer_id, id) do update set name = excluded.name`
  t.same(await loggedBy(() => run(upsert)), ['bolt products p1', 'bolt products p3'])
})

t.test('a change of reference data affects all customers, other changes only their customer', async (t) => {
  const country = sql`insert into countries (id, code, alpha3, name, region, requirements)
    values ('XA', 'XA', 'XAA', 'A', 'europe', '(,,,,,)')`
  t.same(await loggedBy(() => run(country)), ['* countries XA'])
  const plan = sql`update customers set plan = 'enterprise' where customer_id = 'acme'`
  t.same(await loggedBy(() => run(plan)), ['acme auth *'])
  const window = sql`update customers set expiring_within = 30 where customer_id = 'acme'`
  t.same(await loggedBy(() => run(window)), ['acme auth *', 'acme settings *'])
  t.same(await loggedBy(() => run(window)), [], 'the same setting again is no change')
})

t.test('keys and revocations are logged, the day of a last use is not', async (t) => {
  const { rows } = await sql<{
    id: string
  }>`select key_id as id from api_keys where customer_id = 'acme'`.execute(operator)
  const id = rows[0]?.id as string
  const use = sql`update api_keys set last_used_on = current_date where key_id = ${id}`
  t.same(await loggedBy(() => run(use)), [])
  const token = sql`select revoke_token('acme', ${id}, 'jti', now() + interval '1 hour')`
  t.same(await loggedBy(() => token.execute(reader)), [`acme auth ${id}`])
  const key = sql`select revoke_api_key('acme', ${id})`
  t.same(await loggedBy(() => key.execute(reader)), [`acme auth ${id}`])
})

t.test('deleting a customer deletes all of its records, and logs it', async (t) => {
  await addCustomer(database, 'gone')
  await run(sql`insert into products (customer_id, id, name) values ('gone', 'g', 'n')`)
  const events = await loggedBy(() => run(sql`delete from customers where customer_id = 'gone'`))
  t.ok(events.includes('gone products g'))
  t.ok(events.includes('gone auth *'))
})

t.test('TRUNCATE marks the resource as changed for all customers', async (t) => {
  const owner = connectOwner(database)
  const events = await loggedBy(() => sql`truncate approvals`.execute(owner))
  await owner.destroy()
  t.same(events, ['* approvals *'])
})

t.test('the log covers every table on which answers or rights depend', async (t) => {
  /** Tables that no cached answer and no right depends on. */
  const exempt: Record<string, string> = {
    elements: 'written by the triggers of the records, in the same statement',
    record_words: 'written by the triggers of the records, in the same statement',
    record_history: 'written by the triggers of the records, in the same statement',
    history_begun: 'who changes it writes to the log',
    signing_keys: 'instances compare their version each second',
    reference_data: 'which reference data are loaded; the records themselves are logged',
    change_log: 'the log itself',
    change_samples: 'of the log',
    change_marks: 'of the log',
    change_state: 'of the log',
    distrusted_resources: 'each poll reads it, and the functions that change it write to the log',
    removals: 'written by the triggers of the records, in the same statement',
    audit_entries: 'never served',
    audit_persons: 'never served',
    audit_pending: 'never served',
    audit_seals: 'never served',
    audit_anchor: 'never served',
    audit_copies: 'read anew for each answer, and never kept',
    audit_numbers: 'of the copies',
    audit_reads: 'never served',
    service_origins: 'for links of commands, never served',
    key_links: 'read when a link is used, and never kept',
    kysely_migration: 'of the migrations',
    kysely_migration_lock: 'of the migrations',
  }
  for (const path of globSync('*/unlogged-tables.json', { cwd: featureTests }))
    Object.assign(exempt, JSON.parse(readFileSync(join(featureTests, path), 'utf8')))
  const { rows } = await sql<{ name: string; events: string[] }>`
    select c.relname as name, coalesce(array_agg(distinct g.event) filter (where g.event is not null), '{}') as events
    from pg_class c
    left join lateral (
      select e.event from pg_trigger t
      cross join lateral (values ('insert', 4), ('delete', 8), ('update', 16), ('truncate', 32)) e (event, bit)
      where t.tgrelid = c.oid and t.tgenabled = 'A' and t.tgtype::integer & e.bit > 0
        and t.tgname like c.relname || '_log_%'
    ) g on true
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by 1 order by 1`.execute(
    operator,
  )
  const logged = rows.filter(({ events }) => events.length === 4).map(({ name }) => name)
  const forgotten = rows.filter(({ name, events }) => events.length < 4 && !exempt[name])
  t.same(forgotten, [])
  for (const name of resourceNames) t.ok(logged.includes(name), name)
  const partitions = await sql`select from pg_inherits`.execute(operator)
  t.same(partitions.rows, [], 'there are no partitions, which would need triggers of their own')
})

t.test('a poll reports customers and resources, not rows, of newly visible changes', async (t) => {
  const insert = sql`insert into products (customer_id, id, name)
    select 'acme', 'bulk' || n, 'n' from generate_series(1, 5000) n`
  t.same(await pollAround(() => run(insert)), ['acme products'])
  t.same(await pollAround(async () => {}), [])
  const both = () =>
    operator.transaction().execute(async (trx) => {
      await sql`update products set name = 'o' where customer_id = 'acme' and id = 'bulk1'`.execute(trx)
      await sql`update products set name = 'o' where customer_id = 'bolt'`.execute(trx)
      await sql`delete from lab where customer_id = 'acme' and id = 'l1'`.execute(trx)
    })
  t.same(await pollAround(both), ['acme lab', 'acme products', 'bolt products'])
})

t.test(
  'a change is reported when its transaction ends, regardless of its start and of other commits',
  async (t) => {
    const open = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const late = operator.transaction().execute(async (trx) => {
      await sql`update products set name = 'late' where customer_id = 'acme' and id = 'bulk2'`.execute(trx)
      written.resolve()
      await open.promise
    })
    await written.promise
    const before = await source.poll(undefined)
    await run(sql`update products set name = 'early' where customer_id = 'bolt'`)
    const first = await source.poll(before.snapshot)
    t.same(
      first.events?.map(({ customerId }) => customerId),
      ['bolt'],
    )
    open.resolve()
    await late
    const second = await source.poll(first.snapshot)
    t.same(
      second.events?.map(({ customerId, resource }) => `${customerId} ${resource}`),
      ['acme products'],
    )
    t.same((await source.poll(second.snapshot)).events, [])
  },
)

t.test('a rolled back transaction is not reported', async (t) => {
  const rolledBack = () =>
    operator
      .transaction()
      .execute(async (trx) => {
        await sql`update products set name = 'never' where customer_id = 'acme'`.execute(trx)
        throw new Error('roll back')
      })
      .catch(() => {})
  t.same(await pollAround(rolledBack), [])
})

t.test('too many changes are reported as unknown', async (t) => {
  const { snapshot } = await source.poll(undefined)
  const { rows } = await sql<{ found: number; events: string }>`
    select found, events from poll_changes(${snapshot.text}, 2)`.execute(reader)
  t.equal(rows[0]?.found, 0)
  for (const n of [1, 2, 3]) await run(sql`update products set name = ${`x${n}`} where customer_id = 'bolt'`)
  const polled = await sql<{ found: number }>`select found from poll_changes(${snapshot.text}, 2)`.execute(
    reader,
  )
  t.equal(polled.rows[0]?.found, 3, 'one more than asked for')
})

t.test('up to 10,000 changes are reported one by one, and more as unknown', async (t) => {
  const log = (count: number) => async () => {
    await run(sql`insert into change_log (customer_id, resource, record_id)
      select 'customer ' || n, 'products', 'p' from generate_series(1, ${count}::integer) n`)
  }
  t.equal((await pollAround(log(10_000)))?.length, 10_000)
  t.equal(await pollAround(log(10_001)), undefined)
  t.equal(await pollAround(log(10_002)), undefined)
  await run(sql`delete from change_log where customer_id like 'customer %'`)
})

t.test('a process begins at a sufficiently old sample of the log', async (t) => {
  t.equal(await source.begin(), undefined, 'nothing was sampled yet')
  await sql`select sample_changes()`.execute(reader)
  await sql`select sample_changes()`.execute(reader)
  const { rows } = await sql<{ snapshot: string; n: number }>`
    select max(snapshot::text) as snapshot, count(*) as n from change_samples`.execute(operator)
  t.equal(rows[0]?.n, 1, 'once a minute, however many ask')
  t.equal((await source.begin())?.text, rows[0]?.snapshot, 'the oldest, where none is old enough')
  await run(sql`update change_samples set sampled_at = sampled_at - interval '1 hour'`)
  await run(sql`insert into change_samples values (now() - interval '11 minutes', '3:5:'), (now(), '4:9:')`)
  t.equal((await source.begin())?.text, '3:5:')
})

t.test('pruning follows the end of transactions, not their age, and records the new start', async (t) => {
  await run(sql`delete from change_samples`)
  t.equal((await sql<{ n: number }>`select prune_changes('1 hour') as n`.execute(operator)).rows[0]?.n, 0)
  // The xmin of the current snapshot would also wait for transactions of other databases.
  const ended = await sql<{ below: string }>`
    select (max(xid::text::bigint) + 1)::text as below from change_log`.execute(operator)
  const below = ended.rows[0]?.below
  await run(
    sql`insert into change_samples values (now() - interval '2 hours', ${`${below}:${below}:`}::pg_snapshot)`,
  )
  await run(sql`update products set name = 'after the sample' where customer_id = 'acme' and id = 'bulk3'`)
  const { rows } = await sql<{ n: number }>`select prune_changes('1 hour') as n`.execute(operator)
  t.ok((rows[0]?.n ?? 0) > 5_000, `${rows[0]?.n} rows`)
  const left = await sql<{ record: string; below: string }>`
    select c.record_id as record, s.pruned_below::text as below from change_log c, change_state s`.execute(
    operator,
  )
  t.same(left.rows, [{ record: 'bulk3', below }], 'what came after the sample is kept')
})

t.test('another database history begins with an empty log', async (t) => {
  await run(sql`update change_state set identity = 'of before the restore'`)
  await sql`select begin_changes('10 minutes')`.execute(reader)
  const { rows } = await sql<{ logged: number; sampled: number; identity: string }>`
    select (select count(*) from change_log) as logged, (select count(*) from change_samples) as sampled, identity
    from change_state`.execute(operator)
  t.match(rows[0], { logged: 0, sampled: 0 })
  t.not(rows[0]?.identity, 'of before the restore')
})

t.test('the serving role reads only its customer’s part of the log', async (t) => {
  await run(sql`update products set name = 'seen' where customer_id = 'bolt'`)
  await run(sql`update countries set name = 'B' where id = 'XA'`)
  const seenBy = (customer: string) =>
    reader.transaction().execute(async (trx) => {
      await sql`select set_config('app.customer_id', ${customer}, true)`.execute(trx)
      const { rows } = await sql<{ id: string }>`
        select distinct customer_id as id from change_log order by 1`.execute(trx)
      return rows.map(({ id }) => id)
    })
  t.same(await seenBy('bolt'), ['*', 'bolt'])
  t.same(await seenBy('acme'), ['*'])
  t.same(
    (await sql`select * from change_log`.execute(reader)).rows.length,
    1,
    'without a customer: what all see',
  )
  await t.rejects(sql`delete from change_log`.execute(reader), { code: '42501' })
})

/** After a slower poll, the source would wait longer than these tests do. */
const quickMs = 100

/** Starts a source behind a proxy. It keeps one connection, and its last poll was quick. */
const startBehindLine = async (t: Test, times: { timeoutMs?: number; patienceMs?: number }) => {
  const line = await createDatabaseDoor(database.url)
  const behind = createChangeSource({ url: line.url, role: readerRole, reachSeconds: 600, ...times })
  closeAfter(t, behind, line)
  const limitMs = Math.min(quickMs, times.patienceMs ?? quickMs)
  // On a busy machine, the first polls may be slow.
  await until('a quick poll on one connection', async () => {
    const begun = performance.now()
    await behind.poll(undefined).catch(() => {})
    return performance.now() - begun < limitMs && line.connections === 1
  })
  const before = line.accepted
  return { line, behind, made: () => line.accepted - before }
}
const farMs = 60_000

t.test('a poll whose connection hangs is answered by a second one, which is kept', async (t) => {
  const { line, behind, made } = await startBehindLine(t, { timeoutMs: farMs, patienceMs: 20 })
  line.holdOpen()
  t.ok((await behind.poll(undefined)).snapshot)
  line.release()
  await until('the one that hung is given up', () => line.connections === 1)
  t.equal(made(), 1)
  line.holdNew()
  t.ok((await behind.poll(undefined)).snapshot, 'no new one could answer')
})

t.test('a slow database is not queried twice', async (t) => {
  const { line, behind, made } = await startBehindLine(t, { timeoutMs: farMs, patienceMs: 40 })
  line.holdNew()
  const pollWhileLocked = async (forMs: number) => {
    const owner = connectOwner(database)
    const locked = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    const lock = owner.transaction().execute(async (trx) => {
      await sql`lock table change_log in access exclusive mode`.execute(trx)
      locked.resolve()
      await ending.promise
    })
    await locked.promise
    const begun = performance.now()
    const poll = behind.poll(undefined)
    await until('it waited', () => performance.now() - begun > forMs)
    ending.resolve()
    await Promise.all([poll, lock])
    await owner.destroy()
  }
  // Far longer than the next poll takes on a busy machine.
  await pollWhileLocked(2_000)
  t.equal(made(), 1)
  await pollWhileLocked(100)
  t.equal(made(), 1, 'the next one may take as long')
})

t.test('a poll whose connection was cut is repeated immediately on a new one', async (t) => {
  const { line, behind, made } = await startBehindLine(t, { timeoutMs: farMs, patienceMs: farMs })
  line.cut()
  t.ok((await behind.poll(undefined)).snapshot)
  t.equal(made(), 1)
})

t.test('does not retry a server that refuses a new connection', async (t) => {
  const { line, behind, made } = await startBehindLine(t, { timeoutMs: farMs, patienceMs: farMs })
  line.sever()
  await t.rejects(behind.poll(undefined), 'the kept one, and one more')
  t.equal(made(), 1)
  await t.rejects(behind.poll(undefined), 'none was kept')
  t.equal(made(), 2)
  line.mend()
  t.ok((await behind.poll(undefined)).snapshot)
})

t.test('a poll fails in time if both connections hang, and leaves none open', async (t) => {
  const { line, behind, made } = await startBehindLine(t, { timeoutMs: 1_000, patienceMs: 20 })
  line.hold()
  await t.rejects(behind.poll(undefined), { message: 'no answer in 1000 ms' })
  line.release()
  await until('both are given up', () => made() === 1 && line.connections === 0)
})

t.test('a database that takes no writes after its start is refused as a standby', async (t) => {
  const stored = await createTestDatabase()
  const owner = connectOwner(stored)
  const standby = createChangeSource({ url: stored.url, reachSeconds: 600, timeoutMs: 5_000 })
  closeAfter(t, standby, owner, stored)
  await sql`do $$ begin
    execute format('alter database %I set default_transaction_read_only = on', current_database());
  end $$`.execute(owner)
  const refusal = { message: /is a standby: DATABASE_URL must name the primary/ }
  await t.rejects(standby.begin(), refusal)
  await t.rejects(standby.poll(undefined), refusal)
})

t.test('closing ends a hanging poll, and no query follows', async (t) => {
  const { line, behind, made } = await startBehindLine(t, { timeoutMs: farMs, patienceMs: farMs })
  line.hold()
  const hanging = behind.poll(undefined)
  await behind.close()
  await t.rejects(hanging)
  await t.rejects(behind.poll(undefined), { message: 'closed' })
  t.equal(made(), 0)
})
