import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { isExplicitOnly } from '../../app/lists/values.ts'
import { getOperators } from '../../app/records/query/filters.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import {
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  type Get,
  until,
} from '../helper.ts'
import { cases, fc, seed } from '../random.ts'
import { createStandingClock } from '../standing-clock.ts'
import {
  contract,
  type FilterSpec,
  getField,
  getSpec,
  namesOfRows,
  operatorsFor,
  type ResourceSpec,
} from './contract.ts'
import {
  type Asked,
  addDays,
  expected,
  expectedIncluded,
  type Filter,
  listRecords,
  listWords,
  type Moment,
  type Rec,
  type Stored,
  writeFilter,
  writeQuery,
} from './oracle.ts'
import { seedCountries, seedCustomer } from './world.ts'

type Page = { limit: number; has_more: boolean; next_cursor: string | null; total?: number; as_of?: string }
type Body = { data: Rec[]; page: Page; included?: Record<string, Record<string, Rec>>; code?: string }

const today = new Date().toISOString().slice(0, 10)
const clock = createStandingClock(Date.parse(`${today}T12:00:00Z`))

const database = await createTestDatabase()
const app = await createTestApp(database, { clock })
closeAfter(t, app, database)

const acme = await asCustomer(database, app, 'acme')
const bolt = await asCustomer(database, app, 'bolt')
const countries = await seedCountries(database, today)
const stored: Stored = await seedCustomer(database, 'acme', { seed: 1, today, countries })
await seedCustomer(database, 'bolt', { seed: 2, today, countries })
const now: Moment = { today, on: today, window: 90 }

