import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { resourceNames, resources } from '../../app/resources/index.ts'
import { contract, type FieldSpec } from '../api/contract.ts'
import { createTestDatabase } from '../helper.ts'

type Row = Record<string, unknown>

const database = await createTestDatabase()
const { operator } = database
const owner = new pg.Client({ connectionString: database.url })
await owner.connect()
t.teardown(async () => {
  await owner.end()
  await database.close()
})

const query = async <T = Row>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await owner.query(text, values)).rows
const asOperator = async <T = Row>(text: string): Promise<T[]> => {
  const { rows } = await sql.raw<T>(text).execute(operator)
  return rows
}

await asOperator(
  `insert into customers (customer_id, name) values ('acme', 'a'), ('bolt', 'b'), ('gone', 'g')`,
)

const owned = resourceNames.filter((name) => !resources[name].reference)

/** Every field that the table takes from the operator, for a row that is complete. */
const complete: Record<(typeof owned)[number], string> = {
  certificates: `'{"number": "1", "title": "t", "approval_status": "approved", "validity_periods": [],
    "valid_until": "2030-01-01", "standards": ["s1", "s2"], "tags": ["a", "b"]}'`,
  products: `'{"name": "n", "model": "m", "product_status": "active", "part_numbers": ["p1", "p2"],
    "technologies": ["wifi"], "tags": ["a", "b"]}'`,
  projects: `'{"project_number": "1", "title": "t", "status": "draft", "product_ids": ["p1"],
    "country_codes": ["JP", "KR"], "tags": ["a", "b"]}'`,
  lab: `'{"report_number": "1", "title": "t", "status": "draft", "revision": 1, "standards": ["s1"],
    "tags": ["a", "b"]}'`,
  approvals: `'{"product_id": "p", "country_code": "JP", "scheme": "s", "status": "planned", "tags": ["a", "b"]}'`,
  countries: '',
}

const insert = (table: string, customer: string, id: string, more = '{}', conflict = '') => `
  insert into ${table} select r.* from jsonb_populate_record(null::${table},
    (select to_jsonb(b) from jsonb_populate_record(null::${table}, '{}') b)
      || '{"standards": [], "tags": [], "part_numbers": [], "technologies": [], "product_ids": [],
           "country_codes": [], "validity_periods": []}'
      || ${complete[table as keyof typeof complete]}::jsonb || '${more}'::jsonb
      || '{"customer_id": "${customer}", "id": "${id}"}') r ${conflict}`

t.test(
  'every table with customer_id has forced row level security, and a key that begins with it',
  async (t) => {
    const tables = await query<{
      name: string
      enabled: boolean
      forced: boolean
      first: string
      policies: string
    }>(`
    select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
      (select a.attname from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
       where i.indrelid = c.oid and i.indisprimary) as first,
      (select string_agg(p.policyname || ' ' || p.cmd || ' ' || array_to_string(p.roles, '+'), ', ' order by p.policyname)
       from pg_policies p where p.tablename = c.relname and p.schemaname = 'public') as policies
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'customer_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`)
    for (const name of [...owned, 'elements', 'customers', 'api_keys']) {
      t.ok(
        tables.some((table) => table.name === name),
        `${name} is one of them`,
      )
    }
    t.same(
      tables.filter((table) => !table.enabled || !table.forced || table.first !== 'customer_id'),
      [],
    )
    const readable = tables.filter((table) => table.policies.includes('reader'))
    t.same(
      readable.map((table) => table.name),
      [...owned, 'elements'].sort(),
    )
    t.same(
      [...new Set(readable.map((table) => table.policies))],
      ['operator ALL certdata_operator, reader SELECT certdata_reader'],
    )
  },
)

t.test('every trigger fires always, also while a replica applies changes', async (t) => {
  const triggers = await query<{ name: string; enabled: string; table: string }>(`
    select tgname as name, tgenabled as enabled, tgrelid::regclass::text as table from pg_trigger
    where not tgisinternal`)
  t.ok(triggers.length >= 6 + 5 * 4, `${triggers.length} triggers`)
  t.same(
    triggers.filter((trigger) => trigger.enabled !== 'A'),
    [],
  )
  for (const name of resourceNames) {
    t.ok(
      triggers.some((trigger) => trigger.table === name && trigger.name === `${name}_before`),
      name,
    )
  }
})

