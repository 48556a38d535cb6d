import { sql } from 'kysely'
import t from 'tap'
import { writeLines } from '../../app/export/json-lines.ts'
import type { Cell, Row, RowBatches } from '../../app/export/rows.ts'
import { columnLetters, createRowWriter } from '../../app/export/xlsx/rows.ts'
import { writeWorkbook } from '../../app/export/xlsx/workbook.ts'
import { createZip } from '../../app/export/zip.ts'
import type { ColumnKind, ExportColumn } from '../../app/records/sql/column.ts'
import { fc } from '../random.ts'
import { collect, inBatches } from './rows.ts'
import { getMoment, readRows, readWorkbook, readZip, type SheetCell } from './xlsx.ts'

const getColumn = (kind: ColumnKind, name = 'x'): ExportColumn => ({ name, kind, value: sql`null` })

const formats = ['General', 'date', 'instant', '@']
const toRows = (columns: ExportColumn[], rows: readonly Row[]) => {
  const writeRow = createRowWriter(columns)
  const xml = rows.map((row, index) => writeRow(row, index + 2)).join('')
  return readRows(`<row r="1"></row>${xml}`, formats).slice(1)
}

const getCell = (kind: ColumnKind, value: Cell): SheetCell | undefined =>
  toRows([getColumn(kind)], [[value]])[0]?.A

t.test('keeps texts as texts, even if they look like numbers or dates', (t) => {
  for (const text of [
    '00123',
    '=1+1',
    '1E10',
    '-5',
    '+49',
    '@x',
    'TRUE',
    '2026-11-24',
    '',
    ' a ',
    '\t',
    'a\nb',
  ]) {
    t.same(getCell('text', text), { type: 'text', format: '@', value: text }, JSON.stringify(text))
  }
  t.equal(getCell('text', null), undefined)
  t.end()
})

t.test('writes numbers, booleans, arrays and objects', (t) => {
  t.same(getCell('integer', -14), { type: 'number', format: 'General', value: '-14' })
  t.same(getCell('number', '2.5'), { type: 'number', format: 'General', value: '2.5' })
  t.same(getCell('boolean', true), { type: 'boolean', format: 'General', value: '1' })
  t.same(getCell('boolean', false), { type: 'boolean', format: 'General', value: '0' })
  t.equal(getCell('texts', ['a', 'b;c', '=x', ''])?.value, 'a;b\\;c;=x;')
  t.equal(getCell('texts', []), undefined)
  t.equal(getCell('texts', [''])?.value, '')
  t.equal(getCell('json', '{"a": "<&>"}')?.value, '{"a": "<&>"}')
  const periods = [
    { from: '2024-04-24', until: '2029-04-24', basis: 'initial' },
    { from: '2029-04-25', until: null, basis: 'renewal' },
  ]
  t.equal(
    getCell('periods', JSON.stringify(periods))?.value,
    '2024-04-24 to 2029-04-24 (initial); 2029-04-25 to unlimited (renewal)',
  )
  t.equal(getCell('periods', '[]'), undefined)
  for (const kind of ['integer', 'number', 'boolean', 'date', 'instant', 'texts', 'json'] as const) {
    t.equal(getCell(kind, null), undefined, `${kind} null`)
  }
  t.end()
})

