import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { type ImportReport, importRecords } from '../../app/import/index.ts'
import { certificate, type Line, openDatabase, ownedResources, product, type Row } from './database.ts'

const database = await openDatabase(t)
const { query, take, read, fingerprint } = database
t.beforeEach(() => query('truncate certificates, products, projects, lab, approvals; delete from customers'))

const replace = true
const folder = join(import.meta.dirname, '..', 'data')
const envelope = ['resource', 'customer', 'customer_name']
const months = ['2026-01-06', '2026-02-28', '2026-04-25'] as const

const readFile = (day: string) => gunzipSync(readFileSync(join(folder, `certifications-${day}.ndjson.gz`)))
const parseFile = (bytes: Buffer): Line[] =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The expected lines, by resource and by `customer id`. */
type Model = Map<string, Map<string, Line>>

/** With `replace`, the customers of a file have its records and no others. */
const replaceIn = (model: Model, lines: readonly Line[]): void => {
  const customers = new Set(lines.map((line) => line.customer))
  for (const records of model.values()) {
    for (const [key, line] of records) if (customers.has(line.customer)) records.delete(key)
  }
  for (const line of lines) model.get(String(line.resource))?.set(`${line.customer} ${line.id}`, line)
}

/** Each field of the line must be stored unchanged; the periods are derived from the dates. */
const listDifferences = (line: Line, row: Row | undefined): string[] => {
  if (!row) return [`${line.resource} ${line.id} is missing`]
  const expected: Line = { ...line }
  if (line.valid_from) {
    expected.validity_periods = [{ from: line.valid_from, until: line.valid_until ?? null, basis: 'initial' }]
  }
  return Object.entries(expected)
    .filter(([name]) => !envelope.includes(name))
    .filter(([name, value]) => !isDeepStrictEqual(row[name], value))
    .map(
      ([name, value]) => `${line.id}.${name}: ${JSON.stringify(value)} became ${JSON.stringify(row[name])}`,
    )
}

const compare = async (model: Model): Promise<string[]> => {
  const differences: string[] = []
  for (const [resource, lines] of model) {
    const rows = await read(resource)
    for (const key of rows.keys()) if (!lines.has(key)) differences.push(`${resource} ${key} is too many`)
    for (const [key, line] of lines) differences.push(...listDifferences(line, rows.get(key)))
  }
  return differences
}

const takeBytes = (bytes: Buffer) =>
  importRecords(database.operator, ReadableStream.from([bytes]), { replace })

t.test('three months of real registers replace the records of their customers', async (t) => {
  const model: Model = new Map(ownedResources.map((name) => [name, new Map()]))
  for (const month of months) {
    const bytes = readFile(month)
    const lines = parseFile(bytes)
    const report = await takeBytes(bytes)
    t.match(report, { read: lines.length, bad: 0 }, month)
    t.equal(report.created + report.updated + report.unchanged, lines.length)
    replaceIn(model, lines)
    t.strictSame((await compare(model)).slice(0, 10), [])
  }
  const inApril = new Set(parseFile(readFile('2026-04-25')).map((line) => line.customer))
  const certificates = [...(model.get('certificates')?.values() ?? [])]
  t.ok(
    certificates.some(({ customer }) => !inApril.has(customer)),
    'customers of older files only are compared',
  )

  const before = await fingerprint()
  const report = await takeBytes(readFile('2026-04-25'))
  t.match(report, { created: 0, updated: 0, deleted: 0, unchanged: report.read })
  t.strictSame(await fingerprint(), before, 'the same file writes nothing, not even a row version')

  const firstLines = months.flatMap((month) => parseFile(readFile(month))).reverse()
  const names = new Map(firstLines.map((line) => [line.customer, line.customer_name]))
  const rows = await query<Row>('select customer_id, name, plan from customers')
  t.same(new Map(rows.map((row) => [row.customer_id, row.name])), names)
  t.same(new Set(rows.map(({ plan }) => plan)), new Set(['basic']), 'a plan without API access')
})

const count = async () => {
  const [products, certificates] = [await read('products'), await read('certificates')]
  return [...products.keys(), ...certificates.keys()].sort()
}

t.test('deletes missing records of every resource, only of the file’s customers', async (t) => {
  await take([
    ...['a', 'b', 'c'].map((id) => product(id)),
    certificate('x'),
    { resource: 'lab', customer: 'acme', id: 'x', report_number: 'R', status: 'planned' },
    ...['a', 'b', 'c', 'd'].map((id) => product(id, { customer: 'other' })),
  ])
  const report = await take([product('a'), product('b'), product('c'), product('d')], { replace })
  t.match(report, { created: 1, unchanged: 3, deleted: 2, deletionRefused: null })
  t.equal((await read('certificates')).size, 0)
  t.equal((await read('lab')).size, 0)
  t.equal([...(await read('products')).keys()].filter((key) => key.startsWith('other')).length, 4)
})

