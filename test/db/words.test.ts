import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../app/db/schema.ts'
import { foldWords } from '../../app/records/query/words.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { closeAfter, connectOwner, createTestDatabase } from '../helper.ts'
import { eraseCustomer, withoutPersonalData } from '../personal-data.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
const { operator, reader } = database

const run = (text: string, db: Db = operator) => sql.raw(text).execute(db)
/** Returns a line such as `certificates/acme c1: ac 100` for each row. */
const listWords = async (): Promise<string[]> => {
  const { rows } = await sql<{ line: string }>`
    select resource || '/' || customer_id || ' ' || id || ': ' || (
      select string_agg(split_part(lexeme, '/', 3), ' ' order by lexeme collate "C") from unnest(words)) as line
    from record_words where customer_id <> '*' order by 1`.execute(operator)
  return rows.map(({ line }) => line)
}
const listReadable = (customer: string | undefined) =>
  reader.transaction().execute(async (trx) => {
    await sql`select set_config('app.customer_id', ${customer ?? ''}, true)`.execute(trx)
    const { rows } = await sql<{ line: string }>`
      select resource || '/' || customer_id || ' ' || id as line from record_words
      order by customer_id collate "C" desc`.execute(trx)
    return rows.map(({ line }) => line)
  })
const find = (customer: string | undefined, asked: string, resource: string, words: string) =>
  reader.transaction().execute(async (trx) => {
    await sql`select set_config('app.customer_id', ${customer ?? ''}, true)`.execute(trx)
    const { rows } = await sql<{ id: string }>`
      select find_by_words(${asked}, ${resource}, ${[words]}::text[], 10) as id order by 1`.execute(trx)
    return rows.map(({ id }) => id)
  })

t.test('database and service fold every character to the same words', async (t) => {
  const { rows } = await sql<{ point: number; words: string[] }>`
    select point, fold_words('Aa' || chr(point) || 'Bb') as words
    from generate_series(1, 1114111) point where point not between 55296 and 57343`.execute(operator)
  const differing = rows.filter(({ point, words }) => {
    const own = foldWords(`Aa${String.fromCodePoint(point)}Bb`)
    return own.join(' ') !== words.filter((word) => word !== '').join(' ')
  })
  // The two may have different versions of Unicode.
  const old = differing.filter(({ point }) =>
    /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(String.fromCodePoint(point)),
  )
  t.comment(`${differing.length} of ${rows.length} differ`)
  t.ok(rows.length > 1_100_000)
  t.ok(differing.length < 500, `${differing.length} differ`)
  t.ok(old.length < 60, old.map(({ point }) => point.toString(16)).join())
  const common = differing.filter(({ point }) => point < 0x1c80)
  t.same(common, [], 'none of the alphabets in use')
})

t.test('folding removes only case and accents', async (t) => {
  const cases: Record<string, string[]> = {
    'Tracker-MINI 2': ['tracker', 'mini', '2'],
    'Łódź Øresund Đakovo': ['lodz', 'oresund', 'dakovo'],
    'İSTANBUL ısı': ['istanbul', 'isi'],
    'Straße Æther ŒUVRE Þór': ['strasse', 'aether', 'oeuvre', 'thor'],
    'ΟΔΟΣ οδός': ['οδοσ', 'οδοσ'],
    'Ёлка ЙОД': ['елка', 'иод'],
    'ﬁve™ №½': ['fivetm', 'no1', '2'],
    'हिन्दी กำลัง': ['हिन्दी', foldWords('กำลัง')[0] as string],
    "O'Neil’s “x”\u00a0y": ['o', 'neil', 's', 'x', 'y'],
    '中文 😀 かな': ['中文', 'かな'],
  }
  for (const [text, words] of Object.entries(cases)) {
    const { rows } = await sql<{ words: string[] }>`select fold_words(${text}) as words`.execute(operator)
    t.same([foldWords(text), rows[0]?.words.filter((word) => word !== '')], [words, words], text)
  }
})

