import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { operatorRole } from '../../app/db/connect.ts'
import { loadExampleData } from '../../app/local/example-data.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import type { ResourceName } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { namesOfRows } from '../api/contract.ts'
import { closeAfter, connectOwner, createTestDatabase } from '../helper.ts'
import { listTestRows, readTraces, textColumns } from './traces.ts'

/** The resources of the contract, which have example data. */
const withExamples = resourceNames.filter((name) => namesOfRows.includes(name))

/** Writers' sessions in which names or expressions could mean something else. All must leave the same traces. */

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
await loadReferenceData(database.operator)
await loadExampleData(database.operator, '2026-11-21')

const ownFunctions = [
  'lower(text)',
  'length(text)',
  'octet_length(text)',
  'left(text, integer)',
  'replace(text, text, text)',
  'translate(text, text, text)',
  'regexp_split_to_array(text, text)',
  'now()',
  'pg_current_xact_id()',
  'array_to_tsvector(text[])',
  'array_ndims(text[])',
  'array_lower(text[], integer)',
  'unnest(text[])',
  'array_position(text[], text)',
  'to_json(text)',
  'to_jsonb(record)',
  'max(timestamptz)',
  'former_end(text, text, text)',
  'fold_words(text)',
  'is_list(text[])',
]
const ownOperators = [
  '= text text',
  '<> text text',
  '|| text text',
  '~ text text',
  '> integer integer',
  '= integer integer',
  '> timestamptz timestamptz',
  '= timestamptz timestamptz',
  '= date date',
  '= jsonb jsonb',
  '? jsonb text',
  '- jsonb text[]',
  '= text[] text[]',
  '= anyarray anyarray',
  '= record record',
]

const refuses = `language plpgsql as $$ begin raise 'a name was resolved in the session'; end $$`

const setup = `
create schema erp;
create schema tables;
grant usage, create on schema erp, tables to public;
do $$ declare name text; begin
  for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
    execute format('create table tables.%I (like public.%I including all)', name, name);
    execute format('grant all on tables.%I to public', name);
  end loop;
end $$;
${ownFunctions.map((each) => `create function erp.${each} returns text ${refuses};`).join('\n')}
${ownOperators
  .map((each) => each.split(' '))
  .map(
    (
      [name, left, right],
      n,
    ) => `create function erp.operator_${n}(${left}, ${right}) returns boolean ${refuses};
create operator erp.${name} (leftarg = ${left}, rightarg = ${right}, function = erp.operator_${n});`,
  )
  .join('\n')}
create domain erp.jsonb as pg_catalog.jsonb check (false);
create domain erp.timestamptz as pg_catalog.timestamptz check (false);
create domain erp.xid8 as pg_catalog.xid8 check (false);
create function erp.run(statement text) returns void language plpgsql security definer set search_path = '' as $$
begin execute statement; end $$;
create role erp_login in role ${operatorRole};
grant set on parameter session_replication_role to ${operatorRole};
`

const shadows = `do $$ declare name text; begin
  for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    and has_table_privilege(oid, 'select') loop
    execute format('create temp table %I (like public.%I including all)', name, name);
  end loop;
end $$`

const oddSettings = {
  DateStyle: 'SQL, DMY',
  TimeZone: 'Asia/Kolkata',
  IntervalStyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  'plpgsql.extra_errors': 'all',
  plan_cache_mode: 'force_generic_plan',
  client_encoding: 'LATIN1',
  lc_numeric: 'C',
  check_function_bodies: 'off',
}

/** Escaped, because a session may have another encoding. */
const accented = String.raw`E'Gr\u00f6\u00dfe \u00c9a 7'`

type Session = { name: string; begin: readonly string[]; wrap?: (statement: string) => string }

const asOperator = `set role ${operatorRole}`
const plain: Session = { name: 'a plain session', begin: [asOperator] }
const sessions: readonly Session[] = [
  { name: 'an empty path', begin: [asOperator, `set search_path = ''`] },
  { name: 'its own tables', begin: [asOperator, 'set search_path = tables, public'] },
  { name: 'temporary tables', begin: [asOperator, shadows] },
  {
    name: 'temporary tables first in the path',
    begin: [asOperator, shadows, 'set search_path = pg_temp, public'],
  },
  {
    name: 'its own functions, operators and types',
    begin: [asOperator, 'set search_path = erp, pg_catalog, public'],
  },
  { name: 'its own functions last in the path', begin: [asOperator, 'set search_path = public, erp'] },
  {
    name: 'other settings',
    begin: [asOperator, ...Object.entries(oddSettings).map(([name, value]) => `set ${name} = '${value}'`)],
  },
  { name: 'the mode of a replica', begin: [asOperator, 'set session_replication_role = replica'] },
  { name: 'a login that is a member', begin: ['set role erp_login', `set search_path = "$user", tables`] },
  { name: 'a superuser without row security', begin: [`set search_path = ''`, 'set row_security = off'] },
  {
    name: 'a function',
    begin: [asOperator, shadows],
    wrap: (statement) => `select erp.run($run$${statement}$run$)`,
  },
  {
    name: 'a DO block',
    begin: [asOperator, shadows],
    wrap: (statement) => `do $run$ begin ${statement}; end $run$`,
  },
]

