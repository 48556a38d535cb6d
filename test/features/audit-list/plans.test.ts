import { sql } from 'kysely'
import t from 'tap'
import { parseTrailQuery } from '../../../app/features/audit-list/query.ts'
import { trailStatement } from '../../../app/features/audit-list/trail.ts'
import { parsePairs } from '../../../app/http/pairs.ts'
import { explain, listPlanFaults } from '../../db/explain.ts'
import { connectOwner, createTestDatabase } from '../../helper.ts'

/** The cost rule of `test/db/plans.test.ts`, for the audit trail. */
const large = 'large'
const largeRows = 20_000
const today = '2026-11-21'
/** Rows that a page of 50 may read. */
const pageBound = 400

const database = await createTestDatabase()
t.teardown(() => database.close())

/** Entries 1 to 3 are the only ones of their kind. */
const seed = `
insert into customers (customer_id, name, plan)
select '${large}', 'Large', 'premium' union all
select 'small-' || i, 'Small', 'premium' from generate_series(1, 100) i;
insert into audit_copies (customer_id, number, entry_id, at, action, outcome, key_id, entry)
select '${large}', i, i, timestamptz '2026-01-01' + i * interval '1 minute',
  case i when 1 then 'keys.issue' when 3 then 'login' else 'reads' end, case i when 2 then 'refused' else 'ok' end,
  case i when 1 then null when 2 then 'rare' else 'common-' || i % 3 end, '{}'
from generate_series(1, ${largeRows}) i`

t.test('a page of the audit trail costs the same for common and for rare values', async (t) => {
  const superuser = connectOwner(database)
  await sql.raw(seed).execute(superuser)
  await sql`vacuum analyze audit_copies`.execute(superuser)
  await superuser.destroy()
  const rare: [query: string, found: number][] = [
    ['', 51],
    ['action=reads', 51],
    ['action=keys.issue', 1],
    ['action=keys.issue,reads', 51],
    ['action=import', 0],
    ['outcome=refused', 1],
    ['outcome=ok,refused', 51],
    ['outcome=ok', 51],
    ['key=rare', 1],
    ['key=common-1', 51],
    ['key=common-1,rare,none,rare', 51],
    ['key=common-0&action=login', 1],
    ['key=common-1&outcome=refused', 0],
    [`after=${largeRows - 11}`, 11],
    [`after=${largeRows - 12}&outcome=ok&key=common-1`, 4],
    ['after=0', 51],
    ['after=0&action=keys.issue', 1],
    [`after=${largeRows}`, 0],
    ['after=1&action=keys.issue', 0],
  ]
  const faults: string[] = []
  for (const [text, found] of rare) {
    const outcome = parseTrailQuery(false, parsePairs(text))
    if ('faults' in outcome) throw new Error(`${text}: ${JSON.stringify(outcome.faults)}`)
    const statement = trailStatement(outcome.query, { customerId: large, today, limit: 50 })
    faults.push(...listPlanFaults(text, await explain(database.reader, statement), pageBound))
    const { rows } = await statement.execute(database.reader)
    t.equal(rows.filter(({ place }) => place !== null).length, found, text)
  }
  t.same(faults, [])
})
