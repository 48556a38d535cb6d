import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import t from 'tap'
import { columnLetters, createSheetEncoder } from '../../app/export/xlsx/rows.ts'
import { packWorkbook } from '../../app/export/xlsx/workbook.ts'
import { createZip } from '../../app/export/zip.ts'
import type { ColumnKind, ExportColumn } from '../../app/records/sql/column.ts'
import type { PieceStream } from '../../app/wire/copy-stream.ts'
import { until } from '../helper.ts'
import { toArray, toCell, wildText, writeRows } from './rows.ts'
import { momentOf, readRows, readWorkbook, readZip, type SheetCell } from './xlsx.ts'

/** Rows as PostgreSQL sends them, written as sheets. Every value must come back with its type. */

const columnOf = (kind: ColumnKind, name = 'x'): ExportColumn => ({ name, kind, value: sql`null` })

/** The cell that PostgreSQL's text of a value becomes; undefined: none. */
const cellOf = (kind: ColumnKind, text: string | null): SheetCell | undefined => {
  const xml = writeRows(createSheetEncoder([columnOf(kind)]), [Buffer.from(`${toCell(text)}\n`)])
  const [, row] = readRows(`<row r="1"></row>${xml}`, ['General', 'date', 'instant', '@'])
  return row?.A
}

t.test('texts stay texts, whatever they look like', (t) => {
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
    t.same(cellOf('text', text), { type: 'text', format: '@', value: text }, JSON.stringify(text))
  }
  t.equal(cellOf('text', null), undefined)
  t.end()
})

t.test('numbers, booleans, arrays and objects', (t) => {
  t.same(cellOf('integer', '-14'), { type: 'number', format: 'General', value: '-14' })
  t.same(cellOf('number', '2.5'), { type: 'number', format: 'General', value: '2.5' })
  t.same(cellOf('boolean', 't'), { type: 'boolean', format: 'General', value: '1' })
  t.same(cellOf('boolean', 'f'), { type: 'boolean', format: 'General', value: '0' })
  t.equal(cellOf('texts', toArray(['a', 'b;c', '=x', '']))?.value, 'a;b\\;c;=x;')
  t.equal(cellOf('texts', toArray([])), undefined)
  t.equal(cellOf('texts', toArray(['']))?.value, '')
  t.equal(cellOf('json', '{"a": "<&>"}')?.value, '{"a": "<&>"}')
  for (const kind of ['integer', 'number', 'boolean', 'date', 'instant', 'texts', 'json'] as const) {
    t.equal(cellOf(kind, null), undefined, `${kind} null`)
  }
  t.end()
})

t.test('dates are numbers from 1900-03-01 on, and texts before', (t) => {
  const date = (text: string) => cellOf('date', text)
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
      return momentOf(date(day)?.value as string) === Date.parse(day)
    },
  )
  fc.assert(property)
  t.end()
})

t.test('instants are days with a fraction, to the microsecond', (t) => {
  const instant = (text: string) => cellOf('instant', text)
  const table: [string, string][] = [
    ['2026-11-24 00:00:00+00', '46350.000000000000'],
    ['2026-11-24 12:00:00+00', '46350.500000000000'],
    ['2026-11-24 23:59:59.999999+00', '46350.999999999988'],
    ['2026-11-24 06:00:00.000001+00', '46350.250000000012'],
    ['2026-11-24 06:00:00.5+00', '46350.250005787037'],
    ['1900-03-01 00:00:00+00', '61.000000000000'],
  ]
  for (const [text, value] of table) t.same(instant(text), { type: 'number', format: 'instant', value }, text)
  t.same(instant('1900-02-28 23:59:59.5+00'), {
    type: 'text',
    format: '@',
    value: '1900-02-28T23:59:59.500000Z',
  })
  const { min, max } = { min: new Date('1900-03-01'), max: new Date('9999-12-31') }
  const property = fc.property(fc.date({ min, max, noInvalidDate: true }), (each) => {
    const text = each
      .toISOString()
      .replace('T', ' ')
      .replace(/\.?0*Z$/, '+00')
    return momentOf(instant(text)?.value as string) === each.getTime()
  })
  fc.assert(property)
  t.end()
})

