import t from 'tap'
import { checkDocument } from '../../../app/features/custom/check.ts'
import { createCustomExports } from '../../../app/features/custom/exports.ts'
import { readText } from '../../../app/features/custom/read.ts'
import { readRequest } from '../../../app/features/custom/request.ts'
import { parsePairs } from '../../../app/http/pairs.ts'
import { createCsvStage } from '../../export/csv-stage.ts'

const { today, request, exports, take, readNew, readOld } = await createCsvStage()

const endpoint = `
name: everything
revision: 1
params:
  n: { type: integer, default: -5 }
  s: { type: string, default: "=a,b" }
  b: { type: boolean, default: true }
  d: { type: date, default: "2026-01-31" }
list:
  from: certificates
  joins:
    c: { to: countries, on: country_code, pick: [name, requirements] }
    p: { to: products, many_on: parent_product_id, on: product_id, limit: 2, pick: { name: name } }
  select:
    id: id
    Größe: title
    text: { concat: [number, holder, { const: "-" }], separator: ", " }
    map: { map: { field: approval_status, values: { approved: "=x", pending: "" }, else: null } }
    flag: { if: { test: { field: validity, eq: valid }, then: true, else: false } }
    mixed: { if: { test: { field: validity, eq: valid }, then: -7, else: { field: title } } }
    number: { if: { test: { field: validity, eq: valid }, then: -7.5, else: null } }
    tags: tags
    periods: validity_periods
    until: valid_until
    day: { date: { field: valid_until, format: "DD, MM" } }
    changed: updated_at
    remaining: days_remaining
    expiring: expiring
    note: c.requirements.note
    schemes: c.requirements.schemes
    requirements: c.requirements
    products: p
    n: { param: n }
    s: { param: s }
    b: { param: b }
    d: { param: d }
`

t.test('the lines of a custom endpoint are the bytes of the previous writer', async (t) => {
  const definition = checkDocument(readText(endpoint))
  const answers = createCustomExports({ exports })
  const day = today()
  const parse = (text: string) => {
    const outcome = readRequest(
      { definition, revisions: [definition], today: day, shape: 'csv' },
      parsePairs(text),
    )
    if (!('request' in outcome)) throw new Error(JSON.stringify(outcome))
    return { definition, day, request: outcome.request }
  }
  for (const query of ['', 'limit=2', 'n=0&b=false&s=%20x']) {
    await answers.answer({ ...request, query: parse(query) })
    const rows = take()
    const lines = await readNew(rows)
    t.equal(lines, await readOld(rows), query)
    t.ok(lines.split('\r\n').length > 2)
    for (const column of rows.columns) {
      const one = { ...rows, columns: [column] }
      t.equal(await readNew(one), await readOld(one), `only ${column.name}`)
    }
  }
})
