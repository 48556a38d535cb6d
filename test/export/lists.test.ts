import { sql } from 'kysely'
import t from 'tap'
import { type AuditEntry, listEntries } from '../../app/audit/list.ts'
import { loadExampleData } from '../../app/local/example-data.ts'
import type { Field, ResourceName } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase, type Get, until } from '../helper.ts'
import { fc } from '../random.ts'
import { type Cell, parseCells, splitTexts, unguard } from './csv.ts'
import { wildText } from './rows.ts'
import { getMoment, readWorkbook, type SheetCell } from './xlsx.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)
const { get } = await asCustomer(database, app, 'acme')
const demo: Get = (url, headers = {}) =>
  app.inject({ url, headers: { authorization: 'Bearer cda_demo_public', ...headers } })

const day = new Date().toISOString().slice(0, 10)
await loadExampleData(database.operator, day)
const owned = resourceNames.filter((name) => !resources[name].reference)
for (const name of owned) {
  await sql`insert into ${sql.table(name)} select (json_populate_record(r, '{"customer_id": "acme"}')).*
    from ${sql.table(name)} r where customer_id = 'demo'`.execute(database.operator)
}
const texts = fc.sample(wildText, { numRuns: 300, seed: 7 }).map((text) => text.slice(0, 200).toWellFormed())
const wild = texts.map((text, index) => ({
  id: `wild-${index}`,
  name: text,
  brand: text,
  model: text,
  tags: [text, '', 'a;b'],
  part_numbers: [text, '\\'],
}))
await sql`insert into products (customer_id, id, name, brand, model, tags, part_numbers)
  select 'acme', id, name, brand, model, tags, part_numbers
  from json_populate_recordset(null::products, ${JSON.stringify(wild)}::json)`.execute(database.operator)

