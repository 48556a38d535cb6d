import t from 'tap'
import type { ImportReport } from '../../app/import/index.ts'
import { maxLineBytes, readLines } from '../../app/import/lines.ts'
import { retryTransaction } from '../../app/import/transaction.ts'
import { certificate, openDatabase, product, type Row } from './database.ts'

const database = await openDatabase(t)
const { query, take, read } = database
t.beforeEach(() => query('truncate certificates, products, projects, lab, approvals; delete from customers'))

const reasons = (report: ImportReport) => report.badLines.map(({ line, reason }) => `${line}: ${reason}`)
const ids = async (resource: string) => [...(await read(resource)).keys()].sort()
const single = async (resource: string): Promise<Row> => {
  const [row] = [...(await read(resource)).values()]
  if (!row) throw new Error(`no ${resource}`)
  return row
}

t.test('bad lines are reported with number and reason, and all others are imported', async (t) => {
  const report = await take([
    product('a'),
    '{"resource": "products", "customer": "acme", "id": ',
    '["products"]',
    product('b', { colour: 'red' }),
    product('c', { name: null }),
    product('d', { product_status: 'sold' }),
    certificate('e', { valid_until: '2026-02-30', tags: ['x', 7] }),
    { ...certificate('f'), approval_status: undefined },
    { resource: 'widgets', customer: 'acme', id: 'g' },
    { ...product('h'), customer: undefined },
    product('i', { customer: 'Acme GmbH' }),
    product('../etc'),
    product('j', { name: 'nul \u0000' }),
    product('k', { name: 'lone \ud800' }),
    product('l', { name: 'x'.repeat(2001) }),
    product('m', { name: '字'.repeat(667) }),
    product('n', { created_at: '2020-01-01T00:00:00Z', updated_at: 'nonsense' }),
    product('o', { customer: 'demo' }),
    certificate('p', { validity: 'nonsense', expiring: 'nonsense', days_remaining: 'nonsense' }),
  ])
  t.strictSame(await ids('products'), ['acme a', 'acme n'])
  t.strictSame(await ids('certificates'), ['acme p'])
  t.match(report, { read: 19, created: 3, bad: 16 })
  t.match(reasons(report), [
    /^2: not JSON: it ends too early/,
    '3: not a JSON object; found a list',
    '4: unknown field "colour"',
    '5: name: required',
    /^6: product_status must be one of "draft"/,
    /^7: valid_until: expected a date as YYYY-MM-DD; found "2026-02-30"; tags.1 must be text; found a number/,
    '8: approval_status: required',
    '9: resource: expected one of certificates, products, projects, countries, lab, approvals',
    '10: customer: required',
    /^11: customer: expected 1 to 64/,
    /^12: id: expected 1 to 64/,
    /^13: name: .*U\+0000/,
    /^14: name: .*surrogates/,
    /^15: name: .*2000/,
    /^16: name: .*2000 bytes/,
    /^18: customer: demo is the customer of the example data/,
  ])
})

t.test('a line with very many faults has a reason of bounded length', async (t) => {
  const fields = Array.from({ length: 50_000 }, (_, index) => [`field-${index}`, 1])
  const report = await take([
    product('a', Object.fromEntries(fields)),
    product('b', { tags: Array(50_000).fill(7) }),
  ])
  t.equal(report.bad, 2)
  t.ok(report.badLines.every(({ reason }) => reason.length < 1100))
})

t.test('a customer whose lines are all bad is not created', async (t) => {
  await take([product('a', { customer: 'nobody', name: 7 }), product('b')])
  t.same(await query('select customer_id from customers'), [{ customer_id: 'acme' }])
})

t.test('a line that the database refuses is the only bad one, at any position', async (t) => {
  await query(`alter table products add constraint no_thirteen check (name not like '%13')`)
  t.teardown(() => query('alter table products drop constraint no_thirteen'))
  const lines = Array.from({ length: 300 }, (_, index) => product(String(index)))
  const report = await take(lines)
  t.match(report, { read: 300, created: 297, bad: 3 })
  t.strictSame(
    report.badLines.map(({ line }) => line),
    [14, 114, 214],
  )
  t.match(report.badLines[0]?.reason, /no_thirteen/)
  t.equal((await ids('products')).length, 297)
})

