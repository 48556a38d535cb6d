import { sql } from 'kysely'
import t from 'tap'
import { pruneHistory } from '../../../app/db/upkeep.ts'
import { resourceNames, resources } from '../../../app/records/resources/index.ts'
import { createCommandLine } from '../../command-line.ts'
import { asCustomer } from '../../helper.ts'
import { eraseCustomer, exportCustomer, withoutPersonalData } from '../../personal-data.ts'
import { app, connect, database, newCustomer, run } from '../../stage.ts'
import type { Entry } from './entries.ts'
import { readPage } from './stage.ts'

const owner = await connect()
const count = async (customer: string) =>
  (
    await run(sql<{ n: number }>`
      select (select count(*) from record_history where customer_id = ${customer})::integer
        + (select count(*) from history_begun where customer_id = ${customer})::integer as n`)
  )[0]?.n
const { cli } = createCommandLine({ DATABASE_URL: database.url })

/** Values that differ from the defaults, by kind or field. */
const another: Record<string, string> = {
  text: `'other'`,
  date: `'2020-02-02'`,
  integer: '7',
  validity_periods: `'{"(2020-02-02,,initial)"}'`,
  authorities: `'{"(N,,,)"}'`,
  requirements: `'(,,,,,note)'`,
}

t.test('keeps every stored field of every resource', async (t) => {
  await asCustomer(database, app, 'fields')
  for (const name of resourceNames) {
    const resource = resources[name]
    const fields = [...resource.fields.values()].filter(
      ({ computed, kind, name: field }) => !computed && kind !== 'instant' && !['id', 'code'].includes(field),
    )
    const otherValue = ({ kind, array, values, name: field }: (typeof fields)[0]) => {
      if (field === 'alpha3') return `'XAB'`
      if (array) return values ? `array['${values[1]}']` : `array['other']`
      return values ? `'${values[1]}'` : another[kind === 'json' ? field : kind]
    }
    const owned = resource.reference ? '' : `, 'fields'`
    const required: Record<string, string> = {
      certificates: `number, title, approval_status) values ('x', 'N', 'T', 'pending'`,
      products: `name) values ('x', 'N'`,
      projects: `project_number, title) values ('x', 'N', 'T'`,
      lab: `report_number, title, status) values ('x', 'N', 'T', 'planned'`,
      approvals: `product_id, country_code, scheme) values ('x', 'p', 'JP', 'S'`,
      countries: `code, alpha3, name, region, requirements) values ('XX', 'XX', 'XAA', 'N', 'europe', '(,,,,,)'`,
    }
    const customer = resource.reference ? '' : ', customer_id'
    const values = (required[name] as string).replace(') values (', `${customer}) values (`)
    await run(sql.raw(`insert into ${name} (id, ${values}${owned})`))
    const set = fields.map((field) => `${field.name} = ${otherValue(field)}`).join(', ')
    const id = resource.reference ? 'XX' : 'x'
    await run(sql.raw(`update ${name} set ${set} where id = '${id}'`))
    const [kept] = await run(sql<{ old: object }>`select old from record_history where resource = ${name}`)
    t.same(Object.keys(kept?.old ?? {}).sort(), fields.map((field) => field.name).sort(), name)
    await run(sql.raw(`delete from ${name} where id = '${id}'`))
    const gone = await run(sql<{ old: object }>`
      select old from record_history where resource = ${name} and old ? 'created_at'`)
    const all = [...fields.map((field) => field.name), 'created_at', ...(resource.reference ? ['code'] : [])]
    t.same(Object.keys(gone[0]?.old ?? {}).sort(), all.sort(), `${name}, deleted`)
  }
})

t.test('an update of many rows reads a constant number of rows for each', async (t) => {
  const update = async (customer: string, rows: number) => {
    await asCustomer(database, app, customer)
    await run(sql`insert into products (customer_id, id, name)
      select ${customer}, 'p' || i, 'one' from generate_series(1, ${rows}::integer) i`)
    await owner.query('begin')
    await owner.query(`update products set name = 'two' where customer_id = '${customer}'`)
    const read = await owner.query(
      'select sum(seq_tup_read + idx_tup_fetch)::integer as n from pg_stat_xact_user_tables',
    )
    await owner.query('commit')
    t.equal(await count(customer), rows)
    return read.rows[0].n as number
  }
  const [few, many] = [await update('few', 50), await update('many', 1_000)]
  t.ok(many < 40 * few, `${few} rows read for 50, ${many} for 1,000`)
})

