import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../app/db/schema.ts'
import { closeAfter, connectOwner, createTestDatabase } from '../helper.ts'

const customers = 2_000
const keysOfCustomer = 3
const key = '0000000000000701'
const customer = 'customer-7'
/** Rows that a look-up by key or customer may read, with those that the planner samples. */
const bound = 10

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)

await sql`insert into customers (customer_id, name, plan)
  select 'customer-' || i, 'Customer', 'premium' from generate_series(1, ${customers}::integer) i`.execute(
  owner,
)
await sql`insert into api_keys (customer_id, key_id, secret_sha256, last_used_on)
  select 'customer-' || i, lpad((100 * i + k)::text, 16, '0'), sha256((i || '-' || k)::bytea), (now() at time zone 'UTC')::date
  from generate_series(1, ${customers}::integer) i, generate_series(1, ${keysOfCustomer}::integer) k`.execute(
  owner,
)
await sql`analyze`.execute(owner)

const readSoFar = async (trx: Db): Promise<number> => {
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables
    where relname in ('customers', 'api_keys', 'key_links')`.execute(trx)
  return rows[0]?.read ?? 0
}

/** Resolves with the rows of customers and keys that a statement reads. */
const countRead = (statement: string): Promise<number> =>
  owner.transaction().execute(async (trx) => {
    const before = await readSoFar(trx)
    await sql.raw(statement).execute(trx)
    return (await readSoFar(trx)) - before
  })

const entries = (entry: object) =>
  `'${JSON.stringify([{ actor: 'key', action: 'login', outcome: 'ok', ...entry }])}'`

const statements = {
  'its key': `select * from find_api_key('${key}')`,
  'its first use of the day': `select mark_api_key_used('${key}')`,
  'the end of a rotation': `select * from complete_key_rotation('${customer}', '${key}')`,
  'an entry of the audit trail that names a customer': `select append_audit(${entries({ customer })})`,
  'an entry of the audit trail that names a key': `select append_audit(${entries({ key_id: key })})`,
  'an entry of the audit trail that names an unknown key': `select append_audit(${entries({ key_id: 'ffffffffffffffff' })})`,
}

for (const [name, statement] of Object.entries(statements)) {
  t.test(`a login reads a few rows for ${name}, however many keys and customers there are`, async (t) => {
    const read = await countRead(statement)
    t.ok(read <= bound, `${read} rows of ${customers} customers with ${keysOfCustomer} keys each`)
  })
}
