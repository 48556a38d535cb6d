import { sql } from 'kysely'
import t from 'tap'
import { checkDocument } from '../../../app/features/custom/check.ts'
import { readText } from '../../../app/features/custom/read.ts'
import { readWorkbook } from '../../export/xlsx.ts'
import {
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  publicUrl,
  until,
} from '../../helper.ts'
import { createStage, day, walk } from './stage.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)
const stage = createStage(database)
const { run } = stage
const { get: acme } = await asCustomer(database, app, 'acme')
await asCustomer(database, app, 'bolt')

const give = async (customer: string, text: string) => {
  await stage.give(customer, text)
  const { name, revision } = checkDocument(readText(text))
  await until(`${name} is live`, async () => {
    const { statusCode, headers } = await acme(`/v1/custom/${name}`)
    return statusCode === 400 || headers['definition-revision'] === String(revision)
  })
}

for (const customer of ['acme', 'bolt']) {
  await run(`insert into countries (id, code, alpha3, name, region, requirements)
    select c, c, c || 'X', 'Country ' || c, 'americas', row(array['S-' || c], null, null, null, null, 'note ' || c)::country_requirements
    from unnest(array['JP', 'KR', 'US', 'BR']) c on conflict do nothing`)
  await run(`insert into products (customer_id, id, name, model, product_status, part_numbers)
    select '${customer}', 'p' || n, '${customer} product ' || n, case when n % 3 > 0 then 'M' || n end, 'active', array['PN' || n]
    from generate_series(1, 12) n`)
  await run(`insert into certificates (customer_id, id, number, title, product_id, country_code, scheme, approval_status, valid_from, valid_until, tags)
    select '${customer}', 'c' || n, '${customer}-N' || n, 'Title', 'p' || (n % 12 + 1),
      (array['JP', 'KR', 'US', 'BR'])[n % 4 + 1], (array['MIC', 'KC', 'FCC ID', 'ANATEL'])[n % 4 + 1],
      (array['approved', 'suspended', 'conditional'])[n % 3 + 1], '2020-01-01', current_date + (n - 20) * 5, array['t' || n % 5]
    from generate_series(1, 40) n`)
  await run(`insert into approvals (customer_id, id, product_id, country_code, scheme, certificate_id, status, expected_on)
    select '${customer}', 'a' || n, 'p' || (n % 12 + 1), (array['JP', 'KR', 'US', 'BR'])[n % 4 + 1],
      (array['MIC', 'KC', 'FCC ID', 'ANATEL'])[n % 4 + 1], case when n % 3 > 0 then 'c' || n end,
      (array['granted', 'in_review', 'planned', 'cancelled', 'rejected'])[n % 5 + 1],
      case when n % 4 > 0 then current_date + n end
    from generate_series(1, 60) n`)
  await run(`insert into projects (customer_id, id, project_number, title, product_ids)
    select '${customer}', 'j' || n, 'PR' || n, 'T', array['p' || n, 'p' || (n + 1)] from generate_series(1, 11) n`)
}

type Rec = Record<string, unknown>
const all = async (path: string): Promise<Rec[]> =>
  (await acme(`${path}${path.includes('?') ? '&' : '?'}limit=500`)).json().data
const certificates = new Map((await all('/v1/certificates')).map((row) => [row.id, row]))
const products = new Map((await all('/v1/products')).map((row) => [row.id, row]))
const german = (date: unknown) => (typeof date === 'string' ? date.split('-').reverse().join('.') : null)

const matrix = `
name: matrix
revision: 1
params:
  ab: { type: date, optional: true }
list:
  from: approvals
  where: { 'status[nin]': [cancelled, not_required], 'expected_on[gte]': $ab }
  sort: [-expected_on]
  limit: 10
  filters: [country_code, product_id, scheme, updated_at]
  joins:
    p: { to: products, on: product_id, pick: [name, model, id, name] }
    c: { to: certificates, on: certificate_id, pick: [number, valid_until, validity] }
    j: { to: projects, many_on: product_ids, on: p.id, limit: 2, sort: project_number, pick: { nummer: project_number } }
  select:
    id: id
    artikel: p.name
    bezeichnung: { concat: [p.name, p.model, { const: "!" }], separator: " / " }
    land: country_code
    markt: { map: { field: country_code, values: { JP: Japan, US: USA }, else: anderswo } }
    zertifikat: c.number
    bis: { date: { field: c.valid_until, format: DD.MM.YYYY } }
    ampel: { if: { test: { field: c.validity, eq: valid }, then: gruen, else: rot } }
    lage:
      case:
        - { when: { all: [{ field: c.valid_until, lt: today }, { field: status, in: [granted, in_review] }] }, then: { field: c.valid_until } }
        - { when: { any: [{ field: c.number, null: true }, { field: p.model, prefix: M1 }] }, then: 7 }
      else: null
    projekte: j
    geaendert: updated_at
    tags: tags
`
await give('acme', matrix)