const typeOf = (field: FieldSpec): string => {
  if (field.array) return 'text[]'
  if (field.kind === 'json') return 'jsonb'
  if (field.kind === 'instant') return 'timestamp with time zone'
  if (field.kind === 'date') return 'calendar_date'
  return field.kind
}

t.test(
  'columns are the stored fields of the contract, in name, type and nullability, and the sort columns',
  async (t) => {
    for (const spec of contract) {
      const { sorts } = spec
      const columns = await query<{ name: string; type: string; required: boolean }>(
        `select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by 1`,
        [spec.name],
      )
      const stored = spec.fields.filter((field) => !spec.computed.includes(field.name))
      const wanted = stored.map((field) => ({
        name: field.name,
        type: typeOf(field),
        required: !field.nullable,
      }))
      for (const field of stored.filter((each) => sorts.includes(each.name) && each.nullable)) {
        const type = field.kind === 'date' ? 'date' : 'text'
        wanted.push({ name: `${field.name}_sort`, type, required: true })
      }
      if (!spec.reference) wanted.push({ name: 'customer_id', type: 'text', required: true })
      wanted.sort((a, b) => (a.name < b.name ? -1 : 1))
      t.same(columns, wanted, spec.name)
    }
  },
)

t.test('every text column and key compares by bytes', async (t) => {
  const columns = await query(
    `
    select c.relname as table, a.attname as name, o.collname as collation
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_collation o on o.oid = a.attcollation
    where c.relname = any($1) and c.relkind in ('r', 'i') and a.attnum > 0 and o.collname <> 'C'`,
    [[...resourceNames, 'elements']],
  )
  t.same(columns, [])
})

t.test("checks list the contract's values, no more and no fewer", async (t) => {
  const wrong: object[] = []
  for (const spec of contract) {
    for (const field of spec.fields) {
      if (!field.values || spec.computed.includes(field.name)) continue
      const checks = await query<{ definition: string }>(
        `select pg_get_constraintdef(c.oid) as definition from pg_constraint c
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
         where c.contype = 'c' and c.conrelid = $1::regclass and a.attname = $2`,
        [spec.name, field.name],
      )
      const values = checks.flatMap(({ definition }) =>
        [...definition.matchAll(/'([a-z_]+)'::text/g)].map(([, value]) => value as string),
      )
      if (values.toSorted().join() !== field.values.toSorted().join()) {
        wrong.push({ table: spec.name, field: field.name, values, wanted: field.values })
      }
    }
  }
  t.same(wrong, [])
})

t.test('the serving role may read records under its policy, and nothing else', async (t) => {
  const grants = await query<{ table: string; rights: string }>(`
    select table_name as table, string_agg(privilege_type, ' ' order by privilege_type) as rights
    from information_schema.role_table_grants
    where grantee = 'certdata_reader' and table_schema = 'public' group by 1 order by 1`)
  const readable = [...resourceNames, 'elements', 'kysely_migration', 'kysely_migration_lock'].sort()
  t.same(
    grants,
    readable.map((table) => ({ table, rights: 'SELECT' })),
  )
  const [role] = await query(`select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin
    from pg_roles where rolname = 'certdata_reader'`)
  t.same(Object.values(role ?? { missing: true }), [false, false, false, false, false])
  const functions = await query<{ name: string; definer: boolean; path: string[] | null }>(`
    select p.proname as name, p.prosecdef as definer, p.proconfig as path from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef`)
  t.ok(functions.length > 0)
  t.same(
    functions.filter(({ path }) => !path?.some((each) => /^search_path=public, pg_temp$/.test(each))),
    [],
    'functions with rights of their own name their search path',
  )
  const open = await query(`select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace
    and p.prosecdef and has_function_privilege('public', p.oid, 'execute')`)
  t.same(open, [], 'and are not for everybody')
})

