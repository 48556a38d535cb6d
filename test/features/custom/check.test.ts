import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkDocument } from '../../../app/features/custom/check.ts'
import { DocumentError, type DocumentFault } from '../../../app/features/custom/faults.ts'
import { parseParameter } from '../../../app/features/custom/parameter.ts'
import { readText } from '../../../app/features/custom/read.ts'
import { readRequest } from '../../../app/features/custom/request.ts'
import { parsePairs } from '../../../app/http/pairs.ts'

const check = (text: string) => checkDocument(readText(text))

const listFaults = (text: string): readonly DocumentFault[] => {
  try {
    check(text)
    return []
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    return error.faults
  }
}

const head = 'name: x, revision: 1'
const inObject = `{ ${head}, object: { m: `
const inList = `{ ${head}, list: { from: certificates, `
const object = (member: string, params = '{}') => `{ ${head}, params: ${params}, object: { m: ${member} } }`
const list = (body: string) => `${inList}${body} } }`

t.test('the shipped documents are valid', async (t) => {
  const folder = join(import.meta.dirname, '../../../app/features/custom/shipped')
  for (const file of readdirSync(folder)) {
    t.equal(`${check(readFileSync(join(folder, file), 'utf8')).name}.yaml`, file)
  }
})

t.test('a limit is optional: 50 rows, or 100 groups', async (t) => {
  const member = (text: string) => {
    const { body } = check(object(text))
    if (!('object' in body)) throw new Error('expected an object')
    return 'members' in body.object ? body.object.members[0]?.[1] : undefined
  }
  t.match(member('{ list: { from: products }, value: name }'), { rows: { limit: 50 } })
  const part = '{ from: products, select: { a: name } }'
  t.match(member(`{ merge: [${part}, ${part}], by: a }`), {
    limit: 50,
    parts: [{ limit: 50 }, { limit: 50 }],
  })
  t.match(member('{ count_by: { from: products }, fields: [brand] }'), { limit: 100 })
  const join = 'joins: { a: { to: approvals, many_on: certificate_id, pick: [id] } }, select: { a: a }'
  t.match(check(list(join)).body, { list: { limit: 50, joins: [{ kind: 'many', limit: 50 }] } })
})

type Case = [given: string, path: string, detail: RegExp, meant?: string]

/** Puts the cases into a larger document, in which their paths begin with `place`. */
const within = (before: string, after: string, place: string, cases: Case[]): Case[] =>
  cases.map(([given, path, ...rest]) => [`${before}${given}${after}`, `${place}${path}`, ...rest])