/** The expected rows of `matrix`, computed from the standard lists. */
const expected = (approvals: Rec[]) =>
  approvals.map((row) => {
    const c = certificates.get(row.certificate_id) ?? {}
    const p = products.get(row.product_id) ?? {}
    const n = Number(String(row.product_id).slice(1))
    const projects = [n - 1, n]
      .filter((each) => each >= 1 && each <= 11)
      .map((each) => `PR${each}`)
      .sort()
    const isOver = typeof c.valid_until === 'string' && c.valid_until < day(0)
    return {
      id: row.id,
      artikel: p.name,
      bezeichnung: [p.name, p.model, '!'].filter((each) => each !== null).join(' / '),
      land: row.country_code,
      markt: { JP: 'Japan', US: 'USA' }[String(row.country_code)] ?? 'anderswo',
      zertifikat: c.number ?? null,
      bis: german(c.valid_until),
      ampel: c.validity === 'valid' ? 'gruen' : 'rot',
      lage:
        isOver && ['granted', 'in_review'].includes(String(row.status))
          ? c.valid_until
          : !c.number || String(p.model).startsWith('M1')
            ? 7
            : null,
      projekte: projects.map((nummer) => ({ nummer })),
      geaendert: row.updated_at,
      tags: row.tags,
    }
  })

t.test('a merged list equals the standard lists merged by hand', async (t) => {
  const approvals = await all('/v1/approvals?status[nin]=cancelled,not_required&sort=-expected_on')
  const { rows, pages } = await walk(acme, '/v1/custom/matrix')
  t.strictSame(rows, expected(approvals))
  t.equal(pages, Math.ceil(approvals.length / 10))
  const first = await acme('/v1/custom/matrix?count=exact')
  t.match(first.json().page, { limit: 10, has_more: true, total: approvals.length, as_of: day(0) })
  t.notOk(JSON.stringify(rows).includes('bolt'))
})

t.test("applies the caller's filters, parameters and limit", async (t) => {
  const cases: [custom: string, standard: string][] = [
    ['country_code=JP', 'country_code=JP'],
    ['country_code=JP,KR&limit=3', 'country_code=JP,KR'],
    ['product_id[ne]=p3&limit=500', 'product_id[ne]=p3'],
    ['scheme[in]=MIC&product_id=p5', 'scheme=MIC&product_id=p5'],
    [`ab=${day(30)}&limit=7`, `expected_on[gte]=${day(30)}`],
    ['ab=today%2B30d&country_code=US', 'expected_on[gte]=today%2B30d&country_code=US'],
    ['updated_at[gte]=2020-01-01', ''],
    ['updated_at[lt]=2020-01-01', 'updated_at[lt]=2020-01-01'],
  ]
  for (const [custom, standard] of cases) {
    const approvals = await all(
      `/v1/approvals?status[nin]=cancelled,not_required&sort=-expected_on&${standard}`,
    )
    t.strictSame((await walk(acme, `/v1/custom/matrix?${custom}`)).rows, expected(approvals), custom)
  }
})