const read = async (url: string, get: Get = acme.get): Promise<Body> => {
  const answer = await get(url)
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`)
  return answer.json()
}
const listIds = (records: readonly Rec[]) => records.map((record) => record.id)
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Returns the queries whose ids differ from those of the oracle. */
const listMismatches = async (queries: readonly (Asked & { extra?: string; moment?: Moment })[]) => {
  const wrong: object[] = []
  const check = async (asked: Asked & { extra?: string; moment?: Moment }) => {
    const url = `/v1/${asked.resource}?fields=id&limit=500&${writeQuery(asked)}${asked.extra ?? ''}`
    const answer = await acme.get(url)
    const wanted = listIds(expected(asked, stored, asked.moment ?? now))
    const got = answer.statusCode === 200 ? listIds((answer.json() as Body).data) : answer.body
    if (!same(got, wanted)) wrong.push({ url, got, wanted })
  }
  const remaining = queries.values()
  const work = async () => {
    for (const asked of remaining) await check(asked)
  }
  await Promise.all([work(), work(), work(), work()])
  return wrong
}

/** Returns filter values: existing ones, limits, and some that no record has. */
const valuesFor = (spec: ResourceSpec, { name }: FilterSpec): string[] => {
  const field = getField(spec, name)
  if (field.kind === 'boolean') return ['true', 'false']
  if (field.values) return field.values
  if (field.kind === 'date') {
    return ['today', 'today+90d', 'today-1d', addDays(today, 30), '0001-01-01', '9999-12-31', '2024-02-29']
  }
  const known = new Set(
    listRecords(spec.name, stored, now).flatMap((record) => record[name] as string | string[]),
  )
  const values = [...known].filter((value) => value !== null && !isExplicitOnly(String(value))) as string[]
  if (field.kind === 'instant')
    return [...values.slice(0, 3), 'today', 'today+1d', `${today}T00:00:00.000001Z`]
  if (/country_code|^code$|^id$/.test(name) && spec.reference) return [...values.slice(0, 6), 'QX']
  if (/country_codes?$|^alpha3$/.test(name)) return [...values.slice(0, 12), name === 'alpha3' ? 'QXQ' : 'QX']
  return [...values, 'nobody-has-this']
}

const storable = (value: string) => Buffer.byteLength(value) <= 2000

/** Whole values, and values cut between characters. */
const listPrefixes = (values: string[]): string[] => {
  const cut = values.flatMap((value) => {
    const points = [...value]
    return [value, points.slice(0, 1).join(''), points.slice(0, -1).join('')]
  })
  return [...new Set(cut)].filter((value) => !isExplicitOnly(value))
}

const filtersFor = (spec: ResourceSpec, filter: FilterSpec, operator: string): Filter[] => {
  const field = filter.name
  const values = valuesFor(spec, filter).filter(storable)
  if (operator === 'null') return ['true', 'false'].map((value) => ({ field, operator, values: [value] }))
  if (operator === 'prefix')
    return listPrefixes(values).map((value) => ({ field, operator, values: [value] }))
  // The bare = takes every value. Similar operators share the values.
  const kin = ['eq', 'ne', 'in', 'nin', 'all'].indexOf(operator)
  const asked = kin === -1 || values.length < 10 ? values : values.filter((_, index) => index % 4 === kin % 4)
  const singles = asked.map((value) => ({ field, operator, values: [value] }))
  if (['', 'in', 'nin', 'all'].includes(operator)) {
    const short = values.filter((value) => value.length < 200)
    singles.push({ field, operator, values: short.slice(0, 3) }, { field, operator, values: short.slice(-2) })
    singles.push({ field, operator, values: short.slice(0, 200) })
  }
  return singles
}

t.test('resources have exactly the fields, filters, sort keys and includes of the contract', async (t) => {
  t.same(
    resourceNames.filter((name) => namesOfRows.includes(name)),
    namesOfRows,
  )
  for (const spec of contract) {
    const resource = resources[spec.name as keyof typeof resources]
    t.same(
      [...resource.fields.keys()],
      spec.fields.map((field) => field.name),
      `fields of ${spec.name}`,
    )
    t.same(resource.search, spec.search, `words of ${spec.name}`)
    t.same(resource.sorts, spec.sorts, `sort keys of ${spec.name}`)
    t.same(resource.defaultSort, spec.defaultSort)
    t.same(resource.includes, spec.includes, `includes of ${spec.name}`)
    t.same(Object.keys(resource.filters).sort(), spec.filters.map((filter) => filter.name).sort())
    for (const filter of spec.filters) {
      const field = resource.fields.get(filter.name)
      const operators = operatorsFor(spec, filter).filter((operator) => operator !== '')
      t.same(field && [...getOperators(field)].sort(), operators.sort(), `${spec.name}.${filter.name}`)
    }
  }
})

t.test('a record shows every field of the contract, unknown ones as null', async (t) => {
  const wrong: object[] = []
  for (const spec of contract) {
    const { data } = await read(`/v1/${spec.name}?limit=500`)
    const wanted = expected({ resource: spec.name, filters: [] }, stored, now)
    if (data.length !== wanted.length) wrong.push({ resource: spec.name, rows: data.length })
    for (const [index, record] of wanted.entries()) {
      if (!isDeepStrictEqual(data[index], record)) wrong.push({ record, seen: data[index] })
      if (
        !same(
          Object.keys(data[index] ?? {}),
          spec.fields.map((field) => field.name),
        )
      ) {
        wrong.push({ resource: spec.name, keys: Object.keys(data[index] ?? {}) })
      }
    }
    const sample = wanted.slice(0, 12)
    for (const record of sample) {
      const { data: one } = (await read(`/v1/${spec.name}/${record.id}`)) as unknown as { data: Rec }
      if (
        !same(
          one,
          data.find((each) => each.id === record.id),
        )
      )
        wrong.push({ one })
    }
  }
  t.same(wrong, [])
})

/** A random share of the values. The gate takes all. */
const chosen = <T>(values: readonly T[]): T[] => {
  const start = seed % (values.length || 1)
  return [...values.slice(start), ...values.slice(0, start)].slice(0, cases(values.length))
}

for (const spec of contract) {
  t.test(`every filter of ${spec.name} with every operator finds the records of the contract`, async (t) => {
    const queries = spec.filters.flatMap((filter) =>
      operatorsFor(spec, filter).flatMap((operator) =>
        chosen(filtersFor(spec, filter, operator)).map((each) => ({ resource: spec.name, filters: [each] })),
      ),
    )
    t.ok(queries.length > 20, `${queries.length} queries`)
    t.same(await listMismatches(queries), [])
  })
}

t.test('validity, expiring and days_remaining are computed for the requested day and window', async (t) => {
  const spec = getSpec('certificates')
  const days = ['0001-01-01', '2024-02-29', addDays(today, -91), addDays(today, 1), addDays(today, 90)]
  days.push(addDays(today, 365), '9999-12-31')
  const wrong: object[] = []
  for (const on of chosen([...days, 'today-30d', 'today+2d'])) {
    for (const window of [undefined, 1, 30, 365]) {
      const resolved = on.startsWith('today') ? addDays(today, Number(on.slice(5, -1))) : on
      const moment = { today, on: resolved, window: window ?? 90 }
      const extra = `&on=${encodeURIComponent(on)}${window ? `&expiring_within=${window}` : ''}`
      const { data, page } = await read(`/v1/certificates?limit=500${extra}`)
      const wanted = expected({ resource: 'certificates', filters: [] }, stored, moment)
      const different = wanted.filter((record, index) => !isDeepStrictEqual(data[index], record))
      if (different.length > 0) wrong.push({ extra, ids: listIds(different) })
      if (page.as_of !== resolved) wrong.push({ extra, as_of: page.as_of })
      const computed = spec.filters.filter((filter) => ['validity', 'expiring'].includes(filter.name))
      const queries = computed.flatMap((filter) =>
        ['', 'ne'].flatMap((operator) =>
          filtersFor(spec, filter, operator).map((each) => ({
            resource: 'certificates',
            filters: [each],
            extra,
            moment,
          })),
        ),
      )
      wrong.push(...(await listMismatches(queries)))
    }
  }
  t.same(wrong, [])
})

t.test("approval_info counts this customer's approvals, and each certificate once", async (t) => {
  const wrong: object[] = []
  for (const [extra, moment] of [
    ['', now],
    ['&on=today%2B90d', { ...now, on: addDays(today, 90) }],
    ['&expiring_within=365', { ...now, window: 365 }],
    ['&on=0001-01-01&expiring_within=1', { today, on: '0001-01-01', window: 1 }],
  ] as [string, Moment][]) {
    const { data, page } = await read(`/v1/countries?limit=500${extra}`)
    for (const record of expected({ resource: 'countries', filters: [] }, stored, moment)) {
      const got = data.find((each) => each.id === record.id)
      if (!isDeepStrictEqual(got, record))
        wrong.push({ extra, got: got?.approval_info, wanted: record.approval_info })
    }
    if (page.as_of !== moment.on) wrong.push({ extra, page })
  }
  t.same(wrong, [])
  const { data } = await read('/v1/countries?limit=500', bolt.get)
  const sum = data.reduce((total, each) => total + (each.approval_info as { granted: number }).granted, 0)
  t.ok(sum > 0, 'another customer has counts of its own')
})

t.test("the window is the customer's setting, and a change applies immediately", async (t) => {
  const cortex = await asCustomer(database, app, 'cortex')
  const rows = await seedCustomer(database, 'cortex', { seed: 3, today, countries })
  const count = async () => (await read('/v1/certificates?expiring=true&limit=500', cortex.get)).data.length
  const wanted = (window: number) =>
    expected(
      { resource: 'certificates', filters: [{ field: 'expiring', operator: '', values: ['true'] }] },
      rows,
      { ...now, window },
    ).length
  t.equal(await count(), wanted(90))
  t.not(wanted(1), wanted(90), 'the test can tell')
  await sql`update customers set expiring_within = 1 where customer_id = 'cortex'`.execute(database.operator)
  await until('the new window counts', async () => (await count()) === wanted(1))
})

t.test('computed fields flip at midnight UTC, cached answers with them', async (t) => {
  const noon = clock.at
  clock.at = Date.parse(`${today}T23:59:59.900Z`)
  const { get } = await asCustomer(database, app, 'acme')
  const plain = async () => {
    const answer = await get('/v1/certificates?limit=500', { 'cache-control': '' })
    return { ...(answer.json() as Body), cache: answer.headers['cache-status'] }
  }
  const first = await plain()
  clock.at += 99
  const last = await plain()
  clock.at += 1
  const next = await plain()
  clock.at = noon
  t.match([last.cache, next.cache], [/hit/, /stored/])
  const tomorrow = addDays(today, 1)
  t.same(
    [first, last, next].map(({ page }) => page.as_of),
    [today, today, tomorrow],
  )
  const wanted = (day: string) =>
    expected({ resource: 'certificates', filters: [] }, stored, { ...now, today: day, on: day })
  t.strictSame(first.data, wanted(today))
  t.strictSame(next.data, wanted(tomorrow))
})

const directions = (keys: string[]): string[][] =>
  keys.reduce<string[][]>(
    (all, key) =>
      all.flatMap((each) => [
        [...each, key],
        [...each, `-${key}`],
      ]),
    [[]],
  )

t.test('sort keys and pairs of them in each direction: null is greatest, id breaks ties', async (t) => {
  const queries = contract.flatMap((spec) => {
    const pairs = spec.sorts.flatMap((a) => spec.sorts.filter((b) => b !== a).map((b) => [a, b]))
    const sorts = [...spec.sorts.map((key) => [key]), ...pairs].flatMap(directions)
    return sorts.map((keys) => ({ resource: spec.name, filters: [], sort: keys.join(',') }))
  })
  t.ok(queries.length > 300, `${queries.length} sorts`)
  t.same(await listMismatches(chosen(queries)), [])
})

const walk = async (asked: Asked, limit: number, extra = ''): Promise<Rec[]> => {
  const found: Rec[] = []
  const url = `/v1/${asked.resource}?limit=${limit}&${writeQuery(asked)}${extra}`
  let cursor: string | null = null
  do {
    const { data, page }: Body = await read(cursor ? `${url}&cursor=${cursor}` : url)
    found.push(...data)
    assert.ok(found.length < 1000, 'a walk comes to its end')
    assert.equal(page.limit, limit)
    assert.equal(page.has_more, page.next_cursor !== null)
    assert.ok(data.length === limit || !page.has_more, 'only the last page may be short')
    assert.ok(data.length > 0 || found.length === 0, 'no empty page follows a full one')
    cursor = page.next_cursor
  } while (cursor)
  return found
}

t.test('the cursors of every sort return each record once and in order', async (t) => {
  const wrong: object[] = []
  for (const spec of contract) {
    for (const sort of chosen(spec.sorts.flatMap((key) => [key, `-${key}`]))) {
      for (const limit of [7, 59, 60]) {
        const asked = { resource: spec.name, filters: [], sort }
        const walked = listIds(await walk(asked, limit, '&fields=id'))
        if (!same(walked, listIds(expected(asked, stored, now)))) wrong.push({ sort, limit, walked })
      }
    }
  }
  t.same(wrong, [])
})

const anyAsked: fc.Arbitrary<Asked> = fc.constantFrom(...contract).chain((spec) => {
  const anyFilter = fc
    .constantFrom(...spec.filters)
    .chain((filter) =>
      fc
        .constantFrom(...operatorsFor(spec, filter))
        .chain((operator) => fc.constantFrom(...filtersFor(spec, filter, operator))),
    )
  const short = anyFilter.filter((filter) => filter.values.join().length < 500)
  const filters = fc.uniqueArray(short, {
    maxLength: 2,
    selector: ({ field, operator }) => `${field} ${operator}`,
  })
  const sort = fc
    .uniqueArray(fc.constantFrom(...spec.sorts), { maxLength: 3 })
    .chain((keys) => fc.constantFrom(...directions(keys)))
    .map((keys) => (keys.length > 0 ? keys.join(',') : undefined))
  return fc.record({ resource: fc.constant(spec.name), filters, sort })
})

t.test('pages of 1, 2 and 7 records add up to the whole list, for any filters and sort', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyAsked, fc.constantFrom(1, 2, 7), async (asked, limit) => {
      const wanted = listIds(expected(asked, stored, now))
      assert.deepEqual(listIds(await walk(asked, limit, '&fields=id')), wanted)
    }),
    { numRuns: cases(80) },
  )
  t.pass()
})

const separators = [' ', '  ', '-', ', ', '/', " '", ' – ', '\u00a0', '+']

/** Words or their beginnings, known or unknown, in various spellings. */
const anySearch = (spec: ResourceSpec): fc.Arbitrary<Filter> => {
  const known = listRecords(spec.name, stored, now).flatMap((record) => listWords(spec, record))
  const words = [...new Set([...known, 'nobody', '中国'])].filter((word) => [...word].length > 1)
  const written = fc
    .tuple(fc.constantFrom(...words), fc.integer({ min: 2, max: 100 }), fc.nat(2))
    .map(([word, length, form]) => {
      const beginning = [...word].slice(0, length).join('')
      if (form === 0) return beginning
      return form === 1 ? beginning.toUpperCase() : beginning.replace(/^[a-z]/, (letter) => `${letter}\u0301`)
    })
  return fc
    .tuple(fc.array(written, { minLength: 1, maxLength: 3 }), fc.constantFrom(...separators))
    .map(([chosen, separator]) => chosen.join(separator))
    .filter((text) => !isExplicitOnly(text))
    .map((text) => ({ field: 'q', operator: '', values: [text] }))
}

t.test('q finds the records in which each word begins a word, ignoring case and accents', async (t) => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(
      anyAsked.chain((asked) =>
        fc.tuple(fc.constant(asked), anySearch(getSpec(asked.resource)), fc.boolean()),
      ),
      fc.constantFrom(2, 7),
      async ([asked, search, isAlone], limit) => {
        const filters = [search, ...(isAlone ? [] : asked.filters.slice(0, 1))]
        const query = { ...asked, filters }
        const wanted = listIds(expected(query, stored, now))
        found += wanted.length
        assert.deepEqual(listIds(await walk(query, limit, '&fields=id&count=exact')), wanted)
      },
    ),
    { numRuns: cases(200) },
  )
  t.ok(found > 10, `${found} records were found`)
})

t.test('a search of one customer finds nothing of another, and a cursor belongs to its words', async (t) => {
  const { get } = await asCustomer(database, app, 'seeker')
  for (const customer of ['seeker', 'acme']) {
    await sql`insert into products (customer_id, id, name) select ${customer}, ${`${customer}-`} || n, 'Zebrafish ' || n
      from generate_series(1, 3) n`.execute(database.operator)
  }
  t.teardown(() => sql`delete from products where name like 'Zebrafish%'`.execute(database.operator))
  const { data, page } = (await get('/v1/products?q=ZEBRA&limit=2')).json() as Body
  t.same(listIds(data), ['seeker-1', 'seeker-2'])
  const exported = await get('/v1/products?q=ZEBRA&fields=id&format=ndjson')
  t.same(exported.body.match(/seeker-\d|acme-\d/g), ['seeker-1', 'seeker-2', 'seeker-3'], 'an export, too')
  const next = (query: string) => get(`/v1/products?${query}&limit=2&cursor=${page.next_cursor}`)
  t.same(
    listIds(((await next('q=zébra+zebra')).json() as Body).data),
    ['seeker-3'],
    'the same words, written otherwise',
  )
  t.match((await next('q=zebraf')).json(), { status: 400, code: 'invalid_cursor' })
  t.same(
    ((await (await asCustomer(database, app, 'stranger')).get('/v1/products?q=zebra')).json() as Body).data,
    [],
  )
})

t.test('a renamed record is found by its new words only, as soon as it is committed', async (t) => {
  const { get } = await asCustomer(database, app, 'renamer')
  const find = async (words: string) => listIds(((await get(`/v1/products?q=${words}`)).json() as Body).data)
  await sql`insert into products (customer_id, id, name) values ('renamer', 'p', 'Old name')`.execute(
    database.operator,
  )
  t.same([await find('old'), await find('new')], [['p'], []])
  await sql`update products set name = 'New name' where customer_id = 'renamer'`.execute(database.operator)
  await until('both answers follow', async () => same([await find('old'), await find('new')], [[], ['p']]))
})

t.test('neither the log nor the audit trail contains the words of a search', async (t) => {
  const lines: string[] = []
  const logStream = { write: (line: string) => void lines.push(line), lost: 0 }
  const logging = await createTestApp(database, { clock, env: { LOG_LEVEL: 'trace' }, logStream })
  const owner = connectOwner(database)
  closeAfter(t, logging, owner)
  const { get } = await asCustomer(database, logging, 'acme')
  for (const query of ['q=secretword', 'q=secretword&format=csv', 'q=secretword&limt=1', 'q=secretword+x'])
    await get(`/v1/products?${query}`)
  await until(
    'the answers are logged',
    async () => lines.filter((line) => line.includes('answered')).length >= 4,
  )
  await logging.audit.flush()
  const { rows } = await sql<{ text: string }>`select e::text as text from audit_reads e
    union all select e::text from audit_entries e union all select e::text from audit_persons e`.execute(
    owner,
  )
  t.ok(
    rows.some(({ text }) => text.includes('products')),
    'the reads are in the trail',
  )
  t.same(
    [...lines, ...rows.map(({ text }) => text)].filter((text) => text.includes('secretword')),
    [],
  )
})

t.test('a search needs 1 to 5 words of 2 letters, and the refusal explains this', async (t) => {
  for (const words of ['a', 'a bc', '...', 'aa bb cc dd ee ff', 'x'.repeat(101), '%F0%9F%98%80', 'aa%00b']) {
    const answer = await acme.get(`/v1/products?q=${words}`)
    t.match(
      answer.json(),
      {
        status: 400,
        errors: [{ parameter: 'q', code: 'invalid_value', detail: /1 to 5 words of 2 to 100/ }],
      },
      words,
    )
  }
  for (const words of ['aa bb cc dd ee', 'aa+aa+bb+cc+dd+ee', 'x'.repeat(100), '5g', '中文'])
    t.equal((await acme.get(`/v1/products?q=${encodeURIComponent(words)}`)).statusCode, 200, words)
  t.match((await acme.get('/v1/products?q=')).json(), { errors: [{ parameter: 'q', code: 'invalid_value' }] })
  t.match((await acme.get('/v1/products?q[icontains]=aa')).json(), {
    errors: [{ code: 'unknown_parameter' }],
  })
  t.match((await acme.get('/v1/products?Q=aa')).json(), { errors: [{ did_you_mean: 'q' }] })
  t.equal(
    (await acme.get(`/v1/products/${stored.products?.[0]?.id}?q=aa`)).statusCode,
    400,
    'one record is not searched',
  )
})

t.test('all finds only records that have every value', async (t) => {
  const { get } = await asCustomer(database, app, 'lacker')
  const tags = Array.from({ length: 20 }, (_, n) => `tag ${n}`)
  await sql`insert into products (customer_id, id, name, tags, part_numbers)
    select 'lacker', 'lacks-' || n, 'P', own, own from generate_series(0, 19) n,
      array_replace(${tags}::text[], 'tag ' || n, 'other') own`.execute(database.operator)
  const seek = async (values: readonly string[]) => {
    const list = values.join(',')
    return listIds((await read(`/v1/products?tags[all]=${list}&part_numbers[all]=${list}`, get)).data)
  }
  t.same(await seek(tags), [])
  for (const [n, each] of tags.entries())
    t.same(await seek(tags.filter((tag) => tag !== each)), [`lacks-${n}`], each)
})

t.test('all accepts the maximum number of values of a parameter', async (t) => {
  const { get } = await asCustomer(database, app, 'tagger')
  const tags = Array.from({ length: 200 }, (_, n) => `tag ${n}`)
  for (const [id, own] of [
    ['every', tags],
    ['most', tags.slice(1)],
    ['none', []],
  ] as const) {
    await sql`insert into products (customer_id, id, name, tags, part_numbers)
      values ('tagger', ${id}, ${id}, ${own}::text[], ${own}::text[])`.execute(database.operator)
  }
  for (const count of [1, 2, 4, 5, 20, 200]) {
    const some = tags.slice(-count).join(',')
    const answer = await get(`/v1/products?tags[all]=${some}&part_numbers[all]=${some}`)
    t.same(
      [answer.statusCode, listIds(answer.json().data ?? [])],
      [200, count === 200 ? ['every'] : ['every', 'most']],
    )
  }
})

t.test('a cursor survives the deletion of its row and of every row before it', async (t) => {
  const wrong: object[] = []
  for (const [index, sort] of ['-created_at', 'name', '-model,name', 'model,-name'].entries()) {
    const customer = `temp-${index}`
    const { get } = await asCustomer(database, app, customer)
    const rows = await seedCustomer(database, customer, { seed: 4, today, countries })
    const order = listIds(expected({ resource: 'products', filters: [], sort }, rows, now))
    const url = `/v1/products?fields=id&sort=${sort}`
    const first = await read(`${url}&limit=20`, get)
    const gone = order.slice(0, 20)
    await sql`delete from products where customer_id = ${customer} and id = any(${gone}::text[])`.execute(
      database.operator,
    )
    const rest = await read(`${url}&limit=500&cursor=${first.page.next_cursor}`, get)
    if (!same(listIds(rest.data), order.slice(20))) wrong.push({ sort, rest: listIds(rest.data) })
  }
  t.same(wrong, [])
})

t.test('only limit, fields, include and count may change from page to page', async (t) => {
  const base = '/v1/certificates?sort=number&approval_status[ne]=pending&limit=3'
  const { page } = await read(base)
  const cursor = page.next_cursor as string
  const selection = 'sort=number&approval_status%5Bne%5D=pending'
  const filter = { field: 'approval_status', operator: 'ne', values: ['pending'] }
  const wanted = listIds(
    expected({ resource: 'certificates', filters: [filter], sort: 'number' }, stored, now),
  ).slice(3)
  for (const change of [
    '&limit=9',
    '&fields=number',
    '&include=product',
    '&count=exact',
    '&limit=1&count=exact',
  ]) {
    const { data } = await read(`/v1/certificates?${selection}${change}&cursor=${cursor}`)
    t.same(listIds(data), wanted.slice(0, data.length), change)
  }
  const refused = [
    ['another filter', `/v1/certificates?sort=number&approval_status[ne]=approved&cursor=${cursor}`],
    ['a filter more', `/v1/certificates?${selection}&tags=a&cursor=${cursor}`],
    ['no filter', `/v1/certificates?sort=number&cursor=${cursor}`],
    ['another sort', `/v1/certificates?sort=-number&approval_status[ne]=pending&cursor=${cursor}`],
    ['no sort', `/v1/certificates?approval_status[ne]=pending&cursor=${cursor}`],
    ['another day', `/v1/certificates?${selection}&on=2030-01-01&cursor=${cursor}`],
    ['another window', `/v1/certificates?${selection}&expiring_within=1&cursor=${cursor}`],
    ['another resource', `/v1/lab?cursor=${cursor}`],
    [
      'tampered',
      `/v1/certificates?${selection}&cursor=${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`,
    ],
    ['shortened', `/v1/certificates?${selection}&cursor=${cursor.slice(0, -4)}`],
    ['padded', `/v1/certificates?${selection}&cursor=${cursor}%3D`],
    ['not a cursor', `/v1/certificates?${selection}&cursor=hello`],
  ]
  for (const [name, url] of refused as [string, string][]) {
    const answer = await acme.get(url)
    t.match(answer.json(), { status: 400, code: 'invalid_cursor', errors: [{ parameter: 'cursor' }] }, name)
  }
  const written = `/v1/certificates?cursor=${cursor}&approval_status[nin]=pending&sort=number`
  t.same(listIds((await read(written)).data), wanted.slice(0, 50), 'the same query, written otherwise')
})

t.test('fields selects fields, and id is always present', async (t) => {
  const wrong: object[] = []
  for (const spec of contract) {
    const all = (await read(`/v1/${spec.name}?limit=500`)).data
    for (const { name } of chosen(spec.fields)) {
      const { data } = await read(`/v1/${spec.name}?limit=500&fields=${name}`)
      const wanted = all.map((record) =>
        name === 'id' ? { id: record.id } : { id: record.id, [name]: record[name] },
      )
      if (!isDeepStrictEqual(data, wanted)) wrong.push({ resource: spec.name, field: name, first: data[0] })
      const one = (await read(`/v1/${spec.name}/${all[0]?.id}?fields=${name}`)) as unknown as { data: Rec }
      if (!isDeepStrictEqual(one.data, wanted[0])) wrong.push({ resource: spec.name, field: name, one })
    }
  }
  t.same(wrong, [])
})

t.test('include adds the named records and leaves rows unchanged; a dangling id is left out', async (t) => {
  const wrong: object[] = []
  let dangling = 0
  for (const spec of contract) {
    const names = Object.keys(spec.includes)
    for (const chosen of [...names.map((name) => [name]), names].filter((each) => each.length > 0)) {
      for (const extra of ['', '&fields=id', '&limit=3']) {
        const url = `/v1/${spec.name}?limit=500${extra}`.replace('limit=500&limit=3', 'limit=3')
        const plain = await read(url)
        const { data, included, page } = await read(`${url}&include=${chosen.join(',')}`)
        const rows = listIds(data).map(
          (id) => listRecords(spec.name, stored, now).find((row) => row.id === id) as Rec,
        )
        const wanted = Object.fromEntries(
          chosen.map((name) => [
            (spec.includes[name] as { resource: string }).resource,
            expectedIncluded(spec, name, rows, stored, now),
          ]),
        )
        if (!isDeepStrictEqual(data, plain.data) || page.limit !== plain.page.limit)
          wrong.push({ url, chosen, rows: true })
        if (!isDeepStrictEqual(included, wanted)) wrong.push({ url, chosen, got: included })
        dangling += rows.filter((row) =>
          chosen.some((name) => row[spec.includes[name]?.by as string] === 'dangling'),
        ).length
      }
      const { id } = listRecords(spec.name, stored, now)[0] as Rec
      const one = await read(`/v1/${spec.name}/${id}?include=${chosen.join(',')}`)
      const row = listRecords(spec.name, stored, now)[0] as Rec
      for (const name of chosen) {
        const { resource } = spec.includes[name] as { resource: string }
        if (!isDeepStrictEqual(one.included?.[resource], expectedIncluded(spec, name, [row], stored, now)))
          wrong.push({ one })
      }
    }
  }
  t.same(wrong, [])
  t.ok(dangling > 0, 'the test saw dangling ids')
})

t.test("include needs the included resource's scope", async (t) => {
  const narrow = await asCustomer(database, app, 'acme', { scopes: ['certificates:read', 'projects:read'] })
  t.equal((await narrow.get('/v1/certificates?include=project')).statusCode, 200)
  const refused = await narrow.get('/v1/certificates?include=project,product')
  t.match(refused.json(), { status: 403, code: 'insufficient_scope' })
  const faulty = await narrow.get('/v1/certificates?include=product&bogus=1', { accept: 'text/html' })
  t.equal(faulty.statusCode, 403, 'before whatever else is wrong')
  t.match(refused.headers['www-authenticate'], /error="insufficient_scope", scope="products:read"/)
  t.match((await narrow.get('/v1/products')).json(), { status: 403, code: 'insufficient_scope' })
})

t.test('a text that a program writes by accident is found by [eq]', async (t) => {
  for (const text of ['null', '{"json": true}']) {
    const wanted = (stored.certificates ?? []).filter(({ number }) => number === text).map(({ id }) => id)
    t.ok(wanted.length > 0, text)
    const { data } = await read(`/v1/certificates?limit=500&number[eq]=${encodeURIComponent(text)}`)
    t.same(data.map(({ id }) => id).sort(), wanted.sort())
  }
})

t.test('count=exact adds page.total, the same on every page', async (t) => {
  const wrong: object[] = []
  for (const spec of contract) {
    const filters = spec.filters.filter(
      (filter) => filter.name.includes('status') || filter.name === 'region',
    )
    for (const filter of [undefined, ...filters]) {
      const value = filter && (getField(spec, filter.name).values?.[1] as string)
      const chosen = filter ? [{ field: filter.name, operator: '', values: [value as string] }] : []
      const query = chosen.map(writeFilter).join('')
      const wanted = expected({ resource: spec.name, filters: chosen }, stored, now).length
      let cursor = ''
      for (let page = 0; page < 3; page++) {
        const answer = await read(`/v1/${spec.name}?count=exact&limit=4&${query}${cursor}`)
        if (answer.page.total !== wanted)
          wrong.push({ resource: spec.name, query, page: answer.page, wanted })
        if (!answer.page.next_cursor) break
        cursor = `&cursor=${answer.page.next_cursor}`
      }
    }
  }
  t.same(wrong, [])
  t.notOk('total' in (await read('/v1/products')).page, 'not unless asked for')
})

t.test('only certificates and countries have page.as_of', async (t) => {
  for (const spec of contract) {
    const { page } = await read(`/v1/${spec.name}`)
    t.equal(page.as_of, ['certificates', 'countries'].includes(spec.name) ? today : undefined, spec.name)
    const answer = await acme.get(`/v1/${spec.name}?on=2027-01-01`)
    t.equal(
      answer.statusCode,
      page.as_of ? 200 : 400,
      `on is ${page.as_of ? '' : 'no '}parameter of ${spec.name}`,
    )
  }
})