const inWhere = (from: string, cases: Case[], params = '{}') => {
  const before = `{ name: x, revision: 1, params: ${params}, object: { m: { count: { from: ${from}, where: { `
  return within(before, ' } } } } }', 'object.m.count.where', cases)
}
t.test('reports every fault with its path, the expected form and the nearest valid name', async (t) => {
  const cases: Case[] = [
    ['[1]', '', /expected object, got a list/],
    ['{ name: x, revision: 1 }', '', /either object or list/],
    ...within('{ object: { a: { const: 1 } }, ', ' }', '', [
      ['name: X!, revision: 1', 'name', /1 to 64 of a-z 0-9 -/],
      ['name: x, revison: 1', 'revison', /expected one of: name, revision/, 'revision'],
      ['name: x, revision: 0', 'revision', />=1/],
    ]),
    ...inWhere('products', [
      ['statuss: active', '.statuss', /is no field; products filters: id, name/],
      ['product_statu: active', '.product_statu', /is no field/, 'product_status'],
      ['manufacturer: x', '.manufacturer', /manufacturer cannot be filtered/],
      ['customer_id: bolt', '.customer_id', /only records of the customer that requests it/],
      ['sort: name', '.sort', /is no field/],
      ['"name[lte]": x', '["name[lte]"]', /name allows: eq, ne, in, nin, prefix, null/],
      ['product_status: activ', '.product_status', /expected one of: draft/, 'active'],
      ['product_status: null', '.product_status', /\[null\]: true/],
      ['id: $product', '.id', /no parameter product; the document has no params/],
    ]),
    ...inWhere('certificates', [
      ['"valid_until[lt]": [today]', '["valid_until[lt]"]', /expected one value/],
      ['"valid_until[lt]": soon', '["valid_until[lt]"]', /a date as YYYY-MM-DD/],
    ]),
    ...inWhere(
      'certificates',
      [
        ['product_id: $produkt', '.product_id', /expected one of: n, product, v/, 'product'],
        ['"valid_until[lt]": $n', '["valid_until[lt]"]', /parameter of type date, got n of type integer/],
        [
          '"valid_until[null]": $n',
          '["valid_until[null]"]',
          /parameter of type boolean, got n of type integ/,
        ],
        [`"valid_until[lt]": "today+\${n}days"`, '["valid_until[lt]"]', /today\+90d/],
        ['validity: $v', '.validity', /expected one of: not_yet_valid/],
      ],
      '{ n: { type: integer }, product: { type: string }, v: { type: string, enum: [valid, bad] } }',
    ),
    ...within(`{ ${head}, object: { m: { param: n } }, params: { n: { `, ' } } }', 'params.n', [
      ['type: int', '.type', /integer, string, date, boolean/],
      ['type: integer, min: 1, default: 0', '.default', /an integer from 1/],
      ['type: integer, min: a', '.min', /integers as bounds/],
      ['type: integer, min: 2, max: 1', '.min', /at most max/],
      ['type: string, min: 2, max: 1', '.min', /at most max/],
      ['type: string, min: -1', '.min', /from 1 to 2000/],
      ['type: string, max: -1', '.max', /from 1 to 2000/],
      ['type: date, min: 2026-02-01, max: 2026-01-31', '.min', /at most max/],
      ['type: date, min: today, max: today-1d', '.min', /at most max/],
      ['type: date, min: today, default: today-1d', '.default', /a date from today/],
      ['type: date, max: 2026-01-31, enum: [2026-02-01]', '.enum[0]', /a date to 2026-01-31/],
      ['type: boolean, enum: [yes]', '.enum', /a boolean is true or false/],
      ['type: integer, default: 1, optional: true', '.optional', /never missing/],
    ]),
    ...within(inObject, ' } }', 'object.m', [
      ['5', '', /write a fixed value as \{ const/],
      ['{ count: { from: certifcates } }', '.count.from', /expected one of: certificates/, 'certificates'],
      ['{ count: { form: products } }', '.count.form', /from, where/, 'from'],
      [
        '{ sum: { from: certificates }, field: days_remainin }',
        '.field',
        /is no field.*days/,
        'days_remaining',
      ],
      ['{ sum: { from: certificates }, field: title }', '.field', /cannot be used here/],
      ['{ count_by: { from: certificates }, fields: [number] }', '.fields[0]', /cannot be used here.*scheme/],
      ['{ count_by: { from: certificates }, fields: [scheme, authority, validity] }', '.fields', /<=2/],
      ['{ list: { from: products }, select: { a: name }, limit: 51 }', '.limit', /<=50/],
      ['{ list: { from: products }, limit: 5 }', '', /either select .* or value/],
      ['{ first: { from: products, sort: [brand] }, value: name }', '.first.sort', /products sorts by: name/],
      ['{ newest: [products, lab], as: minutes }', '.as', /expected one of: date, instant/],
      ['{ merge: [{ from: products, select: { a: name } }], by: a }', '.merge', />=2/],
      ['{ a: { b: { c: { const: 1 } } } }', '.a.b', /objects at most 3 deep/],
    ]),
    ...within(inList, ' } }', 'list', [
      ['limit: 501, select: { a: number }', '.limit', /<=500/],
      ['filters: [nummer], select: { a: number }', '.filters[0]', /certificates filters/, 'number'],
      ['filters: [holder], select: { a: number }', '.filters[0]', /certificates filters/],
      ['select: { 1a: number }', '.select["1a"]', /not beginning with a digit/],
      [
        'joins: { p: { to: products, on: product_id, pick: [model] } }, select: { a: p.name }',
        '.select.a',
        /name is not in its pick/,
      ],
    ]),
    ...within(`${inList}joins: { `, ' }, select: { a: number } } }', 'list.joins', [
      [
        'p: { to: products, on: product_id, pick: [nam] }',
        '.p.pick[0]',
        /products have no field nam/,
        'name',
      ],
      ['p: { to: products, on: p.id, pick: [id] }', '.p.on', /a cycle: p starts from itself/],
      [
        'p: { to: products, on: c.product_id, pick: [id] }, c: { to: certificates, on: p.id, pick: [product_id] }',
        '.p.on',
        /a cycle: p starts from c, which is after it/,
      ],
      [
        'p: { to: products, on: valid_until, pick: [id] }',
        '.p.on',
        /holds an id of products, such as (?!.*_(id|code)s)/,
      ],
      ['a: { to: approvals, many_on: certificate_id, limit: 51, pick: [id] }', '.a.limit', /<=50/],
      [
        'a: { to: approvals, many_on: scheme, limit: 5, pick: [id] }',
        '.a.many_on',
        /found by: product_id, c/,
      ],
      [
        'a: { to: countries, many_on: code, limit: 5, pick: [id] }',
        '.a.many_on',
        /no field of countries holds another record's id: use on/,
      ],
      ['a: { to: approvals, pick: [id] }', '.a', /on .* or many_on/],
    ]),
    ...within(`${inList}select: { a: `, ' } } }', 'list.select.a', [
      ['numbre', '', /numbre is no field/, 'number'],
      ['p.name', '', /p.name is no field/],
      ['{ dat: x }', '.dat', /name of a field, or one of: field, const/, 'date'],
      ['{ sql: "select 1" }', '.sql', /name of a field, or one of/],
      ['{ date: { field: valid_until, fromat: YYYY } }', '.date.fromat', /one of: field, format/, 'format'],
      ['{ date: { field: valid_until, format: "DD.MM.YYYY HH:mm" } }', '.date.format', /no time of day/],
      ['{ date: { field: valid_until, format: "Q" } }', '.date.format', /YYYY, YY, MM/],
      ['{ date: { field: title, format: "YYYY" } }', '.date.field', /a date or an instant/],
      ['{ map: { field: validity, values: { valide: 1 } } }', '.map.values.valide', /one of/, 'valid'],
      [
        '{ if: { test: { field: days_remaining, lt: 3000000000 }, then: 1 } }',
        '.if.test.lt',
        /-2147483647 to/,
      ],
      [
        '{ if: { test: { field: validity, equals: valid }, then: 1 } }',
        '.if.test.equals',
        /compared by: eq, ne/,
      ],
      [
        '{ if: { test: { field: validity, eq: valide }, then: 1 } }',
        '.if.test.eq',
        /expected one of/,
        'valid',
      ],
      ['{ if: { test: { field: validity, eq: valid } } }', '.if.then', /is missing/],
      ['{ case: [{ wen: 1, then: 1 }] }', '.case[0].wen', /one of: when, then/, 'when'],
      ['{ concat: [number, tags] }', '.concat[1]', /a list or an object is not a text/],
      [
        '{ concat: [{ if: { test: { field: validity, eq: valid }, then: { field: tags } } }] }',
        '.concat[0]',
        /a list or an object is not a text/,
      ],
    ]),
    [
      '{ name: x, revision: 1, list: { from: projects, joins: { p: { to: products, on: ordered_on, pick: [id] } }, select: { a: title } } }',
      'list.joins.p.on',
      /holds an id of products$/,
    ],
    [
      '{ name: x, revision: 1, list: { from: countries, select: { a: requirements.constructor } } }',
      'list.select.a',
      /constructor has: schemes/,
    ],
  ]
  for (const [text, path, detail, meant] of cases) {
    const faults = listFaults(text)
    const found = faults.find((fault) => fault.path === path)
    t.match(found, { detail }, `${text} → ${path}: ${JSON.stringify(faults)}`)
    t.equal(found?.did_you_mean, meant, `${path}, nearest`)
  }
})

t.test('a parameter cannot have the name of a control or of a token', async (t) => {
  for (const name of 'limit cursor bom format revision fields access_token token api_key'.split(' ')) {
    t.match(listFaults(object('{ const: 1 }', `{ ${name}: { type: string, default: x } }`)), [
      { path: `params.${name}`, detail: /another name/ },
    ])
  }
})

t.test('a text is bounded in characters and bytes, and can be stored', async (t) => {
  const parse = (text: string, bounds: { min?: number; max?: number } = {}) =>
    parseParameter({ name: 's', type: 'string', optional: false, ...bounds }, text, '2026-01-01')
  const detail = 'expected a text, at most 2000 bytes, without U+0000'
  for (const text of ['a\u0000', '\ud800', 'ä'.repeat(1001)]) t.same(parse(text), { detail })
  t.same(parse('ä'.repeat(1000)), { value: 'ä'.repeat(1000) })
  const bounds = { min: 2, max: 3 }
  for (const text of ['ab', '𝒶𝒷𝒸']) t.same(parse(text, bounds), { value: text })
  for (const text of ['a', 'abcd']) t.match(parse(text, bounds), { detail: /of from 2 to 3 characters/ })
  t.match(parse('abcd', { max: 3 }), { detail: /of to 3 characters/ })
})

t.test('merges up to four lists', async (t) => {
  const merge = (count: number) =>
    object(`{ merge: [${Array(count).fill('{ from: products, select: { a: name } }')}], by: a }`)
  for (const count of [2, 3, 4]) t.same(listFaults(merge(count)), [], `${count} lists`)
  t.match(listFaults(merge(5)), [{ path: 'object.m.merge', detail: /<=4/ }])
})

t.test('the bounds of a parameter may be equal', async (t) => {
  for (const given of [
    'integer, min: 2, max: 2',
    'string, min: 1, max: 1',
    'string, min: 2000, max: 2000',
    'date, min: today, max: today',
  ])
    t.same(listFaults(object('{ param: a }', `{ a: { type: ${given} } }`)), [], given)
})

t.test('accepts a fixed date with a relative bound, because their order depends on the day', async (t) => {
  for (const given of [
    'max: today, default: 2026-06-01',
    'min: today, enum: [2025-06-01], example: 2025-06-01',
  ])
    t.same(listFaults(object('{ param: d }', `{ d: { type: date, ${given} } }`)), [], given)
})

t.test('every fault is reported, not only the first', async (t) => {
  const faults = listFaults(`
name: x
revision: 1
object:
  a: { count: { from: productz } }
  b: { count: { from: products, where: { nam: x, model: $m } } }
  c: { sum: { from: lab }, field: title }
`)
  t.same(
    faults.map(({ path }) => path),
    ['object.a.count.from', 'object.b.count.where.nam', 'object.b.count.where.model', 'object.c.field'],
  )
})

t.test('bounds the cost of a document', async (t) => {
  const members = (count: number) =>
    Array.from({ length: count }, (_, n) => `a${n}: { count: { from: lab } }`).join(', ')
  t.same(listFaults(`{ name: x, revision: 1, object: { ${members(8)} } }`), [])
  t.match(listFaults(`{ name: x, revision: 1, object: { ${members(9)} } }`), [
    { detail: 'expected at most 8 sources, got 9' },
  ])
  const conditions = ['valid_from', 'valid_until', 'issued_on', 'updated_at'].flatMap((name) =>
    ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte'].map((operator) => `'${name}[${operator}]': today`),
  )
  const where = (count: number) =>
    object(`{ count: { from: certificates, where: { ${conditions.slice(0, count).join(', ')} } } }`)
  t.same(listFaults(where(30)), [])
  t.match(listFaults(where(31)), [
    { path: 'object.m.count.where', detail: 'expected at most 30 conditions, got 31' },
  ])
  const joins = (count: number) =>
    Array.from({ length: count }, (_, n) => `p${n}: { to: products, on: product_id, pick: [id] }`).join(', ')
  t.same(listFaults(list(`joins: { ${joins(3)} }, select: { a: number }`)), [])
  t.match(listFaults(list(`joins: { ${joins(4)} }, select: { a: number }`)), [
    { path: 'list.joins.p3', detail: /at most 3 joins/ },
  ])
  t.match(
    listFaults(list(`select: { ${Array.from({ length: 101 }, (_, n) => `a${n}: number`).join(', ')} }`)),
    [{ detail: /1 to 100 members, got 101/ }],
  )
})

t.test('accepts only a single plain YAML or JSON document', async (t) => {
  const cases: [text: string, path: RegExp, detail: RegExp][] = [
    ['name: x\nname: y', /line \d/, /unique/],
    ['a: &a [*a]', /line 1/, /aliases/],
    ['a: &a 1\nb: *a', /line 2/, /aliases/],
    ['a: 1\n---\nb: 2', /^$/, /one document, got 2/],
    ['a: !!js/function "x"', /line 1/, /tag/],
    ['a: [1', /line/, /./],
    [`a: ${'x'.repeat(70_000)}`, /^$/, /at most 65536 bytes/],
    ['a: 1\n__proto__: 2', /line 2/, /another name/],
    ['{"a": {"__proto__": 2}}', /line 1/, /another name/],
    ['a: 1\n? [b,\n c]\n: 2', /line 2/, /a text as a name/],
    ['a: 1\nb: "c\n d\\0"', /line 2/, /U\+0000/],
  ]
  for (const [text, path, detail] of cases) {
    t.match(listFaults(text), [{ path, detail }], text.slice(0, 30))
  }
  t.equal(check('{"name": "x", "revision": 3, "object": {"a": {"const": 1}}}').revision, 3)
})

t.test('a text that YAML reads as another value is refused', async (t) => {
  const cases: [text: string, path: RegExp, detail: RegExp][] = [
    ['a: 0123456789012', /line 1/, /0123456789012 would be read as 123456789012: write a text in quotes/],
    ['a: 1\nb: 1.10', /line 2/, /1\.10 would be read as 1\.1/],
    ['a: 9007199254740993', /line 1/, /would be read as 9007199254740992/],
    ['a: 1e400', /line 1/, /Infinity/],
    ['a: .nan', /line 1/, /NaN/],
    ['a: 0x10', /line 1/, /would be read as 16/],
    ['a: TRUE', /line 1/, /would be read as true/],
    ['%YAML 1.1\n---\na: yes', /line 1/, /YAML 1\.2/],
    ['a: { 1: one, "1": eins }', /line 1/, /1 exists already/],
    ['a: { null: true, "null": false }', /line 1/, /null exists already/],
    ['a: "x\\0y"', /line 1/, /U\+0000/],
    ['{"a": "\\ud800"}', /line 1/, /surrogates/],
    ['{"a\\u0000": 1}', /line 1/, /U\+0000/],
  ]
  for (const [text, path, detail] of cases) t.match(listFaults(text), [{ path, detail }], text)
  t.same(readText('{ a: -1, b: 1.5, c: true, d: null, e: no, f: 2026-01-01, g: "0123", 1: x, null: y }'), {
    a: -1,
    b: 1.5,
    c: true,
    d: null,
    e: 'no',
    f: '2026-01-01',
    g: '0123',
    1: 'x',
    null: 'y',
  })
})

t.test('the dependencies of an answer are derived from the document', async (t) => {
  const of = (text: string) => {
    const { dependsOn, dependsOnDay } = check(text)
    return { dependsOn, dependsOnDay }
  }
  t.same(of(object('{ count: { from: products } }')), {
    dependsOn: ['products', 'custom'],
    dependsOnDay: false,
  })
  t.same(of(object('{ count: { from: projects, where: { "due_on[lt]": today+30d } } }')), {
    dependsOn: ['projects', 'custom'],
    dependsOnDay: true,
  })
  t.same(of(object('{ first: { from: countries }, value: approval_info }')), {
    dependsOn: ['countries', 'approvals', 'certificates', 'settings', 'custom'],
    dependsOnDay: true,
  })
  t.same(
    of(object('{ count: { from: certificates, where: { expiring: true, expiring_within: 30 } } }')).dependsOn,
    ['certificates', 'custom'],
  )
  t.same(
    of(
      '{ name: x, revision: 1, list: { from: lab, joins: { p: { to: products, on: product_id, pick: [name] } }, select: { a: { if: { test: { field: issued_on, gt: today-30d }, then: p } } } } }',
    ),
    { dependsOn: ['lab', 'products', 'custom'], dependsOnDay: true },
  )
})

t.test('an answer depends on the day if a test of a member does, however deep', async (t) => {
  const dependsOnDay = (value: string) =>
    check(`{ ${head}, list: { from: projects, limit: 5, select: { a: ${value} } } }`).dependsOnDay
  const fixed = '{ field: title, eq: x }'
  const isRelative = '{ field: due_on, lt: today-30d }'
  const choose = (test: string, outcomes = 'then: x, else: y') => `{ if: { test: ${test}, ${outcomes} } }`
  const chooses = (test: string) => dependsOnDay(choose(test))
  t.notOk(chooses(fixed))
  t.notOk(chooses('{ field: due_on, in: [2026-01-01, 2026-01-02] }'))
  t.ok(chooses('{ field: due_on, in: [2026-01-01, today] }'))
  t.ok(chooses(`{ any: [${fixed}, { all: [${fixed}, ${isRelative}] }] }`))
  t.ok(dependsOnDay(choose(fixed, `then: ${choose(isRelative)}, else: y`)))
  t.ok(dependsOnDay(choose(fixed, `then: x, else: ${choose(isRelative)}`)))
  t.ok(dependsOnDay(`{ concat: [title, ${choose(isRelative)}] }`))
  t.notOk(dependsOnDay(`{ concat: [title, ${choose(fixed)}] }`))
  t.ok(dependsOnDay(`{ case: [{ when: ${fixed}, then: x }, { when: ${isRelative}, then: y }] }`))
})

t.test('the order of parameters does not matter to the address and the cache', async (t) => {
  const params = '{ b: { type: string }, a: { type: string }, c: { type: string, default: z } }'
  const document = check(object('{ param: a }', params))
  const read = (query: string) => {
    const outcome = readRequest(
      { definition: document, revisions: [{ revision: 1 }], today: '2026-11-21', shape: 'page' },
      parsePairs(query),
    )
    if (!('request' in outcome)) throw new Error(query)
    const { canonical, selection } = outcome.request
    return { canonical, selection }
  }
  t.equal(read('b=1&a=2').canonical, 'a=2&b=1&c=z')
  t.same(read('c=z&b=1&a=2'), read('a=2&b=1'))
  t.not(read('a=1&b=2').selection, read('a=2&b=1').selection)
})

t.test('an answer depends on the day if a parameter is relative to it', async (t) => {
  const params = '{ unit: { type: string, enum: [day], default: day } }'
  const where = `{ "due_on[lt]": "to\${unit}" }`
  const document = check(object(`{ count: { from: projects, where: ${where} } }`, params))
  const outcome = readRequest(
    { definition: document, revisions: [{ revision: 1 }], today: '2026-11-21', shape: 'page' },
    [],
  )
  t.match(outcome, { request: { dependsOnDay: true } })
})