t.test('reports every fault of a query with its correction', async (t) => {
  const faults = async (query: string) => {
    const answer = await acme(`/v1/custom/matrix?${query}`)
    return { status: answer.statusCode, ...answer.json() }
  }
  t.match(await faults('contry_code=JP&limit=0&ab=soon&sort=id&status=granted'), {
    status: 400,
    code: 'invalid_query',
    errors: [
      { parameter: 'contry_code', code: 'unknown_parameter', did_you_mean: 'country_code' },
      { parameter: 'limit', code: 'invalid_value', detail: 'expected an integer from 1 to 500' },
      { parameter: 'ab', code: 'invalid_value', detail: /YYYY-MM-DD/ },
      { parameter: 'sort', code: 'unknown_parameter' },
      { parameter: 'status', code: 'unknown_parameter', detail: /cannot be filtered/ },
    ],
  })
  t.match(await faults('contry_code=JP&scheme[eqq]=MIC'), {
    errors: [{ did_you_mean: 'country_code' }, { parameter: 'scheme[eqq]', code: 'unknown_operator' }],
    try: `${publicUrl}/v1/custom/matrix?country_code=JP&scheme%5Beq%5D=MIC`,
  })
  t.match(await faults('country_code=jp'), { try: `${publicUrl}/v1/custom/matrix?country_code=JP` })
  t.match(await faults('ab=today&ab=today'), { errors: [{ code: 'duplicate_parameter' }] })
  const { next_cursor: cursor } = (await acme('/v1/custom/matrix')).json().page
  t.match(await faults(`cursor=${cursor}&country_code=JP`), { code: 'invalid_cursor' }, 'of other filters')
  t.match(await faults(`cursor=${cursor}x`), { code: 'invalid_cursor' })
  t.equal((await acme(`/v1/custom/matrix?cursor=${cursor}&limit=2&count=exact`)).statusCode, 200)
  const standard = (await acme('/v1/approvals?limit=1')).json().page.next_cursor
  t.match(await faults(`cursor=${standard}`), { code: 'invalid_cursor' }, 'of another endpoint')
})

t.test('a list has the same rows as NDJSON and CSV, without pages', async (t) => {
  const { rows } = await walk(acme, '/v1/custom/matrix?country_code=JP,KR')
  const lines = await acme('/v1/custom/matrix?country_code=JP,KR&format=ndjson')
  t.match(lines.headers, {
    'content-type': 'application/x-ndjson',
    'definition-revision': '1',
    'content-disposition': /filename="matrix-.*\.ndjson"/,
  })
  t.strictSame(
    lines.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    rows,
  )
  const csv = await acme('/v1/custom/matrix?country_code=JP,KR&limit=3', { accept: 'text/csv' })
  const [header, ...cells] = csv.body.split('\r\n')
  t.equal(header, Object.keys(rows[0] as Rec).join(','))
  t.equal(cells.length, 4)
  for (const [index, row] of rows.slice(0, 3).entries()) {
    const { id, artikel, bezeichnung, land, markt, zertifikat, bis, ampel } = row
    const expectedCells = [id, artikel, bezeichnung, land, markt, zertifikat ?? '', bis ?? '', ampel]
    t.ok(cells[index]?.startsWith(expectedCells.join(',')), `${cells[index]}`)
  }
  const marked = await acme('/v1/custom/matrix?country_code=JP,KR&limit=3&format=csv&bom=true')
  t.equal(marked.body, `\ufeff${csv.body}`)
  for (const format of ['json', 'ndjson', 'xlsx']) {
    t.match((await acme(`/v1/custom/matrix?format=${format}&bom=true`)).json(), {
      errors: [{ parameter: 'bom', code: 'invalid_value' }],
    })
  }
  const corrected = `${publicUrl}/v1/custom/matrix?format=csv&bom=true&country_code=JP`
  t.match((await acme('/v1/custom/matrix?format=csv&bom=true&contry_code=JP')).json(), { try: corrected })
  const byAccept = await acme('/v1/custom/matrix?bom=true&contry_code=JP', { accept: 'text/csv' })
  t.match(byAccept.json(), { try: corrected.replace('format=csv&', '') })
  t.match((await acme('/v1/custom/matrix?format=xslx')).json(), {
    errors: [{ parameter: 'format', did_you_mean: 'xlsx' }],
    try: `${publicUrl}/v1/custom/matrix?format=xlsx`,
  })
  t.match((await acme('/v1/custom/matrix?format=csv&cursor=x&count=exact')).json(), {
    errors: [{ parameter: 'cursor' }, { parameter: 'count' }],
  })
  t.match((await acme('/v1/custom/matrix?format=csv&ab=soon')).json(), { errors: [{ parameter: 'ab' }] })
})