t.test('countries are never deleted', async (t) => {
  await take([{ resource: 'countries', code: 'XX', alpha3: 'XXX', name: 'Nowhere', region: 'europe' }])
  await take([product('a')], { replace, force: true })
  t.equal((await query('select id from countries')).length, 1)
  await query('delete from countries')
})

t.test('a bad line prevents deletions, except with force, and good lines are imported', async (t) => {
  await take([product('a'), product('b'), product('c')])
  const lines = [product('a', { brand: 'New' }), product('b'), 'broken']
  const report = await take(lines, { replace })
  t.match(report, { updated: 1, deleted: 0, bad: 1, deletionRefused: /1 record is missing.*a bad line/ })
  t.strictSame(await count(), ['acme a', 'acme b', 'acme c'])
  t.match(await take(lines, { replace, force: true }), { deleted: 1, bad: 1, deletionRefused: null })
  t.strictSame(await count(), ['acme a', 'acme b'])
})

t.test('a record with a bad line does not count as missing', async (t) => {
  await take([product('a'), product('b'), product('c')])
  await take([product('a'), product('b', { name: 7 })], { replace, force: true })
  t.strictSame(await count(), ['acme a', 'acme b'])
})

t.test('half of the records may be deleted, more only with force', async (t) => {
  await take(['a', 'b', 'c', 'd'].map((id) => product(id)))
  const report = await take([product('a')], { replace })
  t.match(report, { deleted: 0, deletionRefused: /3 of the 4 records/ })
  t.equal((await count()).length, 4)
  t.match(await take([product('a'), product('b')], { replace }), { deleted: 2, deletionRefused: null })
  t.match(await take([product('z')], { replace, force: true }), { created: 1, deleted: 2 })
  t.strictSame(await count(), ['acme z'])
})

t.test('new records do not count when over half of the old ones would be deleted', async (t) => {
  await take(['a', 'b', 'c'].map((id) => product(id)))
  const renamed = Array.from({ length: 50 }, (_, index) => product(`new-${index}`))
  const report = await take([product('a'), ...renamed], { replace })
  t.match(report, { created: 50, deleted: 0, deletionRefused: /2 of the 3 records/ })
})

t.test('a record of one batch does not count as missing in another', async (t) => {
  const lines = Array.from({ length: 5100 }, (_, index) => product(String(index)))
  await take([...lines, product('old')])
  t.match(await take(lines, { replace }), { unchanged: 5100, deleted: 1 })
})

t.test('a dry run returns the counts of an import and writes nothing', async (t) => {
  await query(`alter table products add constraint no_bad check (name <> 'bad')`)
  t.teardown(() => query('alter table products drop constraint no_bad'))
  await take([
    ...['a', 'b', 'c', 'd', 'e'].map((id) => product(id)),
    certificate('x', { approval_status: 'revoked' }),
    product('a', { customer: 'other' }),
  ])
  const lines = [
    product('a', { brand: 'New' }),
    product('b'),
    product('d'),
    product('e'),
    certificate('x', { approval_status: 'pending' }),
    product('n'),
    product('n', { brand: 'twice' }),
    product('o', { customer: 'newcomer' }),
    ...Array.from({ length: 5000 }, (_, index) => product(`m-${index}`)),
    product('n', { brand: 'thrice' }),
    product('m-7', { brand: 'changed' }),
  ]
  for (const more of [[], [product('p', { name: 'bad' }), 'broken']]) {
    const before = await fingerprint()
    const would = await take([...lines, ...more], { replace, dryRun: true })
    t.strictSame(await fingerprint(), before)
    t.equal(would.dryRun, true)
    const did = await take([...lines, ...more], { replace })
    t.strictSame({ ...would, dryRun: false }, did)
    if (more.length === 0)
      t.match(did, { created: 5002, updated: 4, deleted: 1, warnings: 4, customersCreated: 1 })
  }
})

t.test('a dry run leaves no temporary table that hides a real one', async (t) => {
  await take([product('a')], { dryRun: true, replace })
  await take([product('a')])
  t.strictSame(await count(), ['acme a'])
  t.same(await query(`select relname from pg_class where relpersistence = 't'`), [])
})

const warnings = (report: ImportReport) => report.warningLines.map(({ line, reason }) => `${line}: ${reason}`)
const from = (from: string, until: string | null, basis = 'renewal') => ({ from, until, basis })

