import { execFile } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { createZip } from '../../app/export/zip.ts'
import { importFile } from '../../app/features/imports/import-file.ts'
import { demoCustomerId } from '../../app/identity/principal.ts'
import { loadExampleData } from '../../app/local/example-data.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import type { ResourceName } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { asCustomer, connectOwner, createTestApp, createTestDatabase, type Get } from '../../test/helper.ts'

/**
 * Checks XLSX files with independent readers. It needs LibreOffice Calc (`soffice`) and a Python with
 * openpyxl (`python3`, or PYTHON).
 */

const python = process.env.PYTHON ?? 'python3'
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'certdata-xlsx-'))
const database = await createTestDatabase()
const app = await createTestApp(database)
t.teardown(async () => {
  await app.close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})
const { get } = await asCustomer(database, app, 'acme')

/** Names that a spreadsheet could mistake for another type. */
const names = ['00123', '=1+1', '1E10', '-5', 'TRUE', '2026-11-24', ' both ends ', 'a\nb', '<b>&amp;', '😀']
/** Escaped in the file. openpyxl shows the escapes. */
const escaped = ['a\u0001b', '_x0041_', 'a\r\nb']
const days = ['1900-03-01', '2026-11-24', '9999-12-31', '1899-12-31']
for (const [index, name] of [...names, ...escaped].entries()) {
  const day = days[index % days.length]
  await sql`insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until, tags)
    values ('acme', ${`c${String(index).padStart(2, '0')}`}, ${name}, 'x', 'approved', ${day}::date, null, '{a,b;c}')`.execute(
    database.operator,
  )
}
const file = join(folder, 'certificates.xlsx')
const fields = 'id,number,valid_from,valid_until,expiring,created_at,tags'
const answer = await get(`/v1/certificates?format=xlsx&sort=created_at&fields=${fields}`)
writeFileSync(file, answer.rawPayload)
type Shown = Readonly<Record<'number' | 'valid_from' | 'created_at', string>>
const records: Shown[] = (await get('/v1/certificates?sort=created_at')).json().data

t.test('openpyxl finds each value with its type', async (t) => {
  const script = `import json, sys, openpyxl
sheet = openpyxl.load_workbook(sys.argv[1])['data']
setup = [sheet.auto_filter.ref, sheet.page_setup.orientation, sheet.sheet_properties.pageSetUpPr.fitToPage]
print(json.dumps([[sheet.freeze_panes, *setup], [[[cell.data_type, str(cell.value)] for cell in row] for row in sheet.iter_rows()]]))`
  const [setup, [header, ...rows]] = JSON.parse((await run(python, ['-c', script, file])).stdout)
  t.same(setup, ['A2', `A1:G${records.length + 1}`, 'landscape', true])
  t.same(
    header.map(([, name]: string[]) => name),
    fields.split(','),
  )
  t.equal(rows.length, records.length)
  for (const [index, [, number, from, until, expiring, created, tags]] of rows.entries()) {
    const record = records[index] as Shown
    if (!escaped.includes(record.number)) t.same(number, ['s', record.number])
    const isEarly = record.valid_from === '1899-12-31'
    t.same(from, isEarly ? ['s', '1899-12-31'] : ['d', `${record.valid_from} 00:00:00`])
    t.same(until, ['n', 'None'])
    t.same(expiring, ['b', 'False'])
    t.equal(created[0], 'd')
    t.equal(created[1].slice(0, 19), record.created_at.slice(0, 19).replace('T', ' '))
    t.same(tags, ['s', 'a;b\\;c'])
  }
})