t.test('dates are numbers from 1900-03-01 on, and texts before', (t) => {
  const date = (text: string) => getCell('date', text)
  const table: [string, string][] = [
    ['1900-03-01', '61'],
    ['1970-01-01', '25569'],
    ['2000-02-29', '36585'],
    ['2026-11-24', '46350'],
    ['9999-12-31', '2958465'],
  ]
  for (const [text, value] of table) t.same(date(text), { type: 'number', format: 'date', value }, text)
  for (const text of ['1900-02-28', '1899-12-31', '0099-01-01', '10000-01-01', '0044-03-15 BC', 'infinity'])
    t.same(date(text), { type: 'text', format: '@', value: text }, text)
  const property = fc.property(
    fc.date({ min: new Date('1900-03-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
    (each) => {
      const day = each.toISOString().slice(0, 10)
      return getMoment(date(day)?.value as string) === Date.parse(day)
    },
  )
  fc.assert(property)
  t.end()
})

t.test('instants are days with a fraction, to the microsecond', (t) => {
  const instant = (text: string) => getCell('instant', text)
  const table: [string, string][] = [
    ['2026-11-24T00:00:00.000000Z', '46350.000000000000'],
    ['2026-11-24T12:00:00.000000Z', '46350.500000000000'],
    ['2026-11-24T23:59:59.999999Z', '46350.999999999988'],
    ['2026-11-24T06:00:00.000001Z', '46350.250000000012'],
    ['2026-11-24T06:00:00.500000Z', '46350.250005787037'],
    ['1900-03-01T00:00:00.000000Z', '61.000000000000'],
  ]
  for (const [text, value] of table) t.same(instant(text), { type: 'number', format: 'instant', value }, text)
  t.same(instant('1900-02-28T23:59:59.500000Z'), {
    type: 'text',
    format: '@',
    value: '1900-02-28T23:59:59.500000Z',
  })
  const { min, max } = { min: new Date('1900-03-01'), max: new Date('9999-12-31') }
  const property = fc.property(fc.date({ min, max, noInvalidDate: true }), (each) => {
    const text = each.toISOString().replace('Z', '000Z')
    return getMoment(instant(text)?.value as string) === each.getTime()
  })
  fc.assert(property)
  t.end()
})

t.test('characters that XML lacks are escaped, and text that looks like an escape is unchanged', (t) => {
  const getXml = (text: string) => {
    const xml = createRowWriter([getColumn('text')])([text], 2)
    return /<t(?: xml:space="preserve")?>(.*)<\/t>/s.exec(xml)?.[1]
  }
  const table: [string, string][] = [
    ['a\u0001b', 'a_x0001_b'],
    ['a\r\nb', 'a_x000D_\nb'],
    ['\u001f', '_x001F_'],
    ['\ufffe\uffff\uf8ff\ufeff', '_xFFFE__xFFFF_\uf8ff\ufeff'],
    ['_x0041_', '_x005F_x0041_'],
    ['_X00aF_', '_x005F_X00aF_'],
    ['_x0041_x0042_', '_x005F_x0041_x005F_x0042_'],
    // The escape of U+0001 would complete the one that the underscore begins.
    ['_x0041\u0001', '_x005F_x0041_x0001_'],
    ['_x004', '_x004'],
    ['_xy_ snake_case _', '_xy_ snake_case _'],
    ['<b>&amp;]]>', '&lt;b&gt;&amp;amp;]]&gt;'],
    ['😀\u0085\u2028\u007f', '😀\u0085\u2028\u007f'],
  ]
  for (const [text, xml] of table) {
    t.equal(getXml(text), xml, encodeURIComponent(text))
    t.equal(getCell('text', text)?.value, text)
  }
  t.end()
})

t.test('a text longer than a cell is cut between two characters, and marked', (t) => {
  const mark = ' … [cut: a cell holds 32,767 characters]'
  const room = 32_767 - mark.length
  const table: [what: string, text: string, value: string][] = [
    ['just as long', 'x'.repeat(32_767), 'x'.repeat(32_767)],
    ['one too many', 'x'.repeat(32_768), 'x'.repeat(room) + mark],
    ['more bytes, not more characters', 'é'.repeat(32_767), 'é'.repeat(32_767)],
    ['pairs just as long', `x${'😀'.repeat(16_383)}`, `x${'😀'.repeat(16_383)}`],
    ['pairs', '😀'.repeat(16_384), '😀'.repeat(Math.floor(room / 2)) + mark],
    ['an escape is a character', '\u0001'.repeat(32_767), '\u0001'.repeat(32_767)],
    ['entities are characters', '&'.repeat(40_000), '&'.repeat(room) + mark],
  ]
  for (const [what, text, value] of table) {
    t.ok(getCell('text', text)?.value === value, what)
    t.ok(getCell('texts', [text])?.value === value, `${what}, in an array`)
  }
  t.end()
})

const pack = (columns: ExportColumn[], rows: readonly Row[], limits = {}): Promise<Buffer> =>
  collect(writeWorkbook(inBatches(rows), columns, limits))

t.test('a full sheet is followed by another one, each with the names in a frozen row', async (t) => {
  const columns = [getColumn('text', 'a <b>'), getColumn('integer', 'n')]
  const rows = (count: number): Row[] =>
    Array.from({ length: count }, (_, index) => [`r${index + 1}`, index + 1])
  const sheets = async (count: number, limits: object) => {
    const file = await pack(columns, rows(count), limits)
    return [...readWorkbook(file)].map(([name, sheet]) => [name, sheet.map(({ A }) => A?.value)])
  }
  t.same(await sheets(0, { maxRows: 3 }), [['data', ['a <b>']]])
  t.same(await sheets(2, { maxRows: 3 }), [['data', ['a <b>', 'r1', 'r2']]], 'just full')
  t.same(await sheets(5, { maxRows: 3 }), [
    ['data', ['a <b>', 'r1', 'r2']],
    ['data 2', ['a <b>', 'r3', 'r4']],
    ['data 3', ['a <b>', 'r5']],
  ])
  t.same(
    (await sheets(3, { maxCharacters: 150 })).map(([name]) => name),
    ['data', 'data 2'],
    'a sheet stays below the size that ZIP holds',
  )
  const files = readZip(await pack(columns, rows(5), { maxRows: 3 }))
  t.match(String(files.get('xl/workbook.xml')), `localSheetId="2" hidden="1">'data 3'!$A$1:$B$2<`)
  for (const number of [1, 2, 3]) {
    const xml = String(files.get(`xl/worksheets/sheet${number}.xml`))
    t.match(xml, '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
    t.match(xml, `</sheetData><autoFilter ref="A1:B${number === 3 ? 2 : 3}"/>`)
    t.match(
      xml,
      /<sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr>.*<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"\/><\/worksheet>$/s,
    )
  }
})

t.test('an error of the rows ends the file with that error', async (t) => {
  const failing = async function* (): RowBatches {
    yield [['x']]
    throw new Error('the database is gone')
  }
  await t.rejects(collect(writeWorkbook(failing(), [getColumn('text')])), { message: 'the database is gone' })
})

t.test('names columns by letters', (t) => {
  const letters = [0, 25, 26, 51, 52, 701, 702, 16_383].map(columnLetters)
  t.same(letters, ['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA', 'XFD'])
  t.end()
})

t.test('beyond 4 GiB the directory uses ZIP64', async (t) => {
  const write = async (offset: number) => {
    const zip = createZip(offset)
    const files = [
      await collect(zip.add('a', ['contents', ' of a'])),
      await collect(zip.add('b', ['contents of b'])),
    ]
    return Buffer.concat([...files, zip.end()])
  }
  const near = await write(0)
  t.equal(String(readZip(near).get('b')), 'contents of b')
  t.equal(near.indexOf(Buffer.from('PK\x06\x06', 'latin1')), -1)
  const start = 5 * 2 ** 30
  const far = await write(start)
  const end = far.indexOf(Buffer.from('PK\x06\x06', 'latin1'))
  const directory = Number(far.readBigUInt64LE(end + 48)) - start
  t.equal(far.readUInt32LE(directory), 0x02014b50, 'it says where the directory is')
  t.equal(Number(far.readBigUInt64LE(end + 40)), end - directory, 'and how long')
  t.equal(far.readUInt32LE(directory + 42), 0xffffffff)
  t.same([far.readUInt16LE(directory + 47), far.readUInt16LE(directory + 49)], [1, 8], 'the extra field')
  t.equal(Number(far.readBigUInt64LE(directory + 51)), start, 'the first file')
  t.equal(Number(far.readBigUInt64LE(end + 56 + 8)) - start, end, 'the locator')
  t.equal(far.readUInt32LE(end + 76), 0x06054b50)
})

t.test('NDJSON is a line for each row', async (t) => {
  const lines = await collect(writeLines(inBatches([['{"a":1}'], ['{"a":"\\n"}'], ['{}']])))
  t.equal(lines.toString(), '{"a":1}\n{"a":"\\n"}\n{}\n')
  t.equal((await collect(writeLines(inBatches([])))).length, 0)
})