t.test('characters that XML lacks are escaped, and what looks like an escape stays', (t) => {
  const xmlOf = (text: string) => {
    const xml = writeRows(createSheetEncoder([columnOf('text')]), [Buffer.from(`${toCell(text)}\n`)])
    return /<t xml:space="preserve">(.*)<\/t>/s.exec(xml)?.[1]
  }
  const table: [string, string][] = [
    ['a\u0001b', 'a_x0001_b'],
    ['a\r\nb', 'a_x000D_\nb'],
    ['\u001f', '_x001F_'],
    ['\ufffe\uffff\uf8ff\ufeff', '_xFFFE__xFFFF_\uf8ff\ufeff'],
    ['_x0041_', '_x005F_x0041_'],
    ['_X00aF_', '_x005F_X00aF_'],
    ['_x0041_x0042_', '_x005F_x0041_x005F_x0042_'],
    // The escape that follows would end what the underscore begins.
    ['_x0041\u0001', '_x005F_x0041_x0001_'],
    ['_x004', '_x004'],
    ['_xy_ snake_case _', '_xy_ snake_case _'],
    ['<b>&amp;]]>', '&lt;b&gt;&amp;amp;]]&gt;'],
    ['😀\u0085\u2028\u007f', '😀\u0085\u2028\u007f'],
  ]
  for (const [text, xml] of table) {
    t.equal(xmlOf(text), xml, encodeURIComponent(text))
    t.equal(cellOf('text', text)?.value, text)
  }
  t.end()
})

t.test('every text and every array comes back as it was', async (t) => {
  const columns = [columnOf('text', 'a'), columnOf('texts', 'b'), columnOf('json', 'c')]
  const row = fc.tuple(fc.option(wildText, { nil: null }), fc.array(wildText, { maxLength: 4 }), wildText)
  const property = fc.property(fc.array(row, { maxLength: 5 }), (values) => {
    const cells = values.map(([text, list, json]) => [text, toArray(list), JSON.stringify(json)])
    const xml = writeRows(
      createSheetEncoder(columns),
      cells.map((each) => Buffer.from(`${each.map(toCell).join('\t')}\n`)),
    )
    const rows = readRows(`<row r="1"></row>${xml}`).slice(1)
    const joined = (list: readonly string[]) =>
      list.length === 0 ? undefined : list.map((each) => each.replace(/[;\\]/g, '\\$&')).join(';')
    const expected = values.map(([text, list, json]) => [
      text ?? undefined,
      joined(list),
      JSON.stringify(json),
    ])
    return (
      JSON.stringify(rows.map(({ A, B, C }) => [A?.value, B?.value, C?.value])) === JSON.stringify(expected)
    )
  })
  fc.assert(property, { numRuns: 1_000 })
  t.pass()
})

t.test('a text that is too long for a cell is cut between two characters, and says so', (t) => {
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
    t.ok(cellOf('text', text)?.value === value, what)
    t.ok(cellOf('texts', toArray([text]))?.value === value, `${what}, in an array`)
  }
  t.end()
})

/** What the service makes of rows that come in pieces of one. */
const pack = async (columns: ExportColumn[], rows: readonly string[], limits = {}): Promise<Buffer> => {
  const encoder = createSheetEncoder(columns, limits)
  const pieces = rows.map((row) => Buffer.from(writeRows(encoder, [Buffer.from(row)])))
  const source = Object.assign(Readable.from(pieces, { objectMode: false }), { isWritten: () => false })
  return buffer(packWorkbook(source as PieceStream, columns))
}

