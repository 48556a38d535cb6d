import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkDocument } from '../../app/custom/check.ts'
import { DocumentError, type DocumentFault } from '../../app/custom/faults.ts'
import { readText } from '../../app/custom/read.ts'
import { readRequest } from '../../app/custom/request.ts'

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

const object = (member: string, params = '') =>
  `{ name: x, revision: 1, ${params === '' ? '' : `params: ${params}, `}object: { m: ${member} } }`
const list = (body: string) => `{ name: x, revision: 1, list: { from: certificates, ${body} } }`

t.test('the shipped documents are valid', async (t) => {
  const folder = join(import.meta.dirname, '../../app/custom/shipped')
  for (const file of readdirSync(folder)) {
    t.equal(`${check(readFileSync(join(folder, file), 'utf8')).name}.yaml`, file)
  }
})

t.test('every fault has its path, the expected form, and the nearest valid name', async (t) => {
  const cases: [text: string, path: string, detail: RegExp, meant?: string][] = [
    ['{ name: x, revision: 1 }', '', /either object or list/],
    ['{ name: X!, revision: 1, object: { a: { const: 1 } } }', 'name', /1 to 64 of a-z 0-9 -/],
    [
      '{ name: x, revison: 1, object: { a: { const: 1 } } }',
      'revison',
      /expected one of: name, revision/,
      'revision',
    ],
    ['{ name: x, revision: 0, object: { a: { const: 1 } } }', 'revision', />=1/],
    ['[1]', '', /expected object, got a list/],
    [
      object('{ count: { from: certifcates } }'),
      'object.m.count.from',
      /expected one of: certificates/,
      'certificates',
    ],
    [object('{ count: { form: products } }'), 'object.m.count.form', /from, where/, 'from'],
    [
      object('{ count: { from: products, where: { statuss: active } } }'),
      'object.m.count.where.statuss',
      /is no field; products filters: id, name/,
    ],
    [
      object('{ count: { from: products, where: { product_statu: active } } }'),
      'object.m.count.where.product_statu',
      /is no field/,
      'product_status',
    ],
    [
      object('{ count: { from: products, where: { manufacturer: x } } }'),
      'object.m.count.where.manufacturer',
      /manufacturer cannot be filtered/,
    ],
    [
      object('{ count: { from: products, where: { customer_id: bolt } } }'),
      'object.m.count.where.customer_id',
      /only records of the customer that requests it/,
    ],
    [
      object('{ count: { from: products, where: { sort: name } } }'),
      'object.m.count.where.sort',
      /is no field/,
    ],
    [
      object('{ count: { from: products, where: { "name[lte]": x } } }'),
      'object.m.count.where["name[lte]"]',
      /name allows: eq, ne, in, nin, prefix, null/,
    ],
    [
      object('{ count: { from: products, where: { product_status: activ } } }'),
      'object.m.count.where.product_status',
      /expected one of: draft/,
      'active',
    ],
    [
      object('{ count: { from: products, where: { product_status: null } } }'),
      'object.m.count.where.product_status',
      /\[null\]: true/,
    ],
    [
      object('{ count: { from: certificates, where: { "valid_until[lt]": [today] } } }'),
      'object.m.count.where["valid_until[lt]"]',
      /expected one value/,
    ],
    [
      object('{ count: { from: certificates, where: { "valid_until[lt]": soon } } }'),
      'object.m.count.where["valid_until[lt]"]',
      /a date as YYYY-MM-DD/,
    ],
    [
      object('{ count: { from: products, where: { id: $product } } }'),
      'object.m.count.where.id',
      /no parameter product; the document has no params/,
    ],
    [
      object('{ count: { from: products, where: { id: $produkt } } }', '{ product: { type: string } }'),
      'object.m.count.where.id',
      /expected one of: product/,
      'product',
    ],
    [
      object(
        '{ count: { from: certificates, where: { "valid_until[lt]": $n } } }',
        '{ n: { type: integer } }',
      ),
      'object.m.count.where["valid_until[lt]"]',
      /parameter of type date, got n of type integer/,
    ],
    [
      list('select: { a: { if: { test: { field: days_remaining, lt: 3000000000 }, then: 1 } } }'),
      'list.select.a.if.test.lt',
      /an integer from -2147483647 to 2147483647/,
    ],
    [
      object(
        '{ count: { from: certificates, where: { validity: $v } } }',
        '{ v: { type: string, enum: [valid, bad] } }',
      ),
      'object.m.count.where.validity',
      /expected one of: not_yet_valid/,
    ],
    [
      object(
        `{ count: { from: certificates, where: { "valid_until[lt]": "today+\${n}days" } } }`,
        '{ n: { type: integer } }',
      ),
      'object.m.count.where["valid_until[lt]"]',
      /today\+90d/,
    ],
    [object('{ param: n }', '{ n: { type: int } }'), 'params.n.type', /integer, string, date, boolean/],
    [
      object('{ param: n }', '{ n: { type: integer, min: 1, default: 0 } }'),
      'params.n.default',
      /an integer from 1/,
    ],
    [object('{ param: n }', '{ n: { type: integer, min: a } }'), 'params.n.min', /integers as bounds/],
    [object('{ param: n }', '{ n: { type: integer, min: 2, max: 1 } }'), 'params.n.min', /at most max/],
    [object('{ param: n }', '{ n: { type: string, min: 2, max: 1 } }'), 'params.n.min', /at most max/],
    [object('{ param: n }', '{ n: { type: string, min: -1 } }'), 'params.n.min', /from 1 to 2000/],
    [object('{ param: n }', '{ n: { type: string, max: -1 } }'), 'params.n.max', /from 1 to 2000/],
    [
      object('{ param: n }', '{ n: { type: date, min: 2026-02-01, max: 2026-01-31 } }'),
      'params.n.min',
      /at most max/,
    ],
    [
      object('{ param: n }', '{ n: { type: date, min: today, max: today-1d } }'),
      'params.n.min',
      /at most max/,
    ],
    [
      object('{ param: n }', '{ n: { type: integer }, limit: { type: integer } }'),
      'params.limit',
      /another name/,
    ],
    [
      object('{ param: n }', '{ n: { type: integer, default: 1, optional: true } }'),
      'params.n.optional',
      /never missing/,
    ],
    [object('5'), 'object.m', /write a fixed value as \{ const/],
    [
      object('{ sum: { from: certificates }, field: days_remainin }'),
      'object.m.field',
      /is no field; expected one of: days_remaining/,
      'days_remaining',
    ],
    [object('{ sum: { from: certificates }, field: title }'), 'object.m.field', /cannot be used here/],
    [
      object('{ count_by: { from: certificates }, fields: [number] }'),
      'object.m.fields[0]',
      /cannot be used here; expected one of: .*scheme/,
    ],
    [
      object('{ count_by: { from: certificates }, fields: [scheme, authority, validity] }'),
      'object.m.fields',
      /<=2/,
    ],
    [object('{ list: { from: products }, select: { a: name } }'), 'object.m.limit', /is missing/],
    [object('{ list: { from: products }, select: { a: name }, limit: 51 }'), 'object.m.limit', /<=50/],
    [object('{ list: { from: products }, limit: 5 }'), 'object.m', /either select .* or value/],
    [
      object('{ first: { from: products, sort: [brand] }, value: name }'),
      'object.m.first.sort',
      /products sorts by: name/,
    ],
    [object('{ newest: [products, lab], as: minutes }'), 'object.m.as', /date, instant/],
    [object('{ a: { b: { c: { const: 1 } } } }'), 'object.m.a.b', /objects at most 3 deep/],
    [list('select: { a: numbre }'), 'list.select.a', /numbre is no field/, 'number'],
    [list('select: { a: p.name }'), 'list.select.a', /p.name is no field/],
    [
      '{ name: x, revision: 1, list: { from: countries, select: { a: requirements.constructor } } }',
      'list.select.a',
      /constructor has: schemes/,
    ],
    [list('select: { 1a: number }'), 'list.select["1a"]', /not beginning with a digit/],
    [list('limit: 501, select: { a: number }'), 'list.limit', /<=500/],
    [list('filters: [nummer], select: { a: number }'), 'list.filters[0]', /certificates filters/, 'number'],
    [list('filters: [holder], select: { a: number }'), 'list.filters[0]', /certificates filters/],
    [
      list('joins: { p: { to: products, on: product_id, pick: [nam] } }, select: { a: p.name }'),
      'list.joins.p.pick[0]',
      /products have no field nam/,
      'name',
    ],
    [
      list('joins: { p: { to: products, on: product_id, pick: [model] } }, select: { a: p.name }'),
      'list.select.a',
      /name is not in its pick/,
    ],
    [
      list('joins: { p: { to: products, on: p.id, pick: [id] } }, select: { a: number }'),
      'list.joins.p.on',
      /a cycle: p starts from itself/,
    ],
    [
      list(
        'joins: { p: { to: products, on: c.product_id, pick: [id] }, c: { to: certificates, on: p.id, pick: [product_id] } }, select: { a: number }',
      ),
      'list.joins.p.on',
      /a cycle: p starts from c, which is after it/,
    ],
    [
      list('joins: { p: { to: products, on: valid_until, pick: [id] } }, select: { a: number }'),
      'list.joins.p.on',
      /holds an id of products/,
    ],
    [
      list('joins: { a: { to: approvals, many_on: certificate_id, pick: [id] } }, select: { a: a }'),
      'list.joins.a.limit',
      /is missing: expected 1 to 50 rows/,
    ],
    [
      list('joins: { a: { to: approvals, many_on: scheme, limit: 5, pick: [id] } }, select: { a: a }'),
      'list.joins.a.many_on',
      /are found by: product_id, country_code/,
    ],
    [
      list('joins: { a: { to: approvals, pick: [id] } }, select: { a: number }'),
      'list.joins.a',
      /on .* or many_on/,
    ],
    [
      list('select: { a: { dat: x } }'),
      'list.select.a.dat',
      /name of a field, or one of: field, const/,
      'date',
    ],
    [
      list('select: { a: { date: { field: valid_until, format: "DD.MM.YYYY HH:mm" } } }'),
      'list.select.a.date.format',
      /no time of day/,
    ],
    [
      list('select: { a: { date: { field: valid_until, format: "Q" } } }'),
      'list.select.a.date.format',
      /YYYY, YY, MM/,
    ],
    [
      list('select: { a: { date: { field: title, format: "YYYY" } } }'),
      'list.select.a.date.field',
      /a date or an instant/,
    ],
    [
      list('select: { a: { map: { field: validity, values: { valide: 1 } } } }'),
      'list.select.a.map.values.valide',
      /validity is one of/,
      'valid',
    ],
    [
      list('select: { a: { if: { test: { field: validity, equals: valid }, then: 1 } } }'),
      'list.select.a.if.test.equals',
      /compared by: eq, ne/,
    ],
    [
      list('select: { a: { if: { test: { field: validity, eq: valide }, then: 1 } } }'),
      'list.select.a.if.test.eq',
      /expected one of/,
      'valid',
    ],
    [
      list('select: { a: { if: { test: { field: validity, eq: valid } } } }'),
      'list.select.a.if.then',
      /is missing/,
    ],
    [
      list('select: { a: { concat: [number, tags] } }'),
      'list.select.a.concat[1]',
      /a list or an object is not a text/,
    ],
    [list('select: { a: { sql: "select 1" } }'), 'list.select.a.sql', /name of a field, or one of/],
  ]
  for (const [text, path, detail, meant] of cases) {
    const faults = listFaults(text)
    const found = faults.find((fault) => fault.path === path)
    t.match(found, { detail }, `${text} → ${path}: ${JSON.stringify(faults)}`)
    t.equal(found?.did_you_mean, meant, `${path}, nearest`)
  }
})

t.test('no parameter has a name that means something already, or that no address may have', async (t) => {
  for (const name of [
    'limit',
    'cursor',
    'format',
    'revision',
    'fields',
    'access_token',
    'token',
    'api_key',
  ]) {
    t.match(listFaults(object('{ const: 1 }', `{ ${name}: { type: string, default: x } }`)), [
      { path: `params.${name}`, detail: /another name/ },
    ])
  }
})

t.test('every fault is told, not the first', async (t) => {
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

t.test('the cost is bounded', async (t) => {
  const members = (count: number) =>
    Array.from({ length: count }, (_, n) => `a${n}: { count: { from: lab } }`).join(', ')
  t.same(listFaults(`{ name: x, revision: 1, object: { ${members(8)} } }`), [])
  t.match(listFaults(`{ name: x, revision: 1, object: { ${members(9)} } }`), [
    { detail: 'expected at most 8 sources, got 9' },
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

t.test('a text is one plain YAML or JSON document', async (t) => {
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
    ['a: 1\n? [b, c]\n: 2', /line 2/, /a text as a name/],
  ]
  for (const [text, path, detail] of cases) {
    t.match(listFaults(text), [{ path, detail }], text.slice(0, 30))
  }
  t.equal(check('{"name": "x", "revision": 3, "object": {"a": {"const": 1}}}').revision, 3)
})

t.test('a text that would be read as another value is refused', async (t) => {
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
    ...{ a: -1, b: 1.5, c: true, d: null, e: 'no', f: '2026-01-01', g: '0123' },
    ...{ 1: 'x', null: 'y' },
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

t.test('a day given by parameters makes the answer depend on that day', async (t) => {
  const params = '{ unit: { type: string, enum: [day], default: day } }'
  const where = `{ "due_on[lt]": "to\${unit}" }`
  const document = check(object(`{ count: { from: projects, where: ${where} } }`, params))
  const outcome = readRequest(document, [{ revision: 1 }], '', '2026-11-21')
  t.match(outcome, { request: { dependsOnDay: true } })
})