t.test('triggers keep the words of each record, and of no other field', async (t) => {
  await run(`insert into customers (customer_id, name) values ('acme', 'Acme'), ('bolt', 'Bolt')`)
  const product = 'insert into products (customer_id, id, name, part_numbers, brand, category) values'
  await run(
    `${product} ('acme', 'p1', 'Mini mini-Tracker X', '{PN-77,GTIN 4}', 'Ünï', 'hidden'), ('bolt', 'p1', 'Other', '{}', null, null)`,
  )
  t.same(await listWords(), ['products/acme p1: 77 gtin mini pn tracker uni', 'products/bolt p1: other'])
  await run(`${product} ('acme', 'p1', 'Maxi', '{PN-77}', null, 'hidden') on conflict (customer_id, id)
    do update set name = excluded.name, part_numbers = excluded.part_numbers, brand = excluded.brand`)
  t.same(await listWords(), ['products/acme p1: 77 maxi pn', 'products/bolt p1: other'])
  const before = await sql`select xmin::text, * from record_words`.execute(operator)
  await run(`update products set category = 'changed' where customer_id = 'acme'`)
  t.same(
    await sql`select xmin::text, * from record_words`.execute(operator),
    before,
    'other fields touch no words',
  )
  await run(`update products set id = 'p2' where customer_id = 'acme'`)
  t.same(await listWords(), ['products/acme p2: 77 maxi pn', 'products/bolt p1: other'])
  await run(
    `insert into lab (customer_id, id, report_number, title, status) values ('acme', 'l1', '${'x'.repeat(2000)}', '', 'draft')`,
  )
  t.ok((await listWords()).includes(`lab/acme l1: ${'x'.repeat(100)}`), 'of a long word its beginning')
  await run('truncate lab', owner)
  await run(`delete from products where customer_id = 'acme'`)
  t.same(await listWords(), ['products/bolt p1: other'])
  await run(`delete from customers where customer_id = 'bolt'`)
  t.same(await listWords(), [], 'a deleted customer leaves none')
})

t.test('stores words only of the fields in the definitions', async (t) => {
  const { rows } = await sql<{ name: string; body: string }>`
    select proname as name, prosrc as body from pg_proc where proname ~ '_words_(insert|update)$'`.execute(
    operator,
  )
  for (const name of resourceNames) {
    for (const [event, row] of [
      ['insert', 'r'],
      ['update', 'new'],
    ]) {
      const body = rows.find((each) => each.name === `${name}_words_${event}`)?.body ?? ''
      const [, texts = ''] = /concat_ws\(' ', (.*?)\)\)\)? word/s.exec(body) ?? []
      const fields = [...texts.matchAll(new RegExp(`\\b${row}\\.(\\w+)`, 'g'))].map(([, field]) => field)
      t.same([...new Set(fields)], resources[name].search, `${name}, ${event}`)
    }
  }
  t.equal(rows.length, 2 * resourceNames.length)
})

t.test('no statement finds a record of another customer', async (t) => {
  await run(
    `insert into customers (customer_id, name) values ('acme', 'Acme'), ('bolt', 'Bolt') on conflict do nothing`,
  )
  await run(
    `insert into products (customer_id, id, name) values ('acme', 'a', 'Common name'), ('bolt', 'b', 'Common name')`,
  )
  await run(`insert into countries (id, code, alpha3, name, region, requirements)
    values ('DE', 'DE', 'DEU', 'Germany', 'europe', row(null, null, null, null, null, null)::country_requirements)`)
  t.same(await find('acme', 'acme', 'products', 'common'), ['a'])
  t.same(await find('bolt', 'bolt', 'products', 'common'), ['b'])
  t.same(await find('bolt', 'acme', 'products', 'common'), [], 'the session decides')
  t.same(await find(undefined, 'acme', 'products', 'common'), [])
  t.same(await find('acme', 'acme', 'lab', 'common'), [], 'nor of another resource')
  t.same(await find('acme', '*', 'products', 'common'), [])
  t.same(
    await find('acme', 'acme', 'products', "x' | 'a"),
    [],
    'no operator of the search language gets through',
  )
  t.same(
    await listReadable('bolt'),
    ['products/bolt b', 'countries/* DE'],
    'the policy shows the words of no other',
  )
  t.same(await listReadable(undefined), ['countries/* DE'])
})

t.test('an erasure deletes the words of the customer', { skip: withoutPersonalData }, async (t) => {
  t.match(await eraseCustomer(database, 'acme'), { rows: { record_words: 1 } })
  t.same(await listWords(), ['products/bolt b: common name'])
})