t.test(
  'LibreOffice opens it with typed cells and shows escaped characters',
  { timeout: 120_000 },
  async (t) => {
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
    await run('soffice', [profile, '--headless', '--convert-to', 'fods', '--outdir', folder, file])
    const shown = readFileSync(join(folder, 'certificates.fods'), 'utf8')
    t.match(shown, /style:print-orientation="landscape"/)
    t.match(shown, /style:scale-to-X="1"/)
    t.match(shown, /<table:database-range [^>]*table:display-filter-buttons="true"/)
    const sheet = shown.split('<table:table ')[1] ?? ''
    const rows = sheet.split('<table:table-row').slice(2, 2 + records.length)
    t.equal(rows.length, records.length)
    for (const [index, row] of rows.entries()) {
      const record = records[index] as Shown
      const types = [...row.matchAll(/office:value-type="(\w+)"/g)].map(([, type]) => type)
      const isEarly = record.valid_from === '1899-12-31'
      // LibreOffice reads a boolean as a number in boolean format.
      t.same(
        types,
        ['string', 'string', isEarly ? 'string' : 'date', 'float', 'date', 'string'],
        record.number,
      )
      if (!isEarly) t.match(row, `office:date-value="${record.valid_from}"`)
    }
    const csv = join(folder, 'certificates.csv')
    await run('soffice', [
      profile,
      '--headless',
      '--convert-to',
      'csv:Text - txt - csv (StarCalc):44,34,76',
      file,
      '--outdir',
      folder,
    ])
    const text = readFileSync(csv, 'utf8')
    for (const name of ['00123', '=1+1', '1E10', '-5', '_x0041_', ' both ends ']) t.match(text, `,${name},`)
  },
)

t.test(
  'a workbook that LibreOffice saves as CSV imports without a difference',
  { timeout: 120_000 },
  async (t) => {
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
    const owner = connectOwner(database)
    t.teardown(() => owner.destroy())
    await loadReferenceData(owner)
    await loadExampleData(owner, '2026-11-24')
    const { get: demo } = await asCustomer(database, app, demoCustomerId)
    const { get: copy } = await asCustomer(database, app, 'copy')
    /** Fields that no table can hold, or that the service computes. */
    const comparable = async (read: Get, resource: ResourceName) => {
      const { fields } = resources[resource]
      const names = [...fields.values()].flatMap(({ name, computed, kind }) =>
        computed || kind === 'instant' ? [] : [name],
      )
      const { data } = (await read(`/v1/${resource}?limit=500&sort=id&fields=${names.join()}`)).json()
      return data as object[]
    }
    const owned = resourceNames.filter((name) => !resources[name].reference)
    for (const resource of owned) {
      const book = join(folder, `${resource}.xlsx`)
      writeFileSync(book, (await demo(`/v1/${resource}?format=xlsx`)).rawPayload)
      // UTF-8, separated by commas, all cells as shown: the dialog's defaults.
      await run('soffice', [
        profile,
        '--headless',
        '--convert-to',
        'csv:Text - txt - csv (StarCalc):44,34,76',
        book,
        '--outdir',
        folder,
      ])
      const saved = readFileSync(join(folder, `${resource}.csv`))
      const report = await importFile(database.operator, ReadableStream.from([saved]), {
        customer: 'copy',
        table: { resource },
      })
      t.same(report.badLines, [], resource)
      t.ok(report.created > 0, `${report.created} of ${resource}`)
    }
    for (const resource of owned) t.same(await comparable(copy, resource), await comparable(demo, resource))
  },
)

t.test('an archive beyond 4 GiB is one for zipfile', async (t) => {
  const path = join(folder, 'far.zip')
  const start = 5 * 2 ** 30
  const far = openSync(path, 'w')
  let at = start
  const write = (bytes: Buffer) => {
    at += writeSync(far, bytes, 0, bytes.length, at)
  }
  const zip = createZip(start)
  for (const name of ['a', 'b'])
    for await (const bytes of zip.add(name, [`contents of ${name}`])) write(bytes)
  write(zip.end())
  closeSync(far)
  const script = `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(archive.infolist()[1].header_offset > 2 ** 32, archive.read('b').decode())`
  t.equal((await run(python, ['-c', script, path])).stdout, 'True contents of b\n')
})

t.test('the requests of the guide are answered', async (t) => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/spreadsheets.md'), 'utf8')
  const requests = [...guide.matchAll(/RelativePath = "(v1\/certificates)",\s+Query = \[([^\]]+)\]/g)]
  t.equal(requests.length, 3)
  for (const [, path, query = ''] of requests) {
    const parameters = new URLSearchParams()
    for (const [, name = '', value = ''] of query.matchAll(/(\w+) = "([^"]+)"/g))
      parameters.append(name, value)
    const { statusCode } = await get(`/${path}?${parameters}`)
    t.equal(statusCode, 200, query)
  }
})