t.test('a limit of the database is reported with the field, the bound and the next step', async (t) => {
  const numbers = Array.from({ length: 80_000 }, (_, index) => `p${index}`)
  const country = {
    resource: 'countries',
    id: 'XX',
    code: 'XX',
    alpha3: 'XXX',
    name: 'Nowhere',
    region: 'europe',
  }
  const report = await take([
    product('a', { part_numbers: numbers }),
    product('b'),
    { ...country, requirements: { lead_time_weeks: { min: 3e9, max: 2 } } },
  ])
  t.match(report, { created: 1, bad: 2 })
  t.match(reasons(report), [
    /^1: part_numbers: 80,000 values are too many.*name, part_numbers.* 1,048,575 bytes; divide the record/,
    '3: requirements.lead_time_weeks.min: expected at most 2,147,483,647; found 3000000000',
  ])
  t.strictSame(await ids('products'), ['acme b'])
})

t.test('a limit of the words holds for every writer', async (t) => {
  const write = (count: number) =>
    query(
      `insert into products (customer_id, id, name, part_numbers, product_status, technologies, tags)
      select 'acme', 'w', 'x', array(select 'p' || n from generate_series(1, $1::integer) n), 'active', '{}', '{}'`,
      [count],
    )
  await take([product('b')])
  await t.rejects(write(60_000), { code: '54000', message: /at most 1048575 bytes of words, and these have/ })
  await write(40_000)
  const [{ last } = {}] = await query(
    `select words::text::tsvector @@ '''products/acme/p40000'''::tsquery as last from record_words where id = 'w'`,
  )
  t.equal(last, true, 'below it, every word is found, and a dump can be restored')
})

t.test(
  'a name of a customer is used wherever it first appears, and never replaces another one',
  async (t) => {
    const lines = Array.from({ length: 5200 }, (_, index) =>
      product(String(index), index < 5100 ? {} : { customer_name: 'Acme GmbH' }),
    )
    const read = async () => (await query('select name from customers')).map(({ name }) => name)
    await take(lines)
    t.strictSame(await read(), ['Acme GmbH'])
    await take([product('x', { customer_name: 'Other GmbH' })])
    t.strictSame(await read(), ['Acme GmbH'])
    await query('update customers set name = customer_id')
    await take([product('y', { customer_name: 'Acme AG' })], { dryRun: true })
    t.strictSame(await read(), ['acme'], 'a dry run writes nothing')
    await take([product('y', { customer_name: 'Acme AG' })])
    t.strictSame(await read(), ['Acme AG'], 'also after an interruption')
  },
)

t.test('a refused line does not undo a valid one of the same record', async (t) => {
  await query(`alter table products add constraint no_bad check (name <> 'bad')`)
  t.teardown(() => query('alter table products drop constraint no_bad'))
  const report = await take([product('a', { name: 'good' }), product('a', { name: 'bad' })])
  t.match(report, { created: 1, updated: 0, bad: 1 })
  t.equal((await single('products')).name, 'good')
})

t.test('a country whose id is not its code is a bad line', async (t) => {
  const country = { resource: 'countries', code: 'XX', alpha3: 'XXX', name: 'Nowhere', region: 'europe' }
  const report = await take([{ ...country, id: 'XY' }, { ...country, customer: 'acme' }, country])
  t.match(reasons(report), [/^1: .*check/, '2: customer: countries belong to no customer'])
  const [row] = (await read('countries')).values()
  t.match(row, { id: 'XX', blocs: [], authorities: [], confidence: 'low', reviewed_on: null })
  t.same(row?.requirements, {
    schemes: [],
    in_country_testing: null,
    local_representative: null,
    validity: null,
    lead_time_weeks: null,
    note: null,
  })
  await query('delete from countries')
})

t.test('reports lines that are too long or not UTF-8, and accepts CRLF, BOM and blank lines', async (t) => {
  const json = (id: string) => JSON.stringify(product(id))
  const report = await take([
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(json('bom'))]),
    Buffer.from(json('latin').replace('Product', 'Pr\u00f6dukt'), 'latin1'),
    '',
    ' \t',
    `${json('crlf')}\r`,
    `{"padding": "${'x'.repeat(maxLineBytes)}"}`,
    json('after'),
  ])
  t.strictSame(reasons(report), [
    '2: not UTF-8; for Latin-1 or Windows-1252: iconv -f WINDOWS-1252 -t UTF-8',
    '6: longer than 1048576 bytes',
  ])
  t.equal(report.read, 5)
  t.strictSame(await ids('products'), ['acme after', 'acme bom', 'acme crlf'])
})