t.test('forgetting deletes previous values of that record only', async (t) => {
  const { get } = await asCustomer(database, app, 'acme')
  const read = async (id: string) => (await get(`/v1/products/${id}/history`)).json()
  await run(
    sql`insert into products (customer_id, id, name) values ('acme', 'a', 'secret'), ('acme', 'b', 'one')`,
  )
  await run(sql`update products set name = 'public' where customer_id = 'acme'`)
  t.equal((await read('a')).data.length, 2)
  const { code, stdout } = await cli('history', 'forget', 'acme', 'products', 'a', '--yes', '--json')
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { customer: 'acme', resource: 'products', id: 'a', forgotten: 1 })
  const after = await read('a')
  t.same(after.data, [], 'not even that it was created')
  t.ok(after.page.history_from > (await read('b')).page.history_from)
  t.equal((await read('b')).data.length, 2)
  t.notOk((await get('/v1/history')).body.includes('secret'))
  t.same(
    (await get('/v1/history?resource=products')).json().data.map(({ id }: { id: string }) => id),
    ['b', 'b'],
  )
  await run(sql`update products set name = 'next' where customer_id = 'acme' and id = 'a'`)
  t.match((await read('a')).data, [{ changes: { name: { from: 'public', to: 'next' } } }])
  await run(sql`delete from products where customer_id = 'acme' and id = 'a'`)
  t.match(
    (await read('a')).data.map(({ op }: { op: string }) => op),
    ['delete', 'update'],
  )
  const { rows } = await owner.query(`select old::text from record_history where customer_id = 'acme'`)
  t.notOk(rows.some(({ old }) => old?.includes('secret')))
  const again = await cli('history', 'forget', 'acme', 'products', 'a', '--yes', '--json')
  t.match(JSON.parse(again.stdout), { forgotten: 2 }, 'of a deleted record, too; the mark is no change')
  t.equal((await get('/v1/products/a/history')).statusCode, 404)
  t.match(await cli('history', 'forget', 'acme', 'products', 'a', '--yes'), {
    code: 1,
    stderr: /no product a/,
  })
  t.match(await cli('history', 'forget', 'nobody', 'products', 'a'), { code: 1 })
  t.match(await cli('history', 'forget', 'acme', 'countries', 'JP'), { code: 2 })
  const audit = JSON.parse((await cli('audit', 'list', '--customer', 'acme', '--json')).stdout)
  const acts = audit.filter(({ action }: { action: string }) => action === 'history.forget')
  t.match(acts, [{ details: { record: 'products/a' } }, { details: { record: 'products/a', changes: 1 } }])
})

t.test('history is pruned by age, and reports its new start', async (t) => {
  const { get } = await asCustomer(database, app, 'old')
  await run(sql`insert into products (customer_id, id, name) values ('old', 'p', 'one')`)
  await run(sql`update products set name = 'two' where customer_id = 'old'`)
  await run(sql`update products set name = 'three' where customer_id = 'old'`)
  const read = async () => (await get('/v1/products/p/history')).json()
  t.equal((await read()).data.length, 3)
  await owner.query(`update record_history set at = at - interval '400 days'
    where customer_id = 'old' and position = (select min(position) from record_history where customer_id = 'old')`)
  await owner.query(`update history_begun set since = since - interval '500 days'`)
  const before = await count('acme')
  t.equal(await pruneHistory(database.reader, 365), 1, 'the serving role may')
  t.equal(await count('acme'), before)
  const { data, page } = await read()
  t.match(data[0].changes, { name: { from: 'two', to: 'three' } })
  t.equal(Math.round((Date.now() - Date.parse(page.history_from)) / 86_400_000), 365)
  t.equal(await pruneHistory(database.reader, 365), 0)
})

