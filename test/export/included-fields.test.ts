import { sql } from 'kysely'
import t from 'tap'
import { loadExampleData } from '../../app/local/example-data.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase } from '../helper.ts'
import { parseCells } from './csv.ts'
import { readWorkbook } from './xlsx.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)
const { get } = await asCustomer(database, app, 'acme')
await asCustomer(database, app, 'other')
await loadReferenceData(database.operator)
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
for (const name of resourceNames.filter((each) => !resources[each].reference)) {
  for (const customer of ['acme', 'other'])
    await sql`insert into ${sql.table(name)} select (json_populate_record(r, ${JSON.stringify({ customer_id: customer })}::json)).*
      from ${sql.table(name)} r where customer_id = 'demo'`.execute(database.operator)
}
await sql`update products set name = 'of another customer' where customer_id = 'other'`.execute(
  database.operator,
)
await sql`update lab set product_id = 'no-such-product' where id = (select min(id) from lab where customer_id = 'acme')`.execute(
  database.operator,
)

/** Every include of the resource with one field: its number, name, or id. */
const chosen = (name: (typeof resourceNames)[number]) =>
  Object.entries(resources[name].includes).map(([include, { resource, by }]) => {
    const { fields } = resources[resource]
    const field = ['name', 'number', 'project_number', 'title'].find((each) => fields.has(each)) ?? 'id'
    return { column: `${include}.${field}`, resource, by, include, field }
  })

t.test('an export has fields of included records, in every format', async (t) => {
  for (const name of resourceNames) {
    const columns = chosen(name)
    if (columns.length === 0) continue
    const query = `sort=id&fields=${['id', ...columns.map(({ column }) => column)].join()}`
    const fields = columns.map(({ by }) => by)
    const includes = columns.map(({ include }) => include).join()
    const page = (await get(`/v1/${name}?sort=id&limit=500&fields=id,${fields}&include=${includes}`)).json()
    const expected = page.data.map((record: Record<string, string>) =>
      columns.map(({ resource, by, field }) => page.included[resource][record[by] ?? '']?.[field] ?? null),
    )
    const [header, ...rows] = parseCells((await get(`/v1/${name}?format=csv&${query}`)).body)
    t.same(header, ['id', ...columns.map(({ column }) => column)], name)
    t.same(
      rows.map(([, ...cells]) => cells),
      expected,
      name,
    )
    const lines = (await get(`/v1/${name}?format=ndjson&${query}`)).body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    t.same(
      lines.map((line) => columns.map(({ column }) => line[column])),
      expected,
      `${name}, NDJSON`,
    )
    const { rawPayload } = await get(`/v1/${name}?format=xlsx&${query}`)
    const [first = {}, ...sheet] = readWorkbook(rawPayload).get('data') ?? []
    const letters = columns.map(
      ({ column }) => Object.keys(first).find((each) => first[each]?.value === column) ?? '',
    )
    const shown = sheet.map((cells) => letters.map((letter) => cells[letter]?.value ?? null))
    t.same(shown, expected, `${name}, XLSX`)
  }
})

t.test('the columns of a table have the order of fields, with computed and objects', async (t) => {
  const query = 'fields=country.requirements,product.name,id,country.name&limit=1&country_code[null]=false'
  const { body } = await get(`/v1/certificates?format=csv&${query}`)
  const [header, row] = parseCells(body)
  t.same(header, ['country.requirements', 'product.name', 'id', 'country.name'])
  t.ok(JSON.parse(row?.[0] as string).schemes)
})

t.test('unknown names are refused, and pages name include', async (t) => {
  const refused = await get('/v1/lab?format=csv&fields=product.nmae,product.name.x,country.name')
  t.equal(refused.statusCode, 400)
  t.same(
    refused.json().errors.map(({ code }: { code: string }) => code),
    Array(3).fill('unknown_field'),
  )
  t.match(refused.body, 'product.name')
  const page = await get('/v1/lab?fields=product.name')
  t.match(page.json(), {
    status: 400,
    errors: [{ code: 'unknown_field', detail: /only exports.*include=product/ }],
  })
})

t.test('a field of another resource needs its scope', async (t) => {
  const narrow = await asCustomer(database, app, 'narrow', { scopes: ['certificates:read'] })
  for (const name of ['product.name', 'product%2Ename', 'product.name,id'])
    t.equal((await narrow.get(`/v1/certificates?format=csv&fields=${name}`)).statusCode, 403, name)
  t.equal((await narrow.get('/v1/certificates?format=csv&fields=number')).statusCode, 200)
})