t.test('lines do not depend on how the bytes are split, and the last needs no newline', async (t) => {
  const bytes = Buffer.from('{"a":"字"}\r\n\n{"b":2}')
  const listTexts = async (size: number) => {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
    const texts: (string | undefined)[] = []
    for await (const line of readLines(ReadableStream.from(chunks))) texts.push(line.text?.trim())
    return texts
  }
  for (let size = 1; size <= bytes.length; size++)
    t.strictSame(await listTexts(size), ['{"a":"字"}', '{"b":2}'])
})

t.test('does not keep an endless line in memory', async (t) => {
  const chunk = Buffer.alloc(2 ** 20, 'x')
  let held = 0
  const endless = async function* () {
    for (let index = 0; index < 512; index++) {
      held = Math.max(held, process.memoryUsage().arrayBuffers)
      yield Buffer.from(chunk)
    }
  }
  const before = process.memoryUsage().arrayBuffers
  const faults: (string | undefined)[] = []
  for await (const line of readLines(endless())) faults.push(line.fault)
  t.strictSame(faults, ['longer than 1048576 bytes'])
  t.ok(held - before < 256 * 2 ** 20, `${held - before} bytes`)
})

t.test('missing fields get null, empty lists, initial states or derived values', async (t) => {
  const approval = {
    resource: 'approvals',
    customer: 'acme',
    id: 'a',
    product_id: 'p',
    country_code: 'JP',
    scheme: 'MIC',
  }
  await take([
    { ...approval, status: null, tags: null },
    { resource: 'projects', customer: 'acme', id: 'a', project_number: 'P-1' },
    { resource: 'lab', customer: 'acme', id: 'a', report_number: 'R-1', status: 'planned', revision: null },
    certificate('a', { title: null }),
    product('a'),
  ])
  t.match(await single('approvals'), { status: 'planned', tags: [], phase: null, requested_on: null })
  t.match(await single('projects'), { title: 'P-1', status: 'draft', product_ids: [], due_on: null })
  t.match(await single('lab'), { title: 'R-1', revision: 1, result: null, standards: [] })
  t.match(await single('certificates'), { title: 'N-a', validity_periods: [], valid_from: null })
  t.match(await single('products'), { product_status: 'active', technologies: [], model: null })
})

t.test('lines without a customer get the given one, and lines of other customers are bad', async (t) => {
  const lines = [{ ...product('a'), customer: undefined }, product('b'), product('c', { customer: 'other' })]
  const report = await take(lines, { customer: 'acme' })
  t.strictSame(reasons(report), ['3: customer: this import is for acme only'])
  t.strictSame(await ids('products'), ['acme a', 'acme b'])
})

t.test('a customer that exists keeps name and plan', async (t) => {
  await query(`insert into customers (customer_id, name, plan) values ('acme', 'Acme GmbH', 'premium')`)
  const report = await take([
    product('a', { customer_name: 'ACME' }),
    product('a', { customer: 'new', customer_name: 'New Ltd' }),
    product('a', { customer: 'plain' }),
    product('a', { customer: 'late' }),
    product('b', { customer: 'late', customer_name: 'Late Ltd' }),
  ])
  t.equal(report.customersCreated, 3)
  t.same(await query('select customer_id, name, plan from customers order by 1'), [
    { customer_id: 'acme', name: 'Acme GmbH', plan: 'premium' },
    { customer_id: 'late', name: 'Late Ltd', plan: 'basic' },
    { customer_id: 'new', name: 'New Ltd', plan: 'basic' },
    { customer_id: 'plain', name: 'plain', plan: 'basic' },
  ])
})

const replaced = (line: number, earlier: number, id: string) => ({
  line,
  reason: `id: line ${earlier} has the same id, and this later line replaces it; found "${id}"`,
})

t.test('the last of several lines for a record counts, and only it is written', async (t) => {
  const lines = [
    product('a', { name: 'one' }),
    product('b'),
    product('a', { name: 'two' }),
    product('b'),
    product('a', { name: 'one', customer: 'other' }),
    certificate('a'),
    product('a', { name: 'three' }),
  ]
  const dry = await take(lines, { dryRun: true })
  const first = await take(lines)
  for (const report of [dry, first]) {
    t.match(report, { read: 7, created: 4, updated: 0, unchanged: 3, bad: 0, warnings: 3 })
    t.same(
      report.warningLines.toSorted((one, other) => one.line - other.line),
      [replaced(4, 2, 'b'), replaced(7, 3, 'a'), replaced(7, 1, 'a')],
    )
    t.equal(report.warningGroups.size, 1, 'a repeated fault is counted')
  }
  t.equal((await read('products')).get('acme a')?.name, 'three')
  const before = await database.fingerprint()
  t.match(await take(lines), { created: 0, updated: 0, unchanged: 7, warnings: 3 })
  t.strictSame(await database.fingerprint(), before, 'not even a row version')
})

