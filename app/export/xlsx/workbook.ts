import { pipeline, type Readable, Transform } from 'node:stream'
import type { ColumnKind, ExportColumn } from '../../records/sql/column.ts'
import type { PieceStream } from '../../wire/copy-stream.ts'
import { createZip, type Zip, type ZipFile } from '../zip.ts'
import { columnLetters, sheetBreak } from './rows.ts'
import { styles, stylesXml } from './styles.ts'
import { escapeText } from './text.ts'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** In characters: a date that does not fit is shown as `####`. */
const widths: Readonly<Record<ColumnKind, number>> = {
  ...{
    text: 24,
    token: 18,
    date: 12,
    integer: 12,
    number: 12,
    boolean: 12,
    instant: 20,
    texts: 24,
    json: 24,
  },
}

/** What stands before a sheet's rows: widths, and the names in a row that stays in sight. */
const sheetHead = (columns: readonly ExportColumn[]): string => {
  const width = ({ name, kind }: ExportColumn, index: number) =>
    `<col min="${index + 1}" max="${index + 1}" width="${Math.max(widths[kind], name.length + 2)}" customWidth="1"/>`
  const name = ({ name }: ExportColumn, index: number) =>
    `<c r="${columnLetters(index)}1" s="${styles.header}" t="inlineStr"><is><t xml:space="preserve">${escapeText(name)}</t></is></c>`
  return `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">\
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>\
<cols>${columns.map(width).join('')}</cols><sheetData><row r="1">${columns.map(name).join('')}</row>`
}

const sheetTail = '</sheetData></worksheet>'

/** Numbers from 1 to `count`, each as a part of a text. */
const each = (count: number, part: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index + 1)).join('')

/** The parts that name the sheets: known last, and nothing asks for an order (ECMA-376 part 2, 10.2). */
const closingParts = (sheets: number): Record<string, string> => ({
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${each(
    sheets,
    (number) =>
      `<sheet name="data${number === 1 ? '' : ` ${number}`}" sheetId="${number}" r:id="rId${number}"/>`,
  )}</sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships">${each(
    sheets,
    (number) =>
      `<Relationship Id="rId${number}" Type="${relationships}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  )}<Relationship Id="rId${sheets + 1}" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
  '[Content_Types].xml': `<Types xmlns="${packages}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>${each(
    sheets,
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${types}.worksheet+xml"/>`,
  )}</Types>`,
})

const openingParts: Readonly<Record<string, string>> = {
  '_rels/.rels': `<Relationships xmlns="${packages}/relationships">\
<Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/styles.xml': stylesXml,
}

const addParts = async (zip: Zip, parts: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(parts)) {
    const part = zip.open(name)
    await part.write(Buffer.from(declaration + text))
    await part.end()
  }
}

/** Writes a workbook into an archive: rows go to the sheet that is open, until a `sheetBreak`. */
const createWorkbook = (zip: Zip, head: Buffer) => {
  let sheets = 0
  let sheet: ZipFile | undefined

  const openSheet = async (): Promise<ZipFile> => {
    if (sheets === 0) await addParts(zip, openingParts)
    sheets += 1
    sheet = zip.open(`xl/worksheets/sheet${sheets}.xml`)
    await sheet.write(head)
    return sheet
  }
  const closeSheet = async (): Promise<void> => {
    const open = sheet ?? (await openSheet())
    await open.write(Buffer.from(sheetTail))
    await open.end()
    sheet = undefined
  }
  return {
    async write(rows: Buffer): Promise<void> {
      let start = 0
      for (let at = rows.indexOf(sheetBreak); at !== -1; at = rows.indexOf(sheetBreak, start)) {
        if (at > start) await (sheet ?? (await openSheet())).write(rows.subarray(start, at))
        await closeSheet()
        start = at + 1
      }
      if (start < rows.length) await (sheet ?? (await openSheet())).write(rows.subarray(start))
    },
    async end(): Promise<void> {
      await closeSheet()
      await addParts(zip, closingParts(sheets))
      zip.end()
    },
  }
}

/**
 * Returns rows of sheets as an XLSX file, in constant memory. An error of the rows ends it with that error.
 * Destroying it destroys the rows.
 */
export const packWorkbook = (rows: PieceStream, columns: readonly ExportColumn[]): Readable => {
  const zip = createZip((bytes) => file.push(bytes))
  const workbook = createWorkbook(zip, Buffer.from(sheetHead(columns)))
  const file = new Transform({
    transform: (piece, _encoding, done) => void workbook.write(piece).then(() => done(), done),
    flush: (done) => void workbook.end().then(() => done(), done),
    destroy(error, done) {
      zip.destroy()
      done(error)
    },
  })
  rows.isWritten = () => file.writableLength === 0
  return pipeline(rows, file, () => {})
}