t.test('an update that changes nothing keeps updated_at and the row itself', async (t) => {
  const stampsOf = (table: string) =>
    asOperator(
      `select id, xmin::text, ctid::text, created_at::text, updated_at::text from ${table} order by id`,
    )
  for (const name of owned) {
    await asOperator(insert(name, 'acme', 'one'))
    const before = await stampsOf(name)
    await asOperator(`update ${name} set tags = array['a', 'b'], created_at = 'epoch', updated_at = 'epoch'`)
    await asOperator(
      insert(name, 'acme', 'one', '{}', 'on conflict (customer_id, id) do update set tags = excluded.tags'),
    )
    t.same(await stampsOf(name), before, name)
    await asOperator(`update ${name} set tags = array['b', 'a']`)
    const [after] = await stampsOf(name)
    t.not(after?.updated_at, before[0]?.updated_at, `${name}: a change of order is a change`)
    t.equal(after?.created_at, before[0]?.created_at)
  }
  await asOperator(`insert into countries (id, code, alpha3, name, region, requirements)
    values ('JP', 'JP', 'JPN', 'Japan', 'asia_pacific', '{}')`)
  const before = await stampsOf('countries')
  await asOperator(`update countries set name = 'Japan', updated_at = now()`)
  t.same(await stampsOf('countries'), before, 'countries')
})

t.test('created_at and updated_at are the service’s own, whatever is written', async (t) => {
  for (const name of owned) {
    await asOperator(
      insert(name, 'bolt', 'stamped', '{"created_at": "2001-01-01", "updated_at": "2001-01-01"}'),
    )
    const [row] = await asOperator<{ old: boolean }>(
      `select created_at < now() - interval '1 hour' or updated_at < now() - interval '1 hour' as old
       from ${name} where customer_id = 'bolt'`,
    )
    t.equal(row?.old, false, name)
  }
})

t.test(
  'sort columns follow their fields, null being greatest, and cannot be written otherwise',
  async (t) => {
    const wrong: object[] = []
    for (const spec of contract.filter((each) => !each.reference)) {
      for (const field of spec.fields.filter((each) => each.nullable && spec.sorts.includes(each.name))) {
        const value = field.kind === 'date' ? '2026-01-31' : 'x'
        const wanted = field.kind === 'date' ? ['infinity', value, 'infinity'] : ['w', `v${value}`, 'w']
        const read = async () => {
          const [row] = await asOperator<{ sort: string }>(
            `select ${field.name}_sort::text as sort from ${spec.name} where id = 'sorted'`,
          )
          return row?.sort
        }
        await asOperator(`delete from ${spec.name} where id = 'sorted'`)
        await asOperator(insert(spec.name, 'acme', 'sorted', `{"${field.name}": null}`))
        const seen = [await read()]
        await asOperator(`update ${spec.name} set ${field.name} = '${value}' where id = 'sorted'`)
        seen.push(await read())
        await asOperator(`update ${spec.name} set ${field.name}_sort = ${field.kind === 'date' ? "'epoch'" : "'z'"},
        ${field.name} = null where id = 'sorted'`)
        seen.push(await read())
        if (seen.join() !== wanted.join()) wrong.push({ table: spec.name, field: field.name, seen })
      }
    }
    t.same(wrong, [])
  },
)

/** What the table of elements must hold, read off the arrays themselves, and what it holds. */
const compareElements = async (): Promise<{ missing: Row[]; left: Row[] }> => {
  const arrays = owned.flatMap((name) =>
    resources[name].elements.map(
      (field) => `select distinct r.customer_id, '${name}' as resource, '${field}' as field, v as value, r.id
        from ${name} r, unnest(r.${field}) v`,
    ),
  )
  const wanted = arrays.join(' union all ')
  const held = 'select customer_id, resource, field, value, id from elements'
  return {
    missing: await asOperator(`(${wanted}) except (${held})`),
    left: await asOperator(`(${held}) except (${wanted})`),
  }
}
const inStep = { missing: [], left: [] }