/** Returns the JSON texts of the records of all pages. */
const readPages = async (name: string, query: string): Promise<string[]> => {
  const records: string[] = []
  for (let next: string | null = `/v1/${name}?limit=500${query}`; next !== null; ) {
    const answer = await get(next)
    const { data, page } = answer.json()
    const inner = answer.body.slice('{"data":['.length, answer.body.lastIndexOf('],"page":'))
    // Only between records is a comma after a brace and before `{"id":`.
    records.push(...(data.length === 0 ? [] : inner.split(/(?<=\}),(?=\{"id":)/)))
    next = page.next_cursor && `/v1/${name}?limit=500${query}&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  return records
}

const queries: Partial<Record<ResourceName, string>> = {
  certificates: ' &validity=valid &sort=valid_until,number &on=2030-01-31&expiring_within=30 &tags=x',
  products: ' &sort=-model &product_status=active &name[prefix]=A &fields=name,tags',
  projects: ' &sort=due_on &status[nin]=draft,quoted',
  countries: ' &region=europe &fields=name,approval_info',
  lab: ' &sort=-issued_on,report_number &result=pass',
  approvals: ' &open=true &expected_on[gte]=today',
}
const lists = await Promise.all(
  resourceNames.flatMap((name) =>
    (queries[name] ?? ' &sort=-id')
      .split(' ')
      .map(async (query) => ({ name, query, pages: await readPages(name, query) })),
  ),
)

t.test('NDJSON has the records of the pages in the same order, byte for byte', async (t) => {
  for (const { name, query, pages } of lists) {
    const answer = await get(`/v1/${name}?format=ndjson${query}`)
    t.same(answer.body.split('\n'), [...pages, ''], `${name} ${query}: ${pages.length}`)
  }
})

const toCell = (kind: string, array: boolean, value: unknown): Cell | string[] => {
  if (array) return value as string[]
  if (value === null) return null
  return kind === 'json' ? JSON.stringify(value) : String(value)
}

t.test('CSV has the same values, read by a separate parser', async (t) => {
  for (const { name, query, pages } of lists) {
    const { fields } = resources[name]
    const answer = await get(`/v1/${name}?format=csv${query}`)
    const [header = [], ...rows] = parseCells(answer.body)
    const columns = header.map((field) => fields.get(field as string) as Field)
    const read = rows.map((cells) =>
      columns.map(({ kind, array, values }, index) => {
        const cell = cells[index] ?? null
        if (array) return splitTexts(cell && unguard(cell))
        if (kind === 'json') return JSON.stringify(JSON.parse(cell as string))
        return kind === 'text' && !values ? cell && unguard(cell) : cell
      }),
    )
    const expected = pages.map((text) => {
      const record = JSON.parse(text)
      return columns.map(({ name: field, kind, array }) => toCell(kind, array, record[field]))
    })
    t.same(read, expected, `${name} ${query}`)
    const texts = rows.flatMap((cells) => cells.filter((_, index) => columns[index]?.kind === 'text'))
    t.notOk(
      texts.some((text) => text && /^[=+\-@\t\r]/.test(text)),
      'no text is a formula',
    )
    t.notOk(answer.body.startsWith('\ufeff'))
    t.ok(answer.body.endsWith('\r\n'))
  }
})

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Converts a cell to the value on a page. Throws if the cell has another type than the field. */
const readValue = ({ name, kind, array }: Field, cell: SheetCell | undefined, shown: unknown): unknown => {
  if (name === 'validity_periods') {
    const texts = (cell?.value ?? '').matchAll(/(\S+) to (\S+) \((\w+)\)/g)
    return [...texts].map(([, from, until, basis]) => ({
      from,
      until: until === 'unlimited' ? null : until,
      basis,
    }))
  }
  if (!cell) return array ? [] : null
  const { type, format, value } = cell
  const expect = (...expected: string[]) => {
    if (String([type, format]) !== String(expected)) throw new Error(`${type}, ${format} for ${shown}`)
  }
  if (array || kind === 'text') expect('text', '@')
  if (array) return splitTexts(value)
  if (kind === 'date') {
    expect('number', 'yyyy-mm-dd')
    return new Date(getMoment(value)).toISOString().slice(0, 10)
  }
  if (kind === 'instant') {
    expect('number', 'yyyy-mm-dd hh:mm:ss')
    // `getMoment` is exact to a millisecond.
    return Math.abs(getMoment(value) - Date.parse(String(shown))) <= 1 ? shown : getMoment(value)
  }
  if (kind === 'boolean') {
    expect('boolean', 'General')
    return value === '1'
  }
  if (kind === 'integer') {
    expect('number', 'General')
    return Number(value)
  }
  return kind === 'json' ? JSON.parse(value) : value
}

t.test('XLSX holds the same values, each with its type', async (t) => {
  for (const { name, query, pages } of lists) {
    const answer = await get(`/v1/${name}?format=xlsx${query}`)
    const [[sheet, [header = {}, ...rows] = []] = [], ...others] = [...readWorkbook(answer.rawPayload)]
    t.same([sheet, ...others], ['data'])
    const columns = Object.entries(header).map(([letters, { value }]) => ({
      letters,
      field: resources[name].fields.get(value) as Field,
    }))
    const names = columns.map(({ field }) => field.name)
    const lastNames = names.slice(names.findIndex((each) => /(^|_)ids?$/.test(each)))
    const isReadableFirst = lastNames.every((each) => /(^|_)ids?$|_at$/.test(each))
    t.ok(query.includes('fields=') || isReadableFirst, 'readable columns are first')
    const records = pages.map((text) => JSON.parse(text))
    const read = rows.map((row, index) =>
      Object.fromEntries(
        columns.map(({ letters, field }) => {
          const shown = records[index]?.[field.name]
          return [field.name, readValue(field, row[letters], shown)]
        }),
      ),
    )
    t.same(read, records, `${name} ${query}: ${read.length}`)
  }
})

t.test('CSV begins with a byte order mark only if requested', async (t) => {
  const body = async (query: string) => (await get(`/v1/products?fields=id,name&limit=1${query}`)).rawPayload
  const plain = await body('&format=csv')
  t.same(await body('&format=csv&bom=true'), Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]))
  t.same(await body('&format=csv&bom=false'), plain)
  for (const format of ['json', 'ndjson', 'xlsx']) {
    t.match((await get(`/v1/products?format=${format}&bom=true`)).json(), {
      status: 400,
      code: 'invalid_query',
      errors: [{ parameter: 'bom', code: 'invalid_value', detail: /request CSV/ }],
    })
  }
  t.match((await get('/v1/products/wild-1?bom=true')).json(), { errors: [{ code: 'unknown_parameter' }] })
  t.match((await get('/v1/products?format=csv&bom=yes')).json(), {
    errors: [{ parameter: 'bom', code: 'invalid_value', detail: 'expected true, false' }],
  })
  const byAccept = await get('/v1/products?bom=true&limit=1', { accept: 'text/csv' })
  t.ok(byAccept.body.startsWith('\ufeff'), 'also where Accept asks for CSV')
})

t.test('objects within records are compact and in the schema’s order, in every format', async (t) => {
  const inOrder = (name: ResourceName, record: object) => JSON.stringify(resources[name].schema.parse(record))
  const requirements = {
    note: 'a, "b"',
    lead_time_weeks: { max: 6, min: 2 },
    validity: { years: 5, kind: 'fixed' },
    local_representative: null,
    schemes: ['A', 'B'],
    in_country_testing: 'required',
  }
  const authorities = [{ role: 'radio', domain: null, abbreviation: 'X', name: 'Ministère' }]
  await sql`insert into countries (id, code, alpha3, name, region, authorities, requirements)
    select distinct c.country_code, c.country_code, c.country_code || 'X', c.country_code, 'europe',
      array(select a from jsonb_populate_recordset(null::authority, ${JSON.stringify(authorities)}) a),
      jsonb_populate_record(null::country_requirements, ${JSON.stringify(requirements)})
    from certificates c where c.country_code is not null`.execute(database.operator)
  await until('the countries are shown', async () => (await get('/v1/countries')).json().data.length > 1)
  for (const name of ['certificates', 'countries'] as const) {
    const page = await get(`/v1/${name}?limit=500`)
    const { data } = page.json()
    t.ok(data.length > 1)
    t.equal(page.body, JSON.stringify(page.json()), `${name} without spaces`)
    const records = data.map((record: object) => inOrder(name, record))
    t.same(
      data.map((record: object) => JSON.stringify(record)),
      records,
      `${name} in order`,
    )
    t.equal((await get(`/v1/${name}/${data[0].id}`)).body, `{"data":${records[0]}}`)
    const csv = parseCells((await get(`/v1/${name}?format=csv&limit=1`)).body)
    const objects = [...resources[name].fields.values()].filter(({ kind }) => kind === 'json')
    for (const { name: field } of objects) {
      t.equal(
        csv[1]?.[csv[0]?.indexOf(field) as number],
        JSON.stringify(JSON.parse(records[0])[field]),
        field,
      )
    }
  }
  const included = await get('/v1/certificates?include=country&limit=500')
  t.ok(Object.keys(included.json().included.countries).length > 1)
  t.equal(included.body, JSON.stringify(included.json()))
})

t.test('columns are in the order of fields, and the header is sent without rows too', async (t) => {
  const first = async (query: string) => (await get(`/v1/products?format=csv&${query}`)).body.split('\r\n')[0]
  t.equal(await first('fields=tags,id,name'), 'tags,id,name')
  t.equal(await first('fields=tags,name,tags'), 'id,tags,name')
  t.equal(await first('limit=1'), [...resources.products.fields.keys()].join(','))
  t.equal((await get('/v1/products?format=csv&id=nobody&fields=id,name')).body, 'id,name\r\n')
  t.equal((await get('/v1/products?format=ndjson&id=nobody')).body, '')
})

t.test('exports have a file name, no ETag and the time of their snapshot', async (t) => {
  const before = new Date().toISOString()
  const csv = await get('/v1/certificates?format=csv&limit=2')
  t.match(csv.headers, {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="certificates-${day}.csv"`,
    'cache-control': 'no-store',
    vary: 'Authorization, Accept, Accept-Encoding',
  })
  t.ok(String(csv.headers['data-as-of']) >= before.slice(0, 19), 'as of the snapshot')
  t.notOk(csv.headers.etag)
  t.match((await get('/v1/certificates?format=xlsx&limit=2')).headers, {
    'content-type': xlsx,
    'content-disposition': `attachment; filename="certificates-${day}.xlsx"`,
    'cache-control': 'no-store',
    vary: 'Authorization, Accept, Accept-Encoding',
  })
  const lines = await get('/certificates?format=ndjson&limit=2')
  t.match(lines.headers, {
    'content-type': 'application/x-ndjson',
    'content-disposition': `attachment; filename="certificates-${day}.ndjson"`,
    link: '<http://api.test/v1/certificates>; rel="canonical"',
  })
  t.equal(
    (await get('/v1/certificates?format=ndjson&limit=2')).body,
    lines.body,
    'whatever the form of the path',
  )
})