t.test('an export has the order of the list, whichever joins PostgreSQL chooses', async (t) => {
  const owner = connectOwner(database)
  await sql`do $$ begin
    execute format('alter database %I set enable_nestloop = off', current_database());
    execute format('alter database %I set enable_hashjoin = off', current_database());
  end $$`.execute(owner)
  await owner.destroy()
  const other = await createTestApp(database)
  t.teardown(() => other.close())
  const { get } = await asCustomer(database, other, 'acme')
  const { rows } = await walk(acme, '/v1/custom/matrix')
  const lines = (await get('/v1/custom/matrix?format=ndjson')).body.trimEnd().split('\n')
  t.same(
    lines.map((line) => JSON.parse(line).id),
    rows.map(({ id }) => id),
  )
})

t.test('cells of XLSX have the type that all values of their column have', async (t) => {
  await give(
    'acme',
    `
name: typed
revision: 1
params: { tag: { type: date, default: today }, zahl: { type: integer, default: 7 }, ja: { type: boolean, default: true } }
list:
  from: certificates
  where: { id: c3 }
  sort: [number]
  limit: 10
  joins: { k: { to: countries, on: country_code, pick: [requirements] } }
  select:
    nummer: number
    bis: valid_until
    tage: days_remaining
    laeuft_ab: expiring
    geaendert: updated_at
    tags: tags
    monat: { date: { field: valid_until, format: MM/YYYY } }
    tag: { param: tag }
    zahl: { param: zahl }
    ja: { param: ja }
    halb: { const: 0.5 }
    nie: { const: false }
    nichts: { const: null }
    rang: { map: { field: country_code, values: { JP: 1, KR: 2.5 }, else: null } }
    gemischt: { map: { field: country_code, values: { JP: 1, KR: zwei }, else: x } }
    ende: { if: { test: { field: approval_status, eq: approved }, then: { field: valid_until }, else: null } }
    stand: { if: { test: { field: number, null: false }, then: { field: updated_at }, else: { field: created_at } } }
    wahr: { if: { test: { field: number, null: false }, then: true, else: { field: expiring } } }
    pflichten: k.requirements
`,
  )
  const answer = await acme('/v1/custom/typed?format=xlsx')
  t.match(answer.headers, {
    'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'content-disposition': `attachment; filename="typed-${day(0)}.xlsx"`,
    'definition-revision': '1',
  })
  const [names = {}, row = {}, ...others] = readWorkbook(answer.rawPayload).get('data') ?? []
  t.same(others, [])
  const { data } = (await acme('/v1/custom/typed')).json()
  const typeOf = new Map(
    Object.entries(names).map(([letters, { value }]) => {
      const { type, format } = row[letters] ?? {}
      return [value, type && `${type} ${format}`]
    }),
  )
  t.same([...typeOf.keys()], Object.keys(data[0]), 'in the order of the document')
  const [text, number, boolean] = ['text @', 'number General', 'boolean General']
  const [date, instant] = ['number yyyy-mm-dd', 'number yyyy-mm-dd hh:mm:ss']
  t.same(Object.fromEntries(typeOf), {
    nummer: text,
    bis: date,
    tage: number,
    laeuft_ab: boolean,
    geaendert: instant,
    tags: text,
    monat: text,
    tag: date,
    zahl: number,
    ja: boolean,
    halb: number,
    nie: boolean,
    nichts: undefined,
    rang: data[0].rang === null ? undefined : number,
    gemischt: text,
    stand: instant,
    wahr: boolean,
    ende: data[0].ende === null ? undefined : date,
    pflichten: text,
  })
  const csv = await acme('/v1/custom/typed?format=csv')
  t.match(csv.body.split('\r\n')[1], /,true,0\.5,false,,/, 'and CSV has them as they are')
})

t.test('exports lists, objects and numbers that a test selects', async (t) => {
  const choose = (value: string, other: string | number | null) =>
    `{ if: { test: { field: number, eq: acme-N1 }, then: { field: ${value} }, else: ${other} } }`
  await give(
    'acme',
    `
name: choices
revision: 1
list:
  from: certificates
  where: { id: [c1, c2] }
  sort: [number]
  joins:
    a: { to: approvals, many_on: certificate_id, limit: 1, pick: [id] }
    k: { to: countries, on: country_code, pick: [requirements] }
  select:
    tags: ${choose('tags', null)}
    rows: ${choose('a', null)}
    days: ${choose('days_remaining', 0)}
    mixed: ${choose('tags', 'none')}
    weeks: k.requirements.lead_time_weeks
    known: { if: { test: { field: k.requirements.lead_time_weeks, null: true }, then: no, else: yes } }
`,
  )
  const csv = await acme('/v1/custom/choices?format=csv')
  t.equal(
    csv.body,
    'tags,rows,days,mixed,weeks,known\r\nt1,"[{""id"":""a1""}]",-95,"[""t1""]",,no\r\n,,0,none,,no\r\n',
  )
  const workbook = await acme('/v1/custom/choices?format=xlsx')
  const [, first, second] = readWorkbook(workbook.rawPayload).get('data') ?? []
  t.match(first, { A: { value: 't1' }, B: { value: '[{"id":"a1"}]' }, C: { type: 'number' } })
  t.notOk(second?.A, 'null has no cell')
})