/** Statements of a writer. Their own operators are qualified, because the session may have others. */
const listStatements = (resource: ResourceName): string[] => {
  const { reference } = resources[resource]
  const table = `public.${resource}`
  const text = textColumns[resource]
  const list = [...resources[resource].fields.values()].find(
    ({ array, computed }) => array && !computed,
  )?.name
  const [first, second, third] = reference ? ['QM', 'QN', 'QO'] : ['w-1', 'w-2', 'w-3']
  const has = (alias: string, id: string, customer = 'writer') =>
    `${reference ? '' : `${alias}.customer_id operator(pg_catalog.=) '${customer}' and `}${alias}.id operator(pg_catalog.=) '${id}'`
  const key = (id: string) =>
    reference ? `{"id": "${id}", "code": "${id}"}` : `{"customer_id": "writer", "id": "${id}"}`
  const insert = (id: string) =>
    `insert into ${table} select (pg_catalog.jsonb_populate_record(s, '${key(id)}')).* from (
      select s from ${table} s ${reference ? '' : `where s.customer_id operator(pg_catalog.=) 'demo'`} order by s.id limit 1) o (s)`
  const rename = reference ? `id = '${third}', code = '${third}'` : `id = '${third}'`
  const onKey = reference ? 'id' : 'customer_id, id'
  return [
    insert(first as string),
    insert(second as string),
    `update ${table} r set ${text} = ${accented} where ${has('r', first as string)}`,
    `update ${table} r set ${list} = '{DE}' where ${has('r', first as string)}`,
    `update ${table} r set ${text} = ${text} where ${has('r', first as string)}`,
    `${insert(second as string)} on conflict (${onKey}) do update set ${text} = 'conflict'`,
    `merge into ${table} r using (values ('merged')) v (value) on ${has('r', second as string)}
      when matched then update set ${text} = v.value`,
    `update ${table} r set ${rename} where ${has('r', first as string)}`,
    `with gone as (delete from ${table} r where ${has('r', third as string)} returning *)
      insert into ${table} select (pg_catalog.jsonb_populate_record(null::${table},
        pg_catalog.to_jsonb(gone) operator(pg_catalog.||) '${key(first as string)}'::pg_catalog.jsonb)).* from gone`,
    `delete from ${table} r where ${has('r', first as string)}`,
    insert(first as string),
    `update ${table} r set created_at = '-infinity' where ${has('r', first as string)}`,
    `delete from ${table} r where ${has('r', second as string)}`,
    `update ${table} r set ${list} = '{DE,FR}' where ${has('r', first as string)}`,
  ]
}

const write = async ({ begin, wrap = (statement) => statement }: Session) => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const run = (statement: string) => client.query(wrap(statement))
  const traces: Record<string, Record<string, string[]>> = {}
  try {
    for (const statement of begin) await client.query(statement)
    await run(`insert into public.customers (customer_id, name) values ('writer', 'Writer')`)
    for (const resource of withExamples) {
      for (const statement of listStatements(resource)) await run(statement)
      traces[resource] = await readTraces(owner, 'writer', resource)
    }
    await run(
      `update public.customers set expiring_within = 30 where customer_id operator(pg_catalog.=) 'writer'`,
    )
    const { rows } = await sql<{ resource: string }>`
      select resource from change_log where resource in ('settings', 'auth') order by 1`.execute(owner)
    traces.customers = { change_log: rows.map(({ resource }) => resource) }
    return traces
  } finally {
    await client.end()
    for (const resource of withExamples) {
      await sql.raw(`delete from ${resource} where ${listTestRows(resource, 'writer')}`).execute(owner)
    }
    await sql
      .raw(`delete from customers where customer_id = 'writer'; delete from removals; delete from change_log;
      delete from record_history where customer_id = '*'`)
      .execute(owner)
  }
}

await sql.raw(setup).execute(owner)
await sql.raw('delete from change_log; delete from removals; delete from record_history').execute(owner)
const expected = await write(plain)

t.test('a plain session leaves every trace', async (t) => {
  for (const resource of withExamples) {
    const { change_log, record_history, record_words, elements, removals } = expected[resource] ?? {}
    t.equal(change_log?.length, 14, `${resource} is logged`)
    t.ok((record_history?.length ?? 0) >= 8)
    t.equal(record_words?.length, 1)
    t.equal((elements ?? []).length > 0, resources[resource].elements.length > 0)
    t.ok((removals?.length ?? 0) >= 4)
  }
  t.same(expected.customers, { change_log: ['auth', 'auth', 'settings'] })
})

for (const session of sessions) {
  t.test(`${session.name}: the triggers write the same`, async (t) => {
    t.same(await write(session), expected)
  })
}

t.test('COPY with an empty path, as pg_restore does', async (t) => {
  await sql`insert into customers (customer_id, name) values ('writer', 'Writer')`.execute(owner)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ file: string }>(
      `select current_setting('data_directory') || '/writers.copy' as file`,
    )
    const file = rows[0]?.file
    await client.query(`copy (select * from public.products where customer_id = 'demo') to '${file}'`)
    await client.query('delete from public.products')
    await client.query(`set search_path = ''; delete from public.change_log`)
    const { rowCount } = await client.query(`copy public.products from '${file}'`)
    const { rows: logged } = await client.query('select record_id from public.change_log')
    t.ok((rowCount ?? 0) > 5)
    t.equal(logged.length, rowCount)
  } finally {
    await client.end()
  }
})