t.test('a line of a later batch replaces the line of an earlier one', async (t) => {
  const far = Array.from({ length: 5000 }, (_, index) => product(`far-${index}`))
  const lines = [product('a', { name: 'one' }), ...far, product('a', { name: 'two' })]
  for (const dryRun of [true, false]) {
    const report = await take(lines, { dryRun })
    t.match(report, { created: 5001, updated: 1, warnings: 1 })
    t.same(report.warningLines, [replaced(5002, 1, 'a')])
  }
  t.equal((await read('products')).get('acme a')?.name, 'two')
})

t.test('if the last line of a record is bad, the line before counts', async (t) => {
  await query(`alter table products add constraint no_bad check (name <> 'bad')`)
  t.teardown(() => query('alter table products drop constraint no_bad'))
  const lines = [
    product('a', { name: 'good' }),
    product('a', { name: null }),
    product('b', { name: 'good' }),
    product('b', { name: 'bad' }),
    product('c', { name: 'bad' }),
    product('c', { name: 'good' }),
  ]
  t.match(await take(lines), { created: 3, bad: 2, warnings: 1 })
  for (const id of ['a', 'b', 'c']) t.equal((await read('products')).get(`acme ${id}`)?.name, 'good', id)
  t.match(await take(lines), { updated: 0, unchanged: 4, bad: 2 })
})

t.test('a changed record keeps created_at and gets a new updated_at', async (t) => {
  await take([product('a'), product('b')])
  const before = await read('products')
  t.match(await take([product('a', { brand: 'New' }), product('b')]), { updated: 1, unchanged: 1 })
  const after = await read('products')
  t.equal(after.get('acme a')?.created_at, before.get('acme a')?.created_at)
  t.not(after.get('acme a')?.updated_at, before.get('acme a')?.updated_at)
  t.equal(after.get('acme b')?.updated_at, before.get('acme b')?.updated_at)
})

t.test('no transaction has more than 5,000 lines', async (t) => {
  const lines = Array.from({ length: 12_001 }, (_, index) => product(String(index)))
  const seen: number[] = []
  const report = await take(lines, { onProgress: ({ read }) => seen.push(read) })
  t.equal(report.created, 12_001)
  // created_at is the start of the transaction.
  const rows = await query<{ count: string }>(
    'select count(*) from products group by created_at order by created_at',
  )
  t.strictSame(
    rows.map((row) => Number(row.count)),
    [5000, 5000, 2001],
  )
  t.strictSame(seen, [5000, 10_000, 12_001])
})

t.test('references may dangle and arrive in any order', async (t) => {
  const report = await take([
    certificate('a', { product_id: 'later' }),
    product('later'),
    certificate('b', { product_id: 'never' }),
  ])
  t.match(report, { created: 3, bad: 0 })
})

t.test('a broken source reports its last line and keeps earlier commits', async (t) => {
  const broken = async function* () {
    yield Buffer.from(
      Array.from({ length: 5001 }, (_, index) => `${JSON.stringify(product(String(index)))}\n`).join(''),
    )
    throw new Error('the pipe broke')
  }
  const { importRecords } = await import('../../app/import/index.ts')
  await t.rejects(importRecords(database.operator, broken()), {
    message: 'the import stopped after 5000 lines: the pipe broke',
  })
  t.equal((await ids('products')).length, 5000)
})

t.test('two concurrent imports of the same records both succeed', async (t) => {
  const lines = Array.from({ length: 2000 }, (_, index) =>
    product(String(index), { brand: String(index % 7) }),
  )
  const other = lines.map((line) => ({ ...line, brand: 'other' })).reverse()
  const [one, two] = await Promise.all([take(lines), take(other)])
  t.equal(one.bad + two.bad, 0)
  t.equal((await ids('products')).length, 2000)
})

t.test(
  'a transaction is repeated after a conflict with another one, and not after other failures',
  async (t) => {
    const failing = (code: string, times: number) => {
      let calls = 0
      const run = async () => {
        calls += 1
        if (calls <= times) throw Object.assign(new Error(code), { code })
        return calls
      }
      return retryTransaction(run)
    }
    t.equal(await failing('40P01', 2), 3)
    t.equal(await failing('40001', 4), 5)
    await t.rejects(failing('40P01', 5))
    await t.rejects(failing('57P01', 1))
  },
)