const report = `
name: report
revision: 1
params:
  days: { type: integer, default: 30, min: 1, max: 365 }
  land: { type: string, enum: [JP, KR, US, BR], optional: true }
  status: { type: string }
  wanted: { type: boolean, default: true }
object:
  asked: { object: { days: { param: days }, land: { param: land }, status: { param: status }, wanted: { param: wanted } } }
  soon: { count: { from: certificates, where: { 'valid_until[gte]': today, 'valid_until[lte]': 'today+\${days}d', country_code: $land } } }
  window: { count: { from: certificates, where: { expiring: true, expiring_within: $days } } }
  approvals: { count: { from: approvals, where: { status: $status, open: $wanted } } }
  groups: { count_by: { from: certificates, where: { country_code: $land } }, fields: [scheme, approval_status] }
  last: { first: { from: certificates, sort: [-valid_until], where: { country_code: $land } }, value: valid_until }
  any: { exists: { from: certificates, where: { number: acme-N1 } } }
`
await give('acme', report)

t.test('the examples of parameters in OpenAPI have their types', async (t) => {
  const { paths } = (await acme('/openapi.json')).json()
  const { parameters } = paths['/v1/custom/report'].get as {
    parameters: { name: string; example: unknown }[]
  }
  const examples = new Map(parameters.map(({ name, example }) => [name, example]))
  t.strictSame([examples.get('days'), examples.get('land'), examples.get('wanted')], [30, 'JP', true])
})

t.test('an object contains counts and groups for its parameters', async (t) => {
  const rows = [...certificates.values()]
  for (const [query, days, land] of [
    ['status=granted', 30, null],
    ['status=in_review&days=90', 90, null],
    ['status=granted&land=KR&days=365&wanted=false', 365, 'KR'],
  ] as const) {
    const answer = (await acme(`/v1/custom/report?${query}`)).json()
    const ofLand = rows.filter((row) => land === null || row.country_code === land)
    const status = query.includes('granted') ? 'granted' : 'in_review'
    const wanted = !query.includes('wanted=false')
    const isSoon = ({ valid_until: until }: Rec) => String(until) >= day(0) && String(until) <= day(days)
    const isOpen = (row: Rec) => row.open === wanted && row.status === status
    const groups = Map.groupBy(ofLand, (row) => `${row.scheme}|${row.approval_status}`)
    t.strictSame(answer.asked, { days, land, status, wanted })
    t.equal(answer.soon, ofLand.filter(isSoon).length, query)
    t.equal(answer.window, rows.filter((row) => row.validity === 'valid' && isSoon(row)).length)
    t.equal(answer.approvals, (await all('/v1/approvals')).filter(isOpen).length)
    t.same(
      new Map(answer.groups.map((row: Rec) => [`${row.scheme}|${row.approval_status}`, row.count])),
      new Map([...groups].map(([name, members]) => [name, members.length])),
    )
    const sizes = answer.groups.map(({ count }: { count: number }) => count)
    t.same(
      sizes,
      [...sizes].sort((a, b) => b - a),
      'the largest first',
    )
    t.equal(
      answer.last,
      ofLand
        .map(({ valid_until: until }) => String(until))
        .sort()
        .at(-1),
    )
    t.equal(answer.any, true)
  }
  t.match((await acme('/v1/custom/report?days=0&land=DE&wanted=yes')).json(), {
    errors: [
      { parameter: 'days', detail: 'expected an integer from 1 to 365' },
      { parameter: 'land', detail: 'expected one of: JP, KR, US, BR' },
      { parameter: 'wanted', detail: 'expected true or false' },
      { parameter: 'status', code: 'invalid_value', detail: 'is missing: expected a text' },
    ],
  })
  t.match((await acme('/v1/custom/report?status=grantd')).json(), {
    errors: [{ parameter: 'status', detail: /expected one of: planned/, did_you_mean: 'granted' }],
  })
  t.match((await acme('/v1/custom/report?day=5&status=granted')).json(), {
    try: `${publicUrl}/v1/custom/report?days=5&status=granted`,
  })
  const same = await acme('/v1/custom/report?status=granted')
  t.equal(
    (await acme('/v1/custom/report?days=30&wanted=true&status=granted')).headers.etag,
    same.headers.etag,
  )
})