t.test('the format is chosen by Accept, and the parameter format wins', async (t) => {
  const type = async (accept: string, query = '') =>
    (await get(`/v1/lab?limit=1${query}`, { accept })).headers['content-type']
  const [json, lines] = ['application/json', 'application/x-ndjson']
  const csv = 'text/csv; charset=utf-8; header=present'
  for (const [accept, expected] of [
    ['*/*', json],
    ['application/*', json],
    [lines, lines],
    ['application/jsonl', lines],
    ['Application/NDJSON; q=0.9, application/json; q=0.1', lines],
    ['application/x-jsonlines, text/csv; q=0.5', lines],
    ['application/ndjson;q=0, application/json', json],
    ['text/csv; charset="UTF-8"', csv],
    ['text/csv; charset=windows-1252, text/*;q=0.5, */*;q=0.1', csv],
    ['text/csv; charset=windows-1252, application/x-ndjson', lines],
    ['application/json; charset=iso-8859-1', json],
    ['text/csv', csv],
    ['text/*', csv],
    ['text/csv;q=0.5, application/x-ndjson;q=0.7', lines],
    ['application/x-ndjson, application/json', json],
    ['application/json;q=0.4, text/csv', csv],
    ['text/csv, */*', json],
    ['text/csv, */*;q=0.1', csv],
    ['text/csv; charset=utf-8; header=present', csv],
    ['text/csv; header="present";q=0.9, application/json;q=0.8', csv],
    ['text/csv; header=absent, application/json;q=0.1', json],
    ['text/csv;q=0, text/*, application/json;q=0.1', json],
    ['TEXT/CSV ; Q=1', csv],
    [xlsx, xlsx],
    [`${xlsx}, text/csv;q=0.9`, xlsx],
    ['application/vnd.openxmlformats-officedocument.*, text/csv;q=0.1', csv],
  ] as const) {
    t.equal(await type(accept), expected, accept)
  }
  t.equal(await type('application/json', '&format=csv'), csv, 'format wins')
  t.equal(await type('text/csv', '&format=json'), json)
  const none = await get('/v1/lab', { accept: 'application/xml' })
  t.match(none.json(), { status: 406, code: 'not_acceptable' })
  for (const charset of ['windows-1252', '"ISO-8859-1"', 'us-ascii', 'utf-16']) {
    const other = await get('/v1/lab', { accept: `text/csv; charset=${charset}` })
    t.match(other.json(), { status: 406, detail: /text\/csv.*UTF-8/ }, charset)
  }
  t.equal(await type(json, '&format=xlsx'), xlsx)
  for (const each of [json, lines, 'text/csv', xlsx]) t.match(none.json().detail, each)
  const item = await get(`/v1/products/wild-1`, { accept: 'text/csv' })
  t.equal(item.statusCode, 406, 'one record is JSON')
  t.equal((await get('/v1/products/wild-1?format=ndjson')).statusCode, 406)
  t.match((await get('/v1/lab?format=xml')).json(), {
    code: 'invalid_query',
    errors: [{ parameter: 'format', detail: 'expected json, ndjson, csv, xlsx' }],
  })
  t.match((await get('/v1/lab?format=xslx')).json(), {
    errors: [{ parameter: 'format', did_you_mean: 'xlsx' }],
    try: 'http://api.test/v1/lab?format=xlsx',
  })
})

