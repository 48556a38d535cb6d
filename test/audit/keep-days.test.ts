import { sql } from 'kysely'
import t from 'tap'
import { pruneOldEntries, startAuditPruning } from '../../app/audit/keep-days.ts'
import { recordEvents } from '../../app/audit/record.ts'
import { sealPending } from '../../app/audit/sealer.ts'
import { verifyAudit } from '../../app/audit/verify.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createCommandLine } from '../command-line.ts'
import { connectOwner, createTestDatabase, until } from '../helper.ts'

const secretKey = 'k'.repeat(32)
const secrets = createSecrets([secretKey])
const database = await createTestDatabase()
const owner = connectOwner(database)
t.teardown(async () => {
  await owner.destroy()
  await database.close()
})
const { reader, operator } = database

const addEntry = async (days: number) => {
  await recordEvents(reader, [{ actor: 'anonymous', action: 'login', outcome: 'refused' }])
  await sql`update audit_entries set at = at - make_interval(days => ${days}::integer)
    where entry_id = (select max(entry_id) from audit_entries)`.execute(owner)
  await sealPending(reader, secrets)
}
const ages = async () => {
  const { rows } = await sql<{ days: number }>`
    select extract(day from now() - at)::integer as days from audit_entries
    where action = 'login' order by entry_id`.execute(owner)
  return rows.map(({ days }) => days)
}

t.test('entries older than AUDIT_DAYS go, the rest verifies, and the pruning is an entry', async (t) => {
  for (const days of [40, 31, 29, 15, 0]) await addEntry(days)
  t.match(await pruneOldEntries(owner, secrets, 30), { pruned: 2, fault: null })
  t.same(await ages(), [29, 15, 0])
  await sealPending(reader, secrets)
  t.match(await verifyAudit(operator, secrets), { fault: null })
  const { rows } = await sql`select actor from audit_entries where action = 'audit.prune'`.execute(owner)
  t.same(rows, [{ actor: 'system' }])
  t.equal(await pruneOldEntries(owner, secrets, 30), undefined, 'nothing is written where nothing is old')
})

t.test('only the login of the owner can prune', async (t) => {
  for (const role of [reader, operator]) {
    await t.rejects(pruneOldEntries(role, secrets, 10), /permission denied/)
  }
})

t.test('the service prunes on schedule', async (t) => {
  const stop = startAuditPruning({
    ...{ url: database.url, secrets, days: 20, everyMs: 10 },
    warn: (message) => t.fail(message),
  })
  t.teardown(stop)
  await until('old entries are gone', async () => (await ages())[0] === 15)
})

t.test('an unreachable database is not blamed on the login', async (t) => {
  const warned = Promise.withResolvers<string>()
  const warn = (text: string) => warned.resolve(text)
  const stop = startAuditPruning({
    url: 'postgresql://127.0.0.1:1/none',
    secrets,
    days: 20,
    everyMs: 10,
    warn,
  })
  t.equal(await warned.promise, 'the audit trail was not pruned')
  await stop()
})

t.test('certdata audit prune uses AUDIT_DAYS if no day is given, which is 400 by default', async (t) => {
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