t.test('uses the customer’s window if an optional window is missing', async (t) => {
  await give(
    'acme',
    `
name: window
revision: 1
params: { days: { type: integer, optional: true } }
object: { expiring: { count: { from: certificates, where: { expiring: true, expiring_within: $days } } } }
`,
  )
  const count = async (query: string) => (await acme(`/v1/custom/window${query}`)).json().expiring
  const expiring = [...certificates.values()].filter(({ expiring }) => expiring)
  t.equal(await count(''), expiring.length)
  t.equal(await count('?days=10'), expiring.filter((row) => Number(row.days_remaining) <= 10).length)
})

t.test('an object is available only as JSON', async (t) => {
  const path = '/v1/custom/report?status=granted'
  for (const [url, accept] of [
    [path, 'text/csv'],
    [`${path}&format=csv`, 'text/csv, application/json'],
  ] as const) {
    const refused = await acme(url, { accept })
    t.match(refused.json(), {
      status: 406,
      code: 'not_acceptable',
      detail: 'This is available as: application/json',
    })
  }
  const answer = await acme(path, { accept: 'text/csv, application/json;q=0.5' })
  t.equal(answer.statusCode, 200, 'what the client takes less gladly is better than nothing')
  t.equal(answer.headers['content-type'], 'application/json')
  t.same(answer.json(), (await acme(path)).json())
  const left = async (accept: string) =>
    Number(/"minute";r=(\d+)/.exec(String((await acme(path, { accept })).headers.ratelimit))?.[1])
  const before = await left('application/json')
  t.equal(await left('text/csv, application/json;q=0.5'), before - 1, 'and costs what JSON costs')
  t.equal(await left('text/csv'), before - 2, 'a refusal too')
})

t.test('an object contains sums, extremes, averages, lists, constants and paths', async (t) => {
  await give(
    'acme',
    `
name: figures
revision: 1
object:
  kind: { const: "it's \\"quoted\\"" }
  nothing: { const: null }
  sum: { sum: { from: certificates, where: { country_code: JP } }, field: days_remaining }
  avg: { avg: { from: certificates, where: { country_code: JP } }, field: days_remaining }
  min: { min: { from: certificates }, field: valid_until }
  max: { max: { from: approvals }, field: updated_at }
  none: { min: { from: certificates, where: { id: nobody } }, field: valid_until }
  nobody: { first: { from: products, where: { id: nobody } }, select: { name: name } }
`,
  )
  const rows = [...certificates.values()].filter((row) => row.country_code === 'JP')
  const sum = rows.reduce((total, row) => total + Number(row.days_remaining), 0)
  const changed = (await all('/v1/approvals'))
    .map(({ updated_at: at }) => String(at))
    .sort()
    .at(-1)
  t.strictSame((await acme('/v1/custom/figures')).json(), {
    kind: `it's "quoted"`,
    nothing: null,
    sum,
    avg: Math.round((sum / rows.length) * 100) / 100,
    min: [...certificates.values()].map((row) => String(row.valid_until)).sort()[0],
    max: changed,
    none: null,
    nobody: null,
  })
  await give(
    'acme',
    `
name: short
revision: 1
object:
  countries:
    list: { from: countries }
    limit: 2
    select: { code: code, schemes: requirements.schemes, note: requirements.note, info: approval_info.granted, all: approval_info }
  names: { list: { from: products, sort: name, where: { 'name[prefix]': acme } }, value: name, limit: 3 }
  parts: { list: { from: products, sort: -name }, value: part_numbers, limit: 1 }
  empty: { list: { from: lab }, value: id, limit: 3 }
  certificates:
    list:
      from: products
      sort: name
      joins: { c: { to: certificates, many_on: product_id, limit: 50, sort: number, where: { validity: valid }, pick: [number] } }
    limit: 50
    select: { id: id, c: c }
`,
  )
  const short = (await acme('/v1/custom/short')).json()
  const standard = await all('/v1/countries')
  t.strictSame(
    short.countries,
    standard.slice(0, 2).map((row) => ({
      code: row.code,
      schemes: (row.requirements as Rec).schemes,
      note: (row.requirements as Rec).note,
      info: (row.approval_info as Rec).granted,
      all: row.approval_info,
    })),
  )
  const names = [...products.values()].map(({ name }) => String(name)).sort()
  t.strictSame(short.names, names.slice(0, 3))
  t.strictSame([short.parts.length, short.empty], [1, []])
  const valid = [...certificates.values()].filter(({ validity }) => validity === 'valid')
  t.strictSame(
    new Map(short.certificates.map((row: Rec) => [row.id, row.c])),
    new Map(
      [...products.keys()].map((id) => [
        id,
        valid
          .filter((row) => row.product_id === id)
          .map(({ number }) => ({ number: String(number) }))
          .sort((a, b) => (a.number < b.number ? -1 : 1)),
      ]),
    ),
  )
})