t.test('elements follow the arrays', async (t) => {
  const filtered = contract.flatMap((spec) =>
    spec.filters
      .filter((filter) =>
        spec.fields.some((field) => field.name === filter.name && field.array && !field.values),
      )
      .map((filter) => `${spec.name}.${filter.name}`),
  )
  const kept = resourceNames.flatMap((name) => resources[name].elements.map((field) => `${name}.${field}`))
  t.same(kept.toSorted(), filtered.filter((name) => !name.startsWith('countries')).toSorted())
  for (const name of owned) {
    const array = resources[name].elements[0] as string
    await asOperator(`delete from ${name}`)
    const step = async (what: string, text: string) => {
      await asOperator(text)
      t.same(await compareElements(), inStep, `${name}: ${what}`)
    }
    await step('inserted', insert(name, 'acme', 'one'))
    await step('inserted for another customer under the same id', insert(name, 'bolt', 'one'))
    await step(
      'several at once',
      `${insert(name, 'acme', 'two')} union all select * from (${insert(name, 'acme', 'three').replace(/^\s*insert into \w+/, '')}) x`,
    )
    const [count] = await asOperator<{ n: number }>(
      `select count(*)::int as n from elements where resource = '${name}'`,
    )
    t.ok((count?.n ?? 0) >= 8, 'the test sees elements')
    await step('the same value twice', `update ${name} set tags = array['a', 'a', 'b'] where id = 'two'`)
    await step('some replaced', `update ${name} set tags = array['b', 'c'] where id = 'one'`)
    await step('another array', `update ${name} set ${array} = array['JP', 'x'] where id in ('one', 'two')`)
    await step('emptied', `update ${name} set tags = '{}' where id = 'three'`)
    await step('nothing changed', `update ${name} set tags = tags`)
    await step('an id changed', `update ${name} set id = 'four' where id = 'two'`)
    await step('a customer changed', `update ${name} set customer_id = 'gone' where id = 'three'`)
    await step(
      'upserted',
      insert(
        name,
        'acme',
        'one',
        '{"tags": ["new"]}',
        'on conflict (customer_id, id) do update set tags = excluded.tags',
      ),
    )
    await step(
      'upserted, unchanged',
      insert(
        name,
        'acme',
        'one',
        '{"tags": ["new"]}',
        'on conflict (customer_id, id) do update set tags = excluded.tags',
      ),
    )
    await step(
      'merged',
      `merge into ${name} m using (values ('one'), ('four')) v (id) on m.id = v.id and m.customer_id = 'acme'
       when matched and v.id = 'one' then delete when matched then update set tags = array['merged']`,
    )
    await step('deleted', `delete from ${name} where customer_id = 'bolt'`)
    await asOperator(insert(name, 'gone', 'last'))
  }
})

t.test('elements go with their customer', async (t) => {
  await asOperator(`delete from customers where customer_id = 'gone'`)
  t.same(await asOperator(`select * from elements where customer_id = 'gone'`), [])
  t.same(await compareElements(), inStep)
})

t.test('elements are emptied where a table is truncated', async (t) => {
  for (const name of owned) {
    await asOperator(insert(name, 'acme', 'truncated'))
    await query(`truncate ${name}`)
    t.same(await asOperator(`select * from elements where resource = '${name}'`), [], name)
  }
  t.same(await compareElements(), inStep)
})

t.test('text that no index could hold, and ids that no path could, are refused by the tables', async (t) => {
  const refused = async (text: string) =>
    (await asOperator(text).catch((error: Error) => error)) instanceof Error
  const long = (letter: string, count: number) => letter.repeat(count)
  t.ok(await refused(insert('certificates', 'acme', 'long', `{"number": "${long('x', 2001)}"}`)))
  t.ok(await refused(insert('certificates', 'acme', 'long', `{"number": "${long('ä', 1001)}"}`)))
  t.notOk(await refused(insert('certificates', 'acme', 'long', `{"number": "${long('ä', 1000)}"}`)))
  t.ok(await refused(insert('products', 'acme', 'long', `{"model": "${long('x', 2001)}"}`)))
  t.ok(await refused(insert('products', 'acme', 'long', `{"tags": ["${long('x', 2001)}"]}`)))
  t.notOk(await refused(insert('products', 'acme', 'long', `{"tags": ["${long('x', 2000)}"]}`)))
  for (const id of ['', '.', '..', 'a b', 'a/b', 'ä', long('x', 65), 'a\\n']) {
    t.ok(await refused(insert('products', 'acme', id)), JSON.stringify(id))
  }
  for (const id of ['.a', '...a', '~', '-', long('x', 64)]) {
    t.notOk(await refused(insert('products', 'acme', id)), JSON.stringify(id))
  }
  for (const day of ['0000-01-01', '10000-01-01', 'infinity', '-infinity', '0001-01-01 BC']) {
    t.ok(await refused(insert('lab', 'acme', 'day', `{"issued_on": "${day}"}`)), day)
  }
})