t.test('parameters of pages are refused by name, with every other fault', async (t) => {
  const answer = await get('/v1/products?format=csv&include=x&count=exact&cursor=abc&nme=1&limit=9999')
  t.match(answer.json(), {
    status: 400,
    code: 'invalid_query',
    errors: [
      { parameter: 'include', code: 'unknown_parameter', detail: /leave include out/ },
      { parameter: 'count', code: 'unknown_parameter', detail: /leave count out/ },
      { parameter: 'cursor', code: 'unknown_parameter', detail: /leave cursor out/ },
      { parameter: 'nme', did_you_mean: 'name' },
      { parameter: 'limit' },
    ],
  })
  t.equal(answer.headers['content-disposition'], undefined)
  t.equal(answer.headers['content-type'], 'application/problem+json')
  for (const name of ['include', 'count', 'cursor']) {
    const refused = await get(`/v1/certificates?format=xlsx&${name}=product`)
    t.match(refused.json(), { status: 400, errors: [{ parameter: name, code: 'unknown_parameter' }] })
  }
  const curable = await get('/v1/products?format=ndjson&nme=1')
  t.equal(curable.json().try, 'http://api.test/v1/products?format=ndjson&name=1')
})

t.test('an export costs ten units of the minute; HEAD costs one and has the same headers', async (t) => {
  const { token } = await asCustomer(database, app, 'header')
  let left = Number.NaN
  const request = async (method: 'GET' | 'HEAD', query: string, accept = '*/*') => {
    const headers = { authorization: `Bearer ${token}`, accept }
    const answer = await app.inject({ method, url: `/v1/certificates${query}`, headers })
    const before = left
    left = Number(/"minute";r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])
    const { 'content-length': _length, 'transfer-encoding': _coding, ...others } = answer.headers
    return { body: answer.body, cost: before - left, names: Object.keys(others).sort() }
  }
  await request('HEAD', '')
  for (const query of ['?format=csv', '?format=xlsx']) {
    const head = await request('HEAD', query)
    const whole = await request('GET', query)
    t.same([head.body, head.cost, whole.cost], ['', 1, 10], query)
    t.same(head.names, whole.names)
  }
  t.equal((await request('GET', '')).cost, 1)
  t.equal((await request('GET', '', 'text/csv')).cost, 10)
})