/** Periods and dates of a line, and the stored dates, periods and warnings. Periods default to those of the line. */
type PeriodCase = [
  name: string,
  line: { periods: Line[]; dates?: Line },
  stored: { dates: (string | null)[]; periods?: Line[]; warnings?: RegExp[] },
]

t.test('the dates of a certificate follow from its periods', async (t) => {
  const old = from('2020-01-01', '2022-12-31', 'initial')
  const young = from('2023-01-01', null)
  const cases: PeriodCase[] = [
    [
      'an early renewal does not make a valid certificate "not yet valid"',
      { periods: [from('2020-03-01', '2025-02-28', 'initial'), from('2025-01-15', '2030-01-14')] },
      { dates: ['2020-03-01', '2030-01-14'] },
    ],
    [
      'a period that starts the day after continues the run',
      { periods: [from('2020-01-01', '2024-02-28'), from('2024-02-29', '2026-01-01')] },
      { dates: ['2020-01-01', '2026-01-01'] },
    ],
    [
      'a period that starts two days after begins a new run',
      { periods: [from('2020-01-01', '2024-02-28'), from('2024-03-01', '2026-01-01')] },
      {
        dates: ['2024-03-01', '2026-01-01'],
        warnings: [/no period is valid from 2024-02-28 to 2024-03-01$/],
      },
    ],
    [
      'periods are stored oldest first',
      { periods: [young, old] },
      { dates: ['2020-01-01', null], periods: [old, young] },
    ],
    [
      'a short period within a longer one does not break or end the run',
      {
        periods: [
          from('2020-01-01', '2030-01-01', 'initial'),
          from('2021-01-01', '2021-06-30', 'extension'),
          from('2029-01-01', '2035-01-01'),
        ],
      },
      { dates: ['2020-01-01', '2035-01-01'] },
    ],
    [
      'dates without periods make one initial period',
      { periods: [], dates: { valid_from: '2024-01-01' } },
      { dates: ['2024-01-01', null], periods: [from('2024-01-01', null, 'initial')] },
    ],
    [
      'an end alone makes no period',
      { periods: [], dates: { valid_until: '2024-01-01' } },
      { dates: [null, '2024-01-01'] },
    ],
    [
      'periods count more than dates',
      { periods: [from('2024-01-01', '2025-01-01')], dates: { valid_until: '2026-01-01' } },
      {
        dates: ['2024-01-01', '2025-01-01'],
        warnings: [/^1: valid_until: 2026-01-01 given, but the periods give 2025-01-01/],
      },
    ],
    [
      'a period that ends before it begins',
      { periods: [from('2024-02-01', '2024-01-01')] },
      { dates: ['2024-02-01', '2024-01-01'], warnings: [/is before/] },
    ],
    [
      'dates of which the end is before the start',
      { periods: [], dates: { valid_from: '2024-02-01', valid_until: '2024-01-01' } },
      {
        dates: ['2024-02-01', '2024-01-01'],
        periods: [from('2024-02-01', '2024-01-01', 'initial')],
        warnings: [/is before/],
      },
    ],
  ]
  for (const [name, line, stored] of cases) {
    await query('truncate certificates')
    const report = await take([certificate('a', { validity_periods: line.periods, ...line.dates })])
    const row = (await read('certificates')).get('acme a')
    t.strictSame([row?.valid_from, row?.valid_until], stored.dates, name)
    t.same(row?.validity_periods, stored.periods ?? line.periods, name)
    t.match(warnings(report), stored.warnings ?? [], name)
    t.equal(report.warnings, stored.warnings?.length ?? 0, name)
  }
})

t.test('a state that no transitions lead to is imported with a warning', async (t) => {
  await take([
    certificate('a', { approval_status: 'revoked' }),
    product('a', { product_status: 'discontinued' }),
  ])
  const report = await take([
    certificate('a', { approval_status: 'approved' }),
    product('a', { product_status: 'draft' }),
  ])
  t.strictSame(warnings(report), [
    '1: approval_status: approved cannot follow revoked',
    '2: product_status: draft cannot follow discontinued',
  ])
  t.match(report, { updated: 2, bad: 0, warnings: 2 })
  t.equal((await read('certificates')).get('acme a')?.approval_status, 'approved')
})

t.test('a state reached by several transitions, or kept, causes no warning', async (t) => {
  await take([certificate('a', { approval_status: 'pending' }), product('a', { product_status: 'draft' })])
  const report = await take([
    certificate('a', { approval_status: 'superseded' }),
    product('a', { product_status: 'draft', brand: 'New' }),
  ])
  t.match(report, { updated: 2, warnings: 0 })
})