t.test('merges rows of several sources into one for each value', async (t) => {
  const part = (from: string, preferred: string) =>
    `{ from: ${from}, where: { country_code: JP }, select: { scheme: scheme, good: ${preferred}, from: { const: ${from} } } }`
  const document = (prefer: string) => `
name: merged
revision: ${prefer === '' ? 1 : 2}
object:
  m: { merge: [${part('approvals', '{ const: false }')}, ${part('certificates', '{ if: { test: { field: validity, eq: valid }, then: true, else: false } }')}], by: scheme, limit: 50${prefer} }
`
  await give('acme', document(''))
  t.strictSame((await acme('/v1/custom/merged')).json(), {
    m: [{ scheme: 'MIC', good: false, from: 'approvals' }],
  })
  await give('acme', document(', prefer: good'))
  const answer = await acme('/v1/custom/merged')
  t.strictSame(answer.json(), { m: [{ scheme: 'MIC', good: true, from: 'certificates' }] })
  t.equal(answer.headers['definition-revision'], '2')
})

t.test('merges rows without a value, from constants and from fields', async (t) => {
  const part = (from: string, key: string) =>
    `{ from: ${from}, where: { id: [c1, a3] }, select: { key: ${key}, from: { const: ${from} } } }`
  const parts = [part('certificates', '{ const: null }'), part('approvals', 'certificate_id')]
  await give(
    'acme',
    `{ name: keyless, revision: 1, object: { m: { merge: [${parts}], by: key, limit: 50 } } }`,
  )
  t.strictSame((await acme('/v1/custom/keyless')).json(), { m: [{ key: null, from: 'certificates' }] })
})

t.test('objects within records are compact in custom endpoints, too', async (t) => {
  await run(`update certificates set validity_periods = '{"(2020-01-01,,initial)"}'
    where customer_id = 'acme'`)
  await give(
    'acme',
    'name: periods\nrevision: 1\nlist: { from: certificates, sort: [number], limit: 3, select: { number: number, periods: validity_periods } }\n',
  )
  const period = '[{"from":"2020-01-01","until":null,"basis":"initial"}]'
  const page = await acme('/v1/custom/periods')
  t.match(page.body, `{"data":[{"number":"acme-N1","periods":${period}},`)
  t.equal(page.body, JSON.stringify(page.json()))
  const lines = await acme('/v1/custom/periods?format=ndjson')
  t.match(lines.body, `{"number":"acme-N1","periods":${period}}\n`)
  const cells = await acme('/v1/custom/periods?format=csv')
  t.match(cells.body, `acme-N1,"${period.replaceAll('"', '""')}"\r\n`)
  await give(
    'acme',
    'name: facts\nrevision: 1\nobject: { a: { list: { from: countries }, limit: 1, select: { all: requirements, schemes: requirements.schemes } } }\n',
  )
  const facts = await acme('/v1/custom/facts')
  t.match(facts.body, '"all":{"schemes":["S-BR"],"in_country_testing":null,')
  t.equal(facts.body, JSON.stringify(facts.json()))
})
