import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { getExpected, regainTrust } from '../../app/db/trust.ts'
import type { Field } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { closeAfter, connectOwner, createTestDatabase } from '../helper.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
const at = (name: string) => join(import.meta.dirname, name)
const expected = join(import.meta.dirname, '../../app/db/schema.sql')

t.test('the schema equals schema.sql; WRITE_SCHEMA=1 writes it', async (t) => {
  const query = readFileSync(at('dump-schema.sql'), 'utf8')
  const { rows } = await sql.raw<{ dump: string }>(query).execute(owner)
  const dump = rows[0]?.dump ?? ''
  if (process.env.WRITE_SCHEMA === '1') writeFileSync(expected, dump)
  t.equal(dump, readFileSync(expected, 'utf8'))
})

t.test('migrate and a start compare every function and trigger with schema.sql', async (t) => {
  const { rows } = await sql<{ present: string[] }>`select array(
    select p.proname || '()' from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    union all select t.tgname from pg_trigger t where not t.tgisinternal) as present`.execute(owner)
  const { functions, triggers } = getExpected()
  const names = functions.map(({ signature }) => signature.replace(/^public\.(\w+)\(.*/, '$1()'))
  t.same([...names, ...triggers.map(({ name }) => name)].sort(), rows[0]?.present.sort())
  t.same(await regainTrust(owner), { repaired: [], faults: [], ended: [] })
})

t.test('migrations insert the rows that functions need', async (t) => {
  const { rows } = await sql<object>`
    select (select array_agg(resource order by resource) from history_begun) as resources,
      (select count(*)::integer from change_state) as states`.execute(owner)
  t.same(rows, [
    {
      resources: [...resourceNames].sort(),
      states: 1,
    },
  ])
})

const { operator } = database

const query = async <Row>(text: string): Promise<Row[]> => (await sql.raw<Row>(text).execute(operator)).rows

const tenantTables = `
  select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'customer_id'`

t.test('every table with customers has row level security, enabled and forced', async (t) => {
  const rows = await query<{ relname: string; on: boolean; forced: boolean }>(
    `select t.relname, c.relrowsecurity as on, c.relforcerowsecurity as forced
     from (${tenantTables}) t join pg_class c on c.oid = t.oid`,
  )
  t.ok(rows.length >= 8, 'there are such tables')
  const open = rows.filter((row) => !row.on || !row.forced).map((row) => row.relname)
  t.same(open, [])
})

t.test('their keys begin with the customer', async (t) => {
  const rows = await query<{ relname: string; first: string }>(
    `select t.relname, a.attname as first from (${tenantTables}) t
     left join pg_index i on i.indrelid = t.oid and i.indisprimary
     left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]`,
  )
  t.same(
    rows.filter((row) => row.first !== 'customer_id'),
    [],
  )
})

t.test('every index of the record tables begins with the customer', async (t) => {
  const rows = await query<{ name: string }>(
    `select i.indexrelid::regclass::text as name from (${tenantTables}) t
     join pg_index i on i.indrelid = t.oid
     join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
     where a.attname <> 'customer_id'
       and t.relname = any(array[${[...resourceNames, 'elements'].map((name) => `'${name}'`).join(',')}])`,
  )
  t.same(rows, [])
})

t.test('every trigger fires in every session mode', async (t) => {
  const rows = await query<{ tgname: string; tgenabled: string }>(
    `select tgname, tgenabled from pg_trigger where not tgisinternal`,
  )
  t.ok(rows.length >= 26)
  t.same(
    rows.filter((row) => row.tgenabled !== 'A'),
    [],
  )
})

t.test('no function resolves its names in the session of its caller', async (t) => {
  const functions = await query<{ name: string; resolves: string }>(
    `select p.oid::regprocedure::text as name, case when p.prosqlbody is not null then 'when created'
       else (select setting from unnest(p.proconfig) setting where setting like 'search_path=%') end as resolves
     from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
       and l.lanname <> 'internal'`,
  )
  t.ok(functions.length > 100)
  const open = functions.filter(
    ({ resolves }) => resolves !== 'when created' && resolves !== 'search_path=public, pg_temp',
  )
  t.same(open, [])
})

const composites: Readonly<Record<string, string>> = {
  validity_periods: 'validity_period[]',
  authorities: 'authority[]',
  requirements: 'country_requirements',
}

const getType = (field: Field): string => {
  const scalar = {
    text: 'text',
    date: 'calendar_date',
    integer: 'integer',
    boolean: 'boolean',
    json: composites[field.name] as string,
  }
  const type = field.kind === 'instant' ? 'timestamp with time zone' : scalar[field.kind]
  return field.array ? `${type}[]` : type
}

t.test(
  'the columns of every table are the stored fields of its resource, their sort columns, and its creator',
  async (t) => {
    for (const name of resourceNames) {
      const expected = new Map<string, string>(
        resources[name].reference ? [] : [['customer_id', 'text not null']],
      )
      for (const field of resources[name].fields.values()) {
        if (field.computed) continue
        expected.set(field.name, `${getType(field)}${field.nullable ? '' : ' not null'}`)
        if (field.sortColumn && field.sortColumn !== field.name) {
          expected.set(field.sortColumn, `${field.kind} not null`)
        }
      }
      expected.set('created_xid', 'xid8')
      const rows = await query<{ name: string; type: string }>(
        `select attname as name, format_type(atttypid, null) || case when attnotnull then ' not null' else '' end as type
       from pg_attribute where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped`,
      )
      const actual = new Map(rows.map((row) => [row.name, row.type]))
      t.same(new Map([...actual].sort()), new Map([...expected].sort()), name)
    }
  },
)

t.test('texts are compared by their bytes', async (t) => {
  const rows = await query<{ name: string }>(
    `select a.attrelid::regclass || '.' || a.attname as name from pg_attribute a
     join pg_collation c on c.oid = a.attcollation
     where a.attrelid = any(array[${resourceNames.map((name) => `'${name}'::regclass`).join(',')}, 'elements'::regclass])
       and a.attnum > 0 and c.collname <> 'C'`,
  )
  t.same(rows, [])
})

t.test("the tables' checks allow exactly the values of the schema", async (t) => {
  for (const name of resourceNames) {
    for (const field of resources[name].fields.values()) {
      if (!field.values || field.computed) continue
      const [row] = await query<{ definition: string }>(
        `select string_agg(pg_get_constraintdef(k.oid), ' ') as definition from pg_constraint k
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey)
         where k.conrelid = '${name}'::regclass and k.contype = 'c' and a.attname = '${field.name}'`,
      )
      const allowed = [...(row?.definition ?? '').matchAll(/'([^']+)'/g)].map((match) => match[1]).sort()
      t.same(allowed, [...field.values].sort(), `${name}.${field.name}`)
    }
  }
})

t.test('elements are stored for the arrays that declare them', async (t) => {
  await operator.insertInto('customers').values({ customer_id: 'acme', name: 'Acme' }).execute()
  const elements = async () =>
    (
      await query<{ line: string }>(
        `select resource || ' ' || field || ' ' || value || ' ' || id as line from elements order by 1`,
      )
    ).map((row) => row.line)
  const run = (text: string) => sql.raw(text).execute(operator)
  const project = `insert into projects (customer_id, id, project_number, title, product_ids, country_codes, tags) values`

  await run(
    `${project} ('acme', 'j1', 'P1', 'T', '{p1,p2}', '{DE}', '{a,a,b}'), ('acme', 'j2', 'P2', 'T', '{}', '{}', '{b}')`,
  )
  t.same(await elements(), [
    'projects country_codes DE j1',
    'projects product_ids p1 j1',
    'projects product_ids p2 j1',
    'projects tags a j1',
    'projects tags b j1',
    'projects tags b j2',
  ])
  await run(`${project} ('acme', 'j1', 'P1', 'T', '{p2,p3}', '{DE}', '{b}')
    on conflict (customer_id, id) do update set product_ids = excluded.product_ids, tags = excluded.tags`)
  t.same(await elements(), [
    'projects country_codes DE j1',
    'projects product_ids p2 j1',
    'projects product_ids p3 j1',
    'projects tags b j1',
    'projects tags b j2',
  ])
  await run(`update projects set id = 'j3' where id = 'j2'`)
  t.ok((await elements()).includes('projects tags b j3'), 'a new id takes its elements along')
  await run(`delete from projects where id = 'j1'`)
  t.same(await elements(), ['projects tags b j3'])
  await run(`delete from customers where customer_id = 'acme'`)
  t.same(await elements(), [], 'a deleted customer leaves none')

  const declared = resourceNames.flatMap((name) =>
    resources[name].elements.map((field) => `${name}.${field}`),
  )
  const [row] = await query<{ bodies: string }>(
    `select string_agg(prosrc, ' ') as bodies from pg_proc where proname like '%\\_elements\\_insert'`,
  )
  const kept = [...(row?.bodies ?? '').matchAll(/\('(\w+)', r\.\1\)/g)].map((match) => match[1])
  t.equal(kept.length, declared.length)
})

t.test('truncating a table deletes its elements', async (t) => {
  await operator.insertInto('customers').values({ customer_id: 'acme', name: 'Acme' }).execute()
  await sql`insert into products (customer_id, id, name, tags) values ('acme', 'p', 'P', '{x}')`.execute(
    owner,
  )
  await sql`insert into lab (customer_id, id, report_number, title, status, tags) values ('acme', 'l', 'L', 'L', 'draft', '{x}')`.execute(
    owner,
  )
  await sql`truncate products`.execute(owner)
  const rows = await query<{ resource: string }>('select resource from elements')
  t.same(rows, [{ resource: 'lab' }])
})

t.test('an update without a change keeps its times', async (t) => {
  const read = async () => (await query<object>(`select updated_at, created_at from lab where id = 'l'`))[0]
  const before = await read()
  await sql`update lab set title = title, tags = tags, updated_at = now(), created_at = now()`.execute(
    operator,
  )
  t.same(await read(), before)
  await sql`update lab set title = 'new', created_at = now()`.execute(operator)
  const after = (await read()) as { updated_at: string; created_at: string }
  t.not(after.updated_at, (before as { updated_at: string }).updated_at)
  t.equal(after.created_at, (before as { created_at: string }).created_at, 'created_at is nobody’s to change')
})

t.test('arrays have one dimension, begin at 1 and contain no null', async (t) => {
  await operator
    .insertInto('customers')
    .values({ customer_id: 'acme', name: 'Acme' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const insert = (id: string, tags: string) =>
    sql`insert into products (customer_id, id, name, tags) values ('acme', ${id}, 'P', ${tags}::text[])`.execute(
      operator,
    )
  const odd = {
    nested: '{{a,b},{c,d}}',
    deep: '{{{a}},{{b}}}',
    from0: '[0:1]={a,b}',
    from2: '[2:3][5:5]={{x},{y}}',
  }
  for (const [id, tags] of Object.entries(odd)) await t.rejects(insert(id, tags), /products_tags_list/, id)
  for (const [id, tags] of [
    ['none', '{}'],
    ['one', '{NULL as text}'],
    ['two', '{a,b}'],
  ]) {
    await insert(id as string, tags as string)
  }

  const columns = resourceNames.flatMap((name) =>
    [...resources[name].fields.values()].filter(({ array }) => array).map((field) => [name, field.name]),
  )
  const rows = await query<{ name: string }>(
    `select conname as name from pg_constraint where contype = 'c' and conname like '%\\_list' order by 1`,
  )
  t.same(
    rows.map((row) => row.name),
    columns.map((names) => `${names.join('_')}_list`).sort(),
    'every one of them',
  )
  await sql`insert into countries (id, code, alpha3, name, region, requirements)
    values ('QQ', 'QQ', 'QQQ', 'Q', 'europe', '(,,,,,)')`.execute(operator)
  await t.rejects(
    sql`update countries set sources = array['a', null] where id = 'QQ'`.execute(operator),
    /countries_sources_list/,
  )
})
