import assert from 'node:assert/strict'
import t from 'tap'
import { formatPairs, joinList, parsePairs, splitList } from '../../../app/http/pairs.ts'
import { withCursor } from '../../../app/lists/cursor.ts'
import { resolveDate, resolveInstant } from '../../../app/lists/values.ts'
import { formatParts } from '../../../app/records/query/canonical.ts'
import { getOperators } from '../../../app/records/query/filters.ts'
import { type ParseOutcome, parseQuery } from '../../../app/records/query/parse.ts'
import type { Query } from '../../../app/records/query/query.ts'
import type { Field, Resource } from '../../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../../app/records/resources/index.ts'
import { cases, fc } from '../../random.ts'

const { certificates, products, projects } = resources

const formatQuery = (query: Query): string => formatParts(query).canonical

const understood = (outcome: ParseOutcome): Query => {
  if ('query' in outcome) return outcome.query
  throw new Error(JSON.stringify(outcome.faults))
}
const listFaults = (resource: Resource, query: string) => {
  const outcome = parseQuery(resource, 'page', parsePairs(query))
  return 'faults' in outcome ? outcome.faults : []
}

const listValues = (field: Field): fc.Arbitrary<string> => {
  if (field.kind === 'boolean') return fc.constantFrom('true', 'false')
  if (field.values) return fc.constantFrom(...field.values)
  const day = fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
  const relative = fc.constantFrom('today', 'today+90d', 'today-30d', 'today 7d')
  if (field.kind === 'date') return fc.oneof(day, relative)
  if (field.kind === 'instant')
    return fc.oneof(
      day,
      relative,
      day.map((each) => `${each}T23:59:59.123456Z`),
    )
  return fc
    .oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.constantFrom('a,b', '\\', '\\,', 'US', 'AB', 'USA'),
    )
    .filter((text) => field.element.safeParse(text).success)
}

const listOperators = new Set(['', 'in', 'nin', 'all'])

const getParameter = (field: Field): fc.Arbitrary<[string, string]> =>
  fc.constantFrom('', ...getOperators(field)).chain((operator) => {
    const name = operator ? `${field.name}[${operator}]` : field.name
    if (operator === 'null') return fc.tuple(fc.constant(name), fc.constantFrom('true', 'false'))
    if (!listOperators.has(operator)) return fc.tuple(fc.constant(name), listValues(field))
    return fc
      .array(listValues(field), { minLength: 1, maxLength: 4 })
      .map((values) => [name, joinList(values)])
  })

/** A counterexample shows the query instead of the whole definition. */
const shown = <T extends { pairs: [string, string][] }>(arbitrary: fc.Arbitrary<T>) =>
  arbitrary.map((value) => Object.assign(value, { [fc.toStringMethod]: () => JSON.stringify(value.pairs) }))

