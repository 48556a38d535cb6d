import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { describeCountryCode } from '../../app/import/country-codes.ts'
import { parseLine } from '../../app/import/line.ts'
import { readLines } from '../../app/import/lines.ts'
import { certificate, openDatabase, product } from './database.ts'

const { take } = await openDatabase(t)

t.test('a wrong type is reported in plain words, and broken JSON with its column', (t) => {
  const reason = (line: object | string) => {
    const parsed = parseLine(7, typeof line === 'string' ? line : JSON.stringify(line), {})
    return 'reason' in parsed ? `${parsed.column ?? '-'} ${parsed.reason}` : ''
  }
  t.equal(reason(certificate('a', { title: 7 })), '- title must be text; found a number')
  t.equal(reason(certificate('a', { tags: 'x' })), '- tags must be a list; found text')
  t.equal(reason(certificate('a', { tags: ['x', 7] })), '- tags.1 must be text; found a number')
  t.equal(
    reason(certificate('a', { validity_periods: [7] })),
    '- validity_periods.0 must be an object; found a number',
  )
  t.match(
    reason(product('a', { product_status: 7 })),
    /^- product_status must be one of "draft", .*; found a number$/,
  )
  t.match(
    reason(certificate('a', { valid_until: 7 })),
    /^- valid_until: expected a date as YYYY-MM-DD; found a number$/,
  )
  t.equal(reason(product('a', { customer: 7 })), '- customer must be text; found a number')
  t.match(reason('[1]'), 'not a JSON object; found a list')
  t.match(reason('{"resource": "products", "id": x}'), /^32 not JSON: expected a value/)
  t.match(reason('{"resource": "products"'), /^24 not JSON: it ends too early/)
  t.end()
})

t.test('a line with two members of one name is bad, however deep and however spelled', async (t) => {
  const report = await take([
    '{"resource": "products", "customer": "acme", "id": "a", "id": "b", "name": "x"}',
    '{"resource": "products", "customer": "acme", "id": "a", "\\u0069d" : "b", "name": "x"}',
    '{"resource": "countries", "id": "DE", "requirements": {"note": "x", "note": "y"}}',
    '{"resource": "products", "customer": "acme", "id": "c", "name": "\\"id\\":1, \\"id\\":2"}',
  ])
  t.match(report, { read: 4, bad: 3, created: 1 })
  for (const { reason } of report.badLines) t.match(reason, /two members are named/)
})

t.test('warns of each unknown country code once, with the likely code', async (t) => {
  const codes = ['UK', 'UK', 'EU', 'XX', 'GB', 'XK']
  const lines = codes.map((country_code, index) => certificate(String(index), { country_code }))
  const report = await take([
    ...lines,
    {
      resource: 'projects',
      customer: 'acme',
      id: 'a',
      project_number: 'P',
      country_codes: ['JP', 'EL', 'EU'],
    },
    {
      resource: 'lab',
      customer: 'acme',
      id: 'a',
      report_number: 'R',
      status: 'planned',
      laboratory_country_code: 'QM',
    },
  ])
  t.match(report, { bad: 0, created: 8, warnings: 5 })
  t.same(
    report.warningLines.map(({ line, reason }) => `${line} ${reason.split(';').slice(0, 2).join(';')}`),
    [
      '1 country_code: UK is no ISO 3166-1 code; GB is United Kingdom',
      '3 country_code: EU is the European Union, which is no country; this is reported once',
      '4 country_code: XX is no country in ISO 3166-1; this is reported once',
      '7 country_codes: EL is no ISO 3166-1 code; GR is Greece',
      '8 laboratory_country_code: QM is no country in ISO 3166-1; this is reported once',
    ],
  )
})

t.test('the list of country codes contains every country of the reference data', async (t) => {
  const file = join(import.meta.dirname, '../../app/local/reference/countries.ndjson')
  for await (const { text = '' } of readLines(ReadableStream.from([readFileSync(file)]))) {
    t.equal(describeCountryCode(JSON.parse(text).code), undefined)
  }
})
