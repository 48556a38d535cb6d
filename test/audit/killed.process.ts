import { sql } from 'kysely'
import t from 'tap'
import { listEntries } from '../../app/audit/list.ts'
import { addReads, collectReads } from '../../app/audit/reads.ts'
import type { AuditEvent } from '../../app/audit/record.ts'
import { addCustomer, closeAfter, connectOwner, createTestDatabase, secretKey, until } from '../helper.ts'
import { startService, untilReady } from '../service.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
const { operator, reader } = database

const countAdded = async (): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(count), 0)::bigint as n from audit_reads`.execute(owner)
  return rows[0]?.n ?? 0
}
const listReads = async () =>
  (await listEntries(operator, { limit: 1_000 })).filter(({ action }) => action === 'reads')
const countListed = async () =>
  (await listReads()).reduce((sum, { details }) => sum + Number(details?.count), 0)

t.test('a killed process loses at most the reads of its last five seconds', async (t) => {
  const apiKey = await addCustomer(database, 'acme')
  const service = await startService({ DATABASE_URL: database.url, SECRET_KEY: secretKey })
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  const login = await fetch(`${service.base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  const read = async () => {
    const answer = await fetch(`${service.base}/v1/products`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await answer.arrayBuffer()
  }
  let known = 0
  const addReads = async () => {
    for (let count = 0; count < 20; count += 1) await read()
    known += 20
    const readAt = performance.now()
    // If their minute has ended, they are entries already.
    await until(
      'the reads are in the database',
      async () => (await countAdded()) + (await countListed()) === known,
    )
    return performance.now() - readAt
  }
  const ms = await addReads()
  t.ok(ms < 27_000, `after ${ms} ms, with time for a busy machine`)
  await service.stop('SIGKILL')
  await collectReads(operator, 'all')
  t.equal(await countListed(), known)
})

const event = (minute: string, count: number): AuditEvent => ({
  actor: 'demo',
  action: 'reads',
  details: { minute, resource: 'products', query: null, status: 200, count, rows: 2 * count },
})
const label = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`

t.test('counts of a minute become one entry after the minute, on any instance', async (t) => {
  const before = (await listReads()).length
  const [past, present] = [label(Date.now() - 600_000), label(Date.now())]
  await Promise.all([1, 2, 3].map((count) => addReads(reader, [event(past, count), event(present, count)])))
  await Promise.all([1, 2, 3].map(() => collectReads(reader, 'complete')))
  const made = (await listReads()).slice(0, -before || undefined)
  t.match(made, [{ details: { minute: past, count: 6, rows: 12 } }])
  t.equal(made.length, 1)
  t.equal(await countAdded(), 6, 'the present minute is left')
})

t.test('all instances together count at most 100 queries of a key and minute separately', async (t) => {
  await sql`delete from audit_reads`.execute(owner)
  const minute = '2026-11-01T12:00Z'
  const question = (keyId: string, query: string | null, count: number): AuditEvent => ({
    actor: 'key',
    action: 'reads',
    keyId,
    details: { minute, resource: 'products', query, status: 200, count, rows: count },
  })
  const process = (name: string) =>
    addReads(
      reader,
      Array.from({ length: 60 }, (_, i) => question('busy', `${name}${i}`, 1)),
    )
  await Promise.all(['a', 'b', 'c'].map(process))
  await addReads(reader, [question('busy', null, 5), question('quiet', 'q', 7)])
  const read = async () => {
    const { rows } = await sql<{ key: string; told: number; rest: number; count: number }>`
      select entry ->> 'key_id' as key, count(entry #>> '{details,query}') as told,
        coalesce(sum(count) filter (where entry #>> '{details,query}' is null), 0)::bigint as rest,
        sum(count)::bigint as count
      from audit_reads group by 1 order by 1`.execute(owner)
    return rows
  }
  t.same(await read(), [
    { key: 'busy', told: 100, rest: 85, count: 185 },
    { key: 'quiet', told: 1, rest: 0, count: 7 },
  ])
  const [known] = (
    await sql<{ query: string }>`select entry #>> '{details,query}' as query from audit_reads
    where entry ->> 'key_id' = 'busy' and entry #>> '{details,query}' is not null limit 1`.execute(owner)
  ).rows
  await addReads(reader, [question('busy', known?.query ?? null, 3)])
  t.match(await read(), [{ told: 100, rest: 85, count: 188 }], 'a known question keeps its row')
})