const anyQuery = fc.constantFrom(...resourceNames.map((name) => resources[name])).chain((resource) => {
  const filterable = [...resource.fields.values()].filter((field) => field.filter)
  const filters = fc.uniqueArray(fc.constantFrom(...filterable).chain(getParameter), {
    selector: ([name]) => name,
    maxLength: 5,
  })
  const sort = fc
    .uniqueArray(fc.constantFrom(...resource.sorts), { minLength: 1, maxLength: 3 })
    .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`))))
    .map((keys): [string, string] => ['sort', keys.join(',')])
  const limit = fc.integer({ min: 1, max: 500 }).map((n): [string, string] => ['limit', String(n)])
  const some = fc.tuple(filters, fc.option(sort), fc.option(limit))
  return some.map(([pairs, ...rest]) => ({
    resource,
    pairs: [...pairs, ...rest.filter((pair) => pair !== null)],
  }))
})

/** The same for queries that differ only in the order and repetition of their parts. */
const meaning = ({ resource, limit, sort, conditions }: Query) => {
  const parts = conditions.map((each) => JSON.stringify([each.field, each.operator, [...each.values].sort()]))
  return JSON.stringify([resource.name, limit, sort, [...new Set(parts)].sort()])
}

t.test('parses every well-formed query, and its canonical form has the same meaning', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(shown(anyQuery), ({ resource, pairs }) => {
        const query = understood(parseQuery(resource, 'page', parsePairs(formatPairs(pairs))))
        const canonical = formatQuery(query)
        const again = understood(parseQuery(resource, 'page', parsePairs(canonical)))
        assert.equal(formatQuery(again), canonical)
        assert.deepEqual(meaning(again), meaning(query))
        assert.deepEqual(again.sort, query.sort)
      }),
      { numRuns: cases(500) },
    ),
  )
})

t.test('the order of parameters and of list values does not change the canonical form', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(shown(anyQuery), fc.infiniteStream(fc.nat()), ({ resource, pairs }, stream) => {
        const shuffled = pairs
          .map((pair) => ({ pair, at: stream.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ pair }) => pair)
        const canonical = (of: typeof pairs) =>
          formatQuery(understood(parseQuery(resource, 'page', parsePairs(formatPairs(of)))))
        assert.equal(canonical(shuffled), canonical(pairs))
      }),
    ),
  )
})

t.test('different queries have different canonical forms', async (t) => {
  const forms = new Map<string, string>()
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(shown(anyQuery), ({ resource, pairs }) => {
        const query = understood(parseQuery(resource, 'page', parsePairs(formatPairs(pairs))))
        const form = `${resource.name}?${formatQuery(query)}`
        const known = forms.get(form)
        if (known !== undefined) assert.equal(known, meaning(query))
        forms.set(form, meaning(query))
      }),
      { numRuns: cases(500) },
    ),
  )
})

t.test('three conditions with one operator keep all their values, whichever of them are lists', async (t) => {
  const write = (query: string) => formatQuery(understood(parseQuery(products, 'page', parsePairs(query))))
  for (const [query, canonical] of [
    ['name[eq]=a&name=y,x&name[in]=w,z', 'name=w,z&name%5Bin%5D=x,y&name%5Beq%5D=a'],
    ['name[eq]=a&name=y,x&name[in]=b', 'name=x,y&name%5Bin%5D=a&name%5Beq%5D=b'],
    ['name[ne]=a&name[nin]=y,x', 'name%5Bnin%5D=x,y&name%5Bne%5D=a'],
  ] as const) {
    const written = new URLSearchParams(write(query))
    t.same([...written].sort(), [...new URLSearchParams(canonical)].sort(), query)
    const again = understood(parseQuery(products, 'page', parsePairs(write(query))))
    t.equal(meaning(again), meaning(understood(parseQuery(products, 'page', parsePairs(query)))), query)
  }
})

t.test('queries of one shape share no values', async (t) => {
  const plain = understood(parseQuery(certificates, 'page', parsePairs('')))
  const all =
    'limit=7&sort=number&count=exact&fields=id&include=product&on=2026-01-31&expiring_within=3&tags=a'
  understood(parseQuery(certificates, 'page', parsePairs(all)))
  listFaults(certificates, 'limit=7&sort=nothing')
  t.same(understood(parseQuery(certificates, 'page', parsePairs(''))), plain)
})

t.test('the URL of another page is the canonical form of the query with its cursor', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(shown(anyQuery), ({ resource, pairs }) => {
        const query = understood(parseQuery(resource, 'page', parsePairs(formatPairs(pairs))))
        const { list } = formatParts({ ...query, cursor: 'before' })
        assert.equal(withCursor(list, 'next-1_'), formatQuery({ ...query, cursor: 'next-1_' }))
      }),
    ),
  )
})

t.test('no query string throws: each is parsed or refused with faults', async (t) => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom(
      '%',
      '%ff=1',
      'a[b]=c',
      'tags[all]=',
      'sort=,',
      'fields=',
      '=',
      '&&',
      'limit=1&limit=1',
      '%00=x',
    ),
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.constantFrom(...resourceNames), anyText, (name, text) => {
        const latin1 = Buffer.from(text).toString('latin1')
        const outcome = parseQuery(resources[name], 'page', parsePairs(latin1))
        if ('faults' in outcome) assert.ok(outcome.faults.length > 0)
        else assert.ok(outcome.query)
      }),
      {
        numRuns: cases(1000),
        examples: [
          ['certificates', 'id[=1'],
          ['certificates', 'i[=1'],
          ['certificates', 'valid_until[lt=2026-01-01'],
          ['products', 'nam[[lt]]=1'],
        ],
      },
    ),
  )
})

t.test('malformed brackets are a fault of the name before them, without a corrected query', (t) => {
  for (const name of ['status[', 'status[[x]]', 'status[in', 'status]']) {
    const outcome = parseQuery(resources.approvals, 'page', parsePairs(`${name}=granted`))
    t.match(outcome, { faults: [{ parameter: name, did_you_mean: 'status' }] }, name)
  }
  t.match(parseQuery(resources.approvals, 'page', parsePairs('status[[x]]=granted')), {
    corrected: undefined,
  })
  t.end()
})

t.test('lists are split after decoding, with escapes, and joined again', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (values) => {
        assert.deepEqual(splitList(joinList(values)), values)
      }),
    ),
  )
  t.same(splitList('a\\,b,c\\\\'), ['a,b', 'c\\'])
  t.same(splitList('C:\\temp'), ['C:\\temp'], 'a backslash before anything else stands for itself')
})

t.test('decodes pairs as HTML forms encode them', async (t) => {
  t.same(parsePairs('a=b+c%2Bd&tags%5Ball%5D=%C3%A4'), [
    { name: 'a', value: 'b c+d' },
    { name: 'tags[all]', value: 'ä' },
  ])
  t.same(parsePairs('a=%FF'), [{ name: 'a', value: undefined }], 'not UTF-8')
})

t.test('every fault is listed, with the expected form and the nearest valid name', async (t) => {
  const faults = listFaults(
    certificates,
    'validty=valid&issued_on=&foo=1&foo=1&sort=title,nmber&limit=0&fields=numbr&valid_until[gtee]=2026-01-01' +
      '&include=prduct&approval_status=aproved,gone&country_code=de&count=yes&on=2026-02-30',
  )
  const found = faults.map(({ parameter, code, did_you_mean }) => [parameter, code, did_you_mean])
  t.same(found, [
    ['validty', 'unknown_parameter', 'validity'],
    ['issued_on', 'invalid_value', undefined],
    ['foo', 'unknown_parameter', undefined],
    ['foo', 'duplicate_parameter', undefined],
    ['sort', 'not_sortable', undefined],
    ['sort', 'unknown_field', 'number'],
    ['limit', 'invalid_value', undefined],
    ['fields', 'unknown_field', 'number'],
    ['valid_until[gtee]', 'unknown_operator', 'valid_until[gte]'],
    ['include', 'invalid_value', 'product'],
    ['approval_status', 'invalid_value', 'approved'],
    ['approval_status', 'invalid_value', undefined],
    ['country_code', 'invalid_value', 'DE'],
    ['count', 'invalid_value', undefined],
    ['on', 'invalid_value', undefined],
  ])
  t.ok(faults.every(({ detail }) => detail.length > 0))
})

t.test('proposes the corrected query if every fault has a nearest name', async (t) => {
  const outcome = parseQuery(certificates, 'page', parsePairs('validty=vald&sort=-nmber&limit=5'))
  t.same('corrected' in outcome && outcome.corrected, 'validity=valid&sort=-number&limit=5')
  const hopeless = parseQuery(certificates, 'page', parsePairs('validty=valid&zzzzzz=1'))
  t.match(hopeless, { corrected: undefined }, 'not if one fault has no correction')
})

t.test('bounds parameters, values, sort keys and limit', async (t) => {
  const many = (n: number, make: (i: number) => string, separator: string) =>
    Array.from({ length: n }, (_, i) => make(i)).join(separator)
  t.same(listFaults(certificates, `tags=${many(200, (i) => `t${i}`, ',')}`), [])
  t.match(listFaults(certificates, `tags=${many(201, (i) => `t${i}`, ',')}`), [{ code: 'too_many_values' }])
  t.match(
    listFaults(
      certificates,
      many(31, (i) => `x${i}=1`, '&'),
    ),
    [{ code: 'too_many_values' }],
  )
  t.match(listFaults(certificates, 'sort=number,valid_from,valid_until,issued_on'), [
    { code: 'too_many_values' },
  ])
  t.match(listFaults(certificates, 'sort=number,-number'), [{ code: 'invalid_value' }])
  for (const limit of ['0', '501', '-1', '1.5', '007', ' 1', '1e2', 'x']) {
    t.match(listFaults(certificates, `limit=${encodeURIComponent(limit)}`), [{ parameter: 'limit' }], limit)
  }
})

t.test('only =, in, nin and all split values at commas', async (t) => {
  const values = (query: string) =>
    understood(parseQuery(products, 'page', parsePairs(query))).conditions[0]?.values
  t.same(values('category[eq]=ICs, Smart Cards'), ['ICs, Smart Cards'])
  t.same(values('category=ICs, Smart Cards'), ['ICs', ' Smart Cards'], 'nothing is trimmed')
  t.same(values('category=ICs\\, Smart Cards'), ['ICs, Smart Cards'])
  t.same(values('name[prefix]=a,b'), ['a,b'])
})

t.test('dates may be relative to today, also with a space for +', async (t) => {
  const conditions = (query: string) =>
    understood(parseQuery(certificates, 'page', parsePairs(query))).conditions
  t.same(conditions('valid_until[lte]=today+90d')[0]?.values, ['today+90d'])
  t.same(conditions('valid_until[lte]=today%2B90d')[0]?.values, ['today+90d'])
  t.equal(resolveDate('today+90d', '2026-11-21'), '2027-02-19')
  t.equal(resolveDate('today-30d', '2024-03-01'), '2024-01-31')
  for (const bad of [
    '0000-01-01',
    '2026-02-29',
    '26-01-01',
    'today+d',
    'tomorrow',
    '2026-1-1',
    '2026-01-01T00:00:00Z',
  ]) {
    t.match(listFaults(certificates, `valid_until=${bad}`), [{ code: 'invalid_value' }], bad)
  }
})

t.test('converts instants to UTC with six decimals', async (t) => {
  const value = (text: string) =>
    understood(parseQuery(projects, 'page', parsePairs(`updated_at[gte]=${encodeURIComponent(text)}`)))
      .conditions[0]?.values[0]
  t.equal(value('2026-01-31T12:00:00Z'), '2026-01-31T12:00:00.000000Z')
  t.equal(value('2026-01-31T01:00:00.5+02:00'), '2026-01-30T23:00:00.500000Z')
  t.equal(value('2026-01-31'), '2026-01-31T00:00:00.000000Z')
  t.equal(value('2026-01-31t12:00:00z'), '2026-01-31T12:00:00.000000Z')
  t.equal(value('2026-01-31T12:00:00.123456000Z'), '2026-01-31T12:00:00.123456Z')
  t.equal(value('2026-06-30T23:59:60Z'), '2026-07-01T00:00:00.000000Z')
  t.equal(value('2026-07-01T01:59:60.5+02:00'), '2026-07-01T00:00:00.500000Z')
  for (const bad of [
    '2026-02-30',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00',
    '0000-06-01',
    '2026-01-31T23:59:60Z ',
    '2026-01-30T23:59:60Z',
    '2026-01-31T23:58:60Z',
    '9999-12-31T23:59:59.9999999Z',
    '2026-01-01T00:00:00.Z',
  ]) {
    t.match(
      listFaults(projects, `updated_at[gte]=${encodeURIComponent(bad)}`),
      [{ code: 'invalid_value' }],
      bad,
    )
  }
})

t.test('an instant with more than six decimals is compared exactly', async (t) => {
  const value = (operator: string, text: string) =>
    understood(parseQuery(projects, 'page', parsePairs(`updated_at[${operator}]=${text}`))).conditions[0]
      ?.values[0]
  const between = '2026-12-31T23:59:59.9999990000000001Z'
  for (const operator of ['gt', 'lte']) t.equal(value(operator, between), '2026-12-31T23:59:59.999999Z')
  for (const operator of ['gte', 'lt']) t.equal(value(operator, between), '2027-01-01T00:00:00.000000Z')
  for (const operator of ['eq', 'in', 'nin']) {
    t.equal(value(operator, between), between)
    t.equal(resolveInstant(value(operator, between) as string, '2026-01-01'), '-infinity')
  }
})

t.test('[eq] and [ne] find empty text; any other empty value is refused and names [eq]', async (t) => {
  for (const name of ['brand[eq]', 'brand[ne]', 'tags[eq]', 'name[eq]']) {
    const query = understood(parseQuery(products, 'page', parsePairs(`${name}=`)))
    t.same(query.conditions[0]?.values, [''], name)
    t.same(understood(parseQuery(products, 'page', parsePairs(formatQuery(query)))), query, name)
  }
  for (const query of [
    'brand=',
    'brand',
    'brand[in]=',
    'brand[nin]=',
    'brand=a,,b',
    'brand=a,',
    'brand=,a',
  ]) {
    const faults = listFaults(products, query)
    t.match(faults, [{ code: 'invalid_value', detail: /use brand\[eq\]=$/ }], query)
  }
  t.match(listFaults(products, 'tags[all]='), [{ detail: /use tags\[eq\]=$/ }])
  t.match(listFaults(products, 'id=a,,b'), [{ code: 'invalid_value' }])
  const strict = [
    'id',
    'product_status',
    'parent_product_id',
    'updated_at',
    'brand[null]',
    'name[prefix]',
    'limit',
    'q',
  ]
  for (const name of strict) {
    t.match(listFaults(products, `${name}=`), [{ code: 'invalid_value' }], name)
  }
  t.match(listFaults(certificates, 'country_code='), [{ code: 'invalid_value' }])
})

t.test('a client that sends every parameter is told to switch off those that it does not need', async (t) => {
  const all = [
    'sort',
    'limit',
    'cursor',
    'q',
    'name',
    'name[prefix]',
    'tags[all]',
    'updated_at[gte]',
    'format',
  ]
  const faults = listFaults(products, all.map((name) => `${name}=`).join('&'))
  t.same(faults.map(({ parameter }) => parameter).sort(), [...all].sort())
  for (const { detail } of faults) t.match(detail, /switch off or leave out/)
  const many = Array.from({ length: 125 }, (_, n) => `p${n}=`).join('&')
  t.match(listFaults(products, many), [{ detail: /got 125: switch off or leave out/ }])
})

t.test('an accident of a client is refused with the right form, and [eq] finds the same text', async (t) => {
  const accidents = [
    'undefined',
    'null',
    'NaN',
    '[object Object]',
    '{"prefix":"x"}',
    '{"a":1,"b":2}',
    '["x"]',
    '["x","y"]',
    '[]',
    ' {} ',
    '<string>',
    '<integer>',
    '{{brand}}',
  ]
  const encode = encodeURIComponent
  for (const text of accidents) {
    for (const name of [
      'name',
      'name[in]',
      'name[nin]',
      'brand',
      'tags',
      'tags[all]',
      'tags[nin]',
      'name[prefix]',
    ]) {
      const faults = listFaults(products, `${name}=${encode(text)}`)
      t.match(faults, [{ parameter: name, code: 'invalid_value', detail: /^got / }], `${name}=${text}`)
    }
    t.match(listFaults(products, `q=${encode(text)}`), [{ parameter: 'q', code: 'invalid_value' }], text)
    for (const operator of ['eq', 'ne']) {
      const query = understood(parseQuery(products, 'page', parsePairs(`name[${operator}]=${encode(text)}`)))
      t.same(query.conditions[0]?.values, [text])
      const again = understood(parseQuery(products, 'page', parsePairs(formatQuery(query))))
      t.same(again, query, 'also in the link of the next page')
    }
  }
  t.match(listFaults(products, 'name=a,undefined'), [{ detail: /name\[eq\]=undefined/ }])
  t.match(listFaults(products, 'id=undefined'), [{ code: 'invalid_value' }])
  t.match(listFaults(products, 'parent_product_id=null'), [{ detail: /parent_product_id\[null\]=true/ }])
  const both = understood(
    parseQuery(products, 'page', parsePairs('name[eq]=null&name=a,b&name[in]=c&brand[ne]=&brand[nin]=a')),
  )
  t.same(understood(parseQuery(products, 'page', parsePairs(formatQuery(both)))).conditions.length, 5)
  for (const text of ['Null', 'NULL', 'nan', 'undefined x', '{a}', '[x', '{', 'None']) {
    t.same(listFaults(products, `name=${encode(text)}`), [], text)
  }
})

t.test('a filter refuses text that cannot be stored', async (t) => {
  for (const bad of ['%00', 'a%00b', '%ED%A0%80', `${'x'.repeat(2001)}`, `${'%C3%A4'.repeat(1001)}`]) {
    t.match(listFaults(certificates, `number=${bad}`), [{ code: 'invalid_value' }], bad.slice(0, 12))
  }
  t.same(listFaults(certificates, `number=${'%C3%A4'.repeat(1000)}`), [], '2,000 bytes are stored')
})

const proposal = (resource: Resource, query: string): string | undefined => {
  const outcome = parseQuery(resource, 'page', parsePairs(query))
  return 'corrected' in outcome && outcome.corrected ? decodeURIComponent(outcome.corrected) : undefined
}

t.test('explains the syntax of other APIs, with `try` only for the same meaning', async (t) => {
  const cases: [query: string, sentence: RegExp, meant?: string][] = [
    ['page=2', /next_cursor/],
    ['offset=50', /next_cursor/],
    ['$skip=50', /next_cursor/],
    ['start=1', /next_cursor/],
    ['per_page=10', /limit=/, 'limit=10'],
    ['pageSize=10', /limit=/, 'limit=10'],
    ['$top=10', /limit=/, 'limit=10'],
    ['page[size]=10', /limit=/, 'limit=10'],
    ['order_by=-number', /sort=/, 'sort=-number'],
    ['$orderby=valid_until desc', /sort=/, 'sort=-valid_until'],
    ['sort_by=number&direction=desc', /sort=/],
    ['order=desc', /sort=/],
    ['sort=valid_until:desc', /leading -/, 'sort=-valid_until'],
    ['sort=valid_until asc,number.desc', /leading -/, 'sort=valid_until,-number'],
    ['sort=-valid_until:desc', /leading -/],
    ['valid_until__lt=2026-01-01', /brackets/, 'valid_until[lt]=2026-01-01'],
    ['valid_until_gte=2026-01-01', /brackets/, 'valid_until[gte]=2026-01-01'],
    ['valid_until>=2026-01-01', /brackets/, 'valid_until[gte]=2026-01-01'],
    ['authority__icontains=F', /brackets/],
    ['tags__lt=a', /brackets/],
    ['filter[authority]=FCC', /separate parameter/, 'authority=FCC'],
    ['filter[valid_until][before]=2026-01-01', /brackets/, 'valid_until[lt]=2026-01-01'],
    ['filter[nothing]=1', /separate parameter/],
    ["$filter=authority eq 'FCC'", /separate parameter/],
    ['valid_until[ge]=2026-01-01', /allows/, 'valid_until[gte]=2026-01-01'],
    ['$select=number,title', /fields=/, 'fields=number,title'],
    ['fields[certificates]=number', /fields=/, 'fields=number'],
    ['fields[products]=name', /fields=/],
    ['expand=product', /include=/, 'include=product'],
    ['search=tracker', /q=/, 'q=tracker'],
    ['limt[gt]=5', /limt is not/],
    ['tzzs=2', /^tzzs is not/],
    ['id[=1', /^id\[ is not/],
    ['valid_until[lt=2026-01-01', /^valid_until\[lt is not/],
    ['valid_untl[lt]x=2026-01-01', /^valid_untl\[lt\]x is not/],
  ]
  for (const [query, sentence, meant] of cases) {
    t.match(listFaults(certificates, query)[0]?.detail, sentence, query)
    t.equal(proposal(certificates, query), meant, query)
  }
})

t.test('a proposed query is valid and translates foreign syntax exactly', async (t) => {
  const respell: Record<string, (pair: [string, string]) => [string, string] | undefined> = {
    django: ([name, value]) => (name.includes('[') ? [name.replace(/\[(\w+)\]/, '__$1'), value] : undefined),
    jsonApi: ([name, value]) =>
      ['sort', 'limit'].includes(name) ? undefined : [name.replace(/^\w+/, 'filter[$&]'), value],
    perPage: ([name, value]) => (name === 'limit' ? ['per_page', value] : undefined),
    orderBy: ([name, value]) => (name === 'sort' ? ['order_by', value] : undefined),
    direction: ([name, value]) =>
      name === 'sort'
        ? [
            name,
            value.replace(
              /(^|,)(-?)(\w+)/g,
              (_, comma, sign, key) => `${comma}${key}:${sign ? 'desc' : 'asc'}`,
            ),
          ]
        : undefined,
    typo: ([name, value]) => (name.length > 3 ? [name.slice(0, 2) + name.slice(3), value] : undefined),
  }
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(shown(anyQuery), fc.constantFrom(...Object.keys(respell)), fc.nat(), (any, way, seed) => {
        const { resource, pairs } = any
        if (pairs.length === 0) return
        const at = seed % pairs.length
        const changed = respell[way]?.(pairs[at] as [string, string])
        if (!changed) return
        const outcome = parseQuery(resource, 'page', parsePairs(formatPairs(pairs.with(at, changed))))
        if (!('corrected' in outcome) || outcome.corrected === undefined)
          return assert.ok(way === 'typo' || !('query' in outcome))
        const again = understood(parseQuery(resource, 'page', parsePairs(outcome.corrected as string)))
        if (way === 'typo') return
        assert.deepEqual(
          meaning(again),
          meaning(understood(parseQuery(resource, 'page', parsePairs(formatPairs(pairs))))),
        )
      }),
      { numRuns: cases(500) },
    ),
  )
})