t.test('the demo token exports the example data', async (t) => {
  const { body, statusCode } = await demo('/v1/certificates?format=ndjson')
  t.equal(statusCode, 200)
  t.ok(body.split('\n').length > 20)
})

t.test('exports are compressed, except XLSX', async (t) => {
  const { brotliDecompressSync, gunzipSync, zstdDecompressSync } = await import('node:zlib')
  const url = '/v1/products?format=csv'
  const { body } = await get(url)
  const decode = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }
  for (const [coding, read] of Object.entries(decode)) {
    const answer = await get(url, { 'accept-encoding': coding })
    t.equal(answer.headers['content-encoding'], coding)
    t.equal(read(answer.rawPayload).toString(), body)
    const book = await get('/v1/products?format=xlsx', { 'accept-encoding': coding })
    t.equal(book.headers['content-encoding'], undefined, 'XLSX is compressed already')
    t.ok(readWorkbook(book.rawPayload).has('data'))
  }
})

t.test('the audit trail counts the sent records', async (t) => {
  const { token } = await asCustomer(database, app, 'counted')
  await sql`insert into products (customer_id, id, name)
    select 'counted', 'c' || i, 'x' from generate_series(1, 1234) i`.execute(database.operator)
  await app.inject({ url: '/v1/products?format=ndjson', headers: { authorization: `Bearer ${token}` } })
  const entries = async () => {
    await app.audit.flush()
    return listEntries(database.operator, { customer: 'counted', limit: 10 })
  }
  const read = (all: AuditEntry[]) => all.filter(({ details }) => details?.resource === 'products')
  await until('it is written', async () => read(await entries()).length > 0)
  t.match(read(await entries()), [{ details: { rows: 1234, count: 1 } }])
})

t.test('the document describes every list with its types', async (t) => {
  const { paths } = (await app.inject('/openapi.json')).json()
  for (const name of resourceNames) {
    const { responses, parameters } = paths[`/v1/${name}`].get
    // Formats of features come last.
    const types = ['application/json', 'application/x-ndjson', 'text/csv', xlsx]
    t.same(Object.keys(responses[200].content).slice(0, types.length), types)
    t.ok(responses[200].headers['Content-Disposition'])
    t.ok(responses[406] && responses[429] && responses[503])
    const format = parameters.find((each: { name: string }) => each.name === 'format')
    t.same(format.schema.enum.slice(0, types.length), ['json', 'ndjson', 'csv', 'xlsx'])
  }
})
