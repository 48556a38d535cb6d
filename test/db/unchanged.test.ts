import { sql } from 'kysely'
import t from 'tap'
import { loadExampleData } from '../../app/local/example-data.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import type { ResourceName } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { namesOfRows } from '../api/contract.ts'
import { addCustomer, closeAfter, connectOwner, createTestDatabase } from '../helper.ts'
import { textColumns } from './traces.ts'

/** The resources of the contract, which have example data. */
const withExamples = resourceNames.filter((name) => namesOfRows.includes(name))

/** An update that changes nothing reports its rows like any other, and leaves no trace. */

const database = await createTestDatabase()
const { operator } = database
const owner = connectOwner(database)
closeAfter(t, owner, database)
await loadReferenceData(operator)
await loadExampleData(operator, '2026-11-21')

const traced = ['change_log', 'record_history', 'record_words', 'elements', 'removals'] as const

const readDigests = async (tables: readonly string[]): Promise<Record<string, string>> => {
  const digests: Record<string, string> = {}
  for (const table of tables) {
    const { rows } = await sql<{ digest: string }>`
      select md5(string_agg(r::text, ',' order by r::text)) as digest from ${sql.table(table)} r`.execute(
      owner,
    )
    digests[table] = rows[0]?.digest ?? ''
  }
  return digests
}

/** Statements that write every row without a change, and return it. */
const listStatements = (resource: ResourceName): Record<string, string> => {
  const text = textColumns[resource]
  const key = resources[resource].reference ? 'id' : 'customer_id, id'
  const stored = [...resources[resource].fields.values()].filter(({ computed }) => !computed)
  const names = stored
    .map(({ name }) => name)
    .filter((name) => !['id', 'created_at', 'updated_at'].includes(name))
  const assign = (from: string) => names.map((name) => `${name} = ${from}.${name}`).join(', ')
  const excluded = `on conflict (${key}) do update set ${assign('excluded')}, updated_at = now() returning id`
  const isSame = key
    .split(', ')
    .map((name) => `r.${name} = o.${name}`)
    .join(' and ')
  return {
    'one column': `update ${resource} set ${text} = ${text} returning id`,
    'all columns, with another time': `update ${resource} r set ${assign('o')}, updated_at = now(), created_at = now()
      from ${resource} o where ${isSame} returning r.id`,
    'the key': `update ${resource} set ${key
      .split(', ')
      .map((name) => `${name} = ${name}`)
      .join(', ')} returning id`,
    'insert … on conflict do update': `insert into ${resource} select * from ${resource} ${excluded}`,
    'a writable CTE': `with written as (update ${resource} set ${text} = ${text} returning id) select id from written`,
  }
}

for (const resource of withExamples) {
  t.test(`${resource}: an update that changes nothing returns its rows and leaves no trace`, async (t) => {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(resource)}`.execute(owner)
    const before = await readDigests([resource, ...traced])
    for (const [name, statement] of Object.entries(listStatements(resource))) {
      const { rows: returned } = await sql.raw(statement).execute(operator)
      t.equal(returned.length, rows[0]?.count, name)
      t.same(await readDigests([resource, ...traced]), before, `${name}: no trace`)
    }
    const merge = await sql
      .raw(
        `merge into ${resource} r using (select id as wanted from ${resource} limit 1) o on r.id = o.wanted
         when matched then update set ${textColumns[resource]} = ${textColumns[resource]}`,
      )
      .execute(operator)
    t.equal(Number(merge.numAffectedRows), 1, 'MERGE')
    t.same(await readDigests([resource, ...traced]), before, 'MERGE: no trace')
  })
}

t.test('a change and its repetition in one transaction are logged once', async (t) => {
  await addCustomer(database, 'twice')
  const write = (name: string) =>
    sql<{ updated_at: string }>`
      insert into products (customer_id, id, name) values ('twice', 'p', ${name})
      on conflict (customer_id, id) do update set name = excluded.name returning updated_at`
  const log = async () => {
    const { rows } = await sql<{ n: number; changes: number }>`select
      (select count(*) from change_log where customer_id = 'twice' and resource = 'products') as n,
      (select count(*) from record_history where customer_id = 'twice') as changes`.execute(owner)
    return [rows[0]?.n, rows[0]?.changes]
  }
  await write('one').execute(operator)
  await operator.transaction().execute(async (transaction) => {
    for (const name of ['two', 'two', 'three', 'three', 'three']) await write(name).execute(transaction)
  })
  t.same(await log(), [3, 2], 'an insert and two updates at the same instant')
  const [first, second] = [await write('three').execute(operator), await write('three').execute(operator)]
  t.same(first.rows, second.rows)
  t.equal(first.rows.length, 1)
  t.same(await log(), [3, 2])
})

t.test(
  'tables that are no records: an update that changes nothing returns its rows and is not logged',
  async (t) => {
    await addCustomer(database, 'settings')
    await sql
      .raw(`
    insert into custom_endpoints (name) values ('unchanged');
    insert into custom_documents (name, revision, document) values ('unchanged', 1, '{}');
    insert into custom_grants (customer_id, name, granted) values ('settings', 'unchanged', true);
    insert into revoked_tokens (customer_id, key_id, jti, expires_at) values ('settings', 'k', 'j', now())`)
      .execute(owner)
    const { rows: tables } = await sql<{ name: string; column: string }>`
    select c.relname as name, min(a.attname) as column from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0
      and a.attidentity = '' and a.attgenerated = '' and a.attname !~ '^updated_at$|_sort$' group by 1`.execute(
      owner,
    )
    const before = await readDigests(['change_log', 'record_history'])
    for (const { name, column } of tables.filter(({ name }) => name !== 'change_log')) {
      const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(name)}`.execute(owner)
      const { rows: returned } =
        await sql`update ${sql.table(name)} set ${sql.ref(column)} = ${sql.ref(column)} returning 1`.execute(
          owner,
        )
      t.equal(returned.length, rows[0]?.count, name)
      t.same(await readDigests(['change_log', 'record_history']), before, `${name}: no trace`)
    }
  },
)