t.test('a full sheet is followed by another one, each with the names in a frozen row', async (t) => {
  const columns = [columnOf('text', 'a <b>'), columnOf('integer', 'n')]
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `r${index + 1}\t${index + 1}\n`)
  const sheets = async (count: number, limits: object) => {
    const file = await pack(columns, rows(count), limits)
    return [...readWorkbook(file)].map(([name, sheet]) => [name, sheet.map(({ A }) => A?.value)])
  }
  t.same(await sheets(0, { rows: 3 }), [['data', ['a <b>']]])
  t.same(await sheets(2, { rows: 3 }), [['data', ['a <b>', 'r1', 'r2']]], 'just full')
  t.same(await sheets(5, { rows: 3 }), [
    ['data', ['a <b>', 'r1', 'r2']],
    ['data 2', ['a <b>', 'r3', 'r4']],
    ['data 3', ['a <b>', 'r5']],
  ])
  t.same(
    (await sheets(3, { bytes: 200 })).map(([name]) => name),
    ['data', 'data 2'],
    'a sheet stays below the size that ZIP holds',
  )
  const files = readZip(await pack(columns, rows(5), { rows: 3 }))
  for (const number of [1, 2, 3]) {
    const xml = String(files.get(`xl/worksheets/sheet${number}.xml`))
    t.match(xml, '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
    t.ok(xml.endsWith('</sheetData></worksheet>'))
  }
})

t.test('1,048,576 rows are a sheet, the names among them', async (t) => {
  const encoder = createSheetEncoder([columnOf('boolean')])
  const row = Buffer.from('t\n')
  const from = { view: new DataView(Uint8Array.from([...row, 0, 0, 0, 0]).buffer), at: 0 }
  const to = { view: new DataView(new ArrayBuffer(encoder.bound(row.length))), at: 0 }
  const first = () => {
    from.at = to.at = 0
    encoder.write(from, to)
    return to.view.getUint8(0)
  }
  for (let number = 2; number <= 1_048_576; number++)
    if (first() === 0) t.fail(`a break before row ${number}`)
  t.equal(first(), 0, 'then comes another sheet')
  t.match(
    Buffer.from(to.view.buffer, 1, to.at - 1).toString(),
    '<row r="2"><c r="A2" t="b"><v>1</v></c></row>',
  )
})

t.test(
  'an error of the rows ends the file with that error, and destroying the file destroys the rows',
  async (t) => {
    const columns = [columnOf('text')]
    const rows = () =>
      Object.assign(new Readable({ read: () => {} }), { isWritten: () => false }) as unknown as PieceStream
    const failing = rows()
    const cut = packWorkbook(failing, columns)
    failing.push('<row r="2"></row>')
    const read = buffer(cut)
    failing.destroy(new Error('the database is gone'))
    await t.rejects(read, { message: 'the database is gone' })
    const left = rows()
    const closed = new Promise((resolve) => left.once('close', resolve))
    packWorkbook(left, columns)
      .on('error', () => {})
      .destroy()
    await closed
    t.ok(left.destroyed)
  },
)

t.test('the memory of rows may be written to again once they are compressed, and not before', async (t) => {
  const rows = new Readable({ read: () => {} }) as PieceStream
  const file = packWorkbook(rows, [columnOf('text')])
  t.ok(rows.isWritten(), 'nothing is under way')
  file.once('data', () => t.notOk(rows.isWritten(), 'the compressor reads them')).resume()
  rows.push(Buffer.from('<row r="2"></row>'.repeat(10_000)))
  await until('all is compressed', async () => rows.readableLength === 0 && rows.isWritten())
  rows.push(null)
  await finished(file)
})

t.test('letters of columns', (t) => {
  const letters = [0, 25, 26, 51, 52, 701, 702, 16_383].map(columnLetters)
  t.same(letters, ['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA', 'XFD'])
  t.end()
})

t.test('beyond 4 GiB the directory is one of ZIP64', async (t) => {
  const write = async (offset: number) => {
    const parts: Buffer[] = []
    const zip = createZip((bytes) => parts.push(bytes), offset)
    for (const name of ['a', 'b']) {
      const file = zip.open(name)
      await file.write(Buffer.from(`contents of ${name}`))
      await file.end()
    }
    zip.end()
    return Buffer.concat(parts)
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