t.test('pages continue after a pruning, and repeat no entry', async (t) => {
  const { id: customer, getOnDay } = await newCustomer()
  const get = await getOnDay(0)
  // Three lives of a record. The second one was valid until 300 days ago, which makes calendar changes.
  const create = sql`insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until)
    values (${customer}, 'c', 'N', 'T', 'approved', current_date - 600, current_date - 300)`
  const end = sql`delete from certificates where customer_id = ${customer}`
  const rename = (title: string) =>
    sql`update certificates set title = ${title} where customer_id = ${customer}`
  for (const statement of [create, rename('U'), end, create, rename('V'), rename('W'), end, create]) {
    await run(statement)
  }
  await run(rename('X'))
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status)
    values (${customer}, 'other', 'N', 'T', 'approved')`)
  const age = (days: number, most: number) =>
    owner.query(`update record_history set at = at - interval '${days} days'
      where customer_id = '${customer}' and position in (select position from record_history
        where customer_id = '${customer}' order by position limit ${most})`)
  // The first life is 500 days older than the second, and its end 100 days older than the last creation.
  await age(400, 6)
  await age(100, 7)
  await age(500, 3)
  await owner.query(`update history_begun set since = since - interval '2000 days'`)
  const walks = ['/v1/certificates/c/history', '/v1/history?resource=certificates'].map((path) => {
    const readFrom = (limit: number, cursor: string | null) =>
      readPage(
        get,
        `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
      )
    return { path, readFrom, cursors: [] as string[] }
  })
  const known = new Map<string, Entry[]>()
  for (const { path, readFrom, cursors } of walks) {
    known.set(path, (await readFrom(50, null)).data)
    for (let cursor: string | null = null; ; ) {
      cursor = (await readFrom(1, cursor)).page.next_cursor
      if (cursor === null) break
      cursors.push(cursor)
    }
    t.equal(cursors.length, (known.get(path)?.length ?? 0) - 1)
  }
  const toText = ({ id, at, op, cause = '' }: Entry) => `${id} ${at} ${op} ${cause}`
  const testRests = async (name: string) => {
    for (const { path, readFrom, cursors } of walks) {
      const before = (known.get(path) ?? []).map(toText)
      const now = (await readFrom(50, null)).data.map(toText)
      t.ok(now.length < before.length)
      for (const [index, cursor] of cursors.entries()) {
        const rest = (await readFrom(50, cursor)).data.map(toText)
        const expected = before.slice(index + 1).filter((entry) => now.includes(entry))
        t.same(rest, expected, `${path}, ${name}, after ${before[index]}`)
      }
    }
  }
  await pruneHistory(database.reader, 900)
  await testRests('without the first life')
  await pruneHistory(database.reader, 400)
  await testRests('with a part of the second life')
  await pruneHistory(database.reader, 50)
  await testRests('with the last life only')
})

t.test('history is exported, and erased with its customer', { skip: withoutPersonalData }, async (t) => {
  await asCustomer(database, app, 'erased')
  await run(sql`insert into products (customer_id, id, name) values ('erased', 'p', 'one')`)
  await run(sql`update products set name = 'two' where customer_id = 'erased'`)
  const { record_history: entries = [] } = await exportCustomer(database, 'erased')
  t.match(JSON.stringify(entries), '"old":{"name":"one"}')
  await eraseCustomer(database, 'erased')
  t.equal(await count('erased'), 0)
})

t.test('history is deleted with its customer', async (t) => {
  await asCustomer(database, app, 'dropped')
  await run(sql`insert into products (customer_id, id, name) values ('dropped', 'p', 'one')`)
  await run(
    sql`insert into history_begun (customer_id, resource, since) values ('dropped', 'products', now())`,
  )
  await run(sql`delete from customers where customer_id = 'dropped'`)
  t.equal(await count('dropped'), 0)
})

t.test('a truncated table starts a new history', async (t) => {
  const { get } = await asCustomer(database, app, 'emptied')
  await run(
    sql`insert into lab (customer_id, id, report_number, title, status) values ('emptied', 'r', 'N', 'T', 'draft')`,
  )
  await run(sql`update lab set title = 'U' where customer_id = 'emptied'`)
  await owner.query('truncate lab')
  t.equal((await get('/v1/lab/r/history')).statusCode, 404)
  const from = (await get('/v1/history?resource=lab')).json().page.history_from
  t.ok(Date.now() - Date.parse(from) < 60_000)
})
