import type { ColumnKind, ExportColumn } from '../../records/sql/column.ts'
import type { Row, RowBatches } from '../rows.ts'
import { createZip } from '../zip.ts'
import { columnLetters, createRowWriter } from './rows.ts'
import { styles, stylesXml } from './styles.ts'
import { escapeText } from './text.ts'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** In characters. Excel shows a date that does not fit as `####`. */
const widths: Readonly<Record<ColumnKind, number>> = {
  text: 24,
  token: 18,
  date: 12,
  integer: 12,
  number: 12,
  boolean: 12,
  instant: 20,
  texts: 24,
  json: 24,
  periods: 36,
}

// See docs/decisions/0082-xlsx-is-written-here.md.
const sheetHead = (columns: readonly ExportColumn[]): string => {
  const width = ({ name, kind }: ExportColumn, index: number) =>
    `<col min="${index + 1}" max="${index + 1}" width="${Math.max(widths[kind], name.length + 2)}" customWidth="1"/>`
  const name = ({ name }: ExportColumn, index: number) =>
    `<c r="${columnLetters(index)}1" s="${styles.header}" t="inlineStr"><is><t xml:space="preserve">${escapeText(name)}</t></is></c>`
  return `${declaration}<worksheet xmlns="${main}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0">\
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>\
<cols>${columns.map(width).join('')}</cols><sheetData><row r="1">${columns.map(name).join('')}</row>`
}

const sheetTail = (lastCell: string): string =>
  `</sheetData><autoFilter ref="A1:${lastCell}"/>\
<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/></worksheet>`

const each = (count: number, part: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index + 1)).join('')

const sheetName = (number: number) => (number === 1 ? 'data' : `data ${number}`)

/** Parts may have any order (ECMA-376 part 2, 10.2). LibreOffice needs the defined name to show the filters. */
const closingParts = (lastCells: readonly string[], sheets = lastCells.length): Record<string, string> => ({
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${each(
    sheets,
    (number) => `<sheet name="${sheetName(number)}" sheetId="${number}" r:id="rId${number}"/>`,
  )}</sheets><definedNames>${each(
    sheets,
    (number) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${number - 1}" hidden="1">'${sheetName(number)}'!$A$1:${lastCells[number - 1]}</definedName>`,
  )}</definedNames></workbook>`,
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

const maxSheetRows = 1_048_576
/** With up to 3 bytes a character, a sheet needs no ZIP64 sizes, which begin at 4 GiB. */
const maxSheetCharacters = 2 ** 30

/** Writes rows as an XLSX file in constant memory. A new sheet begins above `maxRows` or `maxCharacters`. */
export async function* writeWorkbook(
  batches: RowBatches,
  columns: readonly ExportColumn[],
  { maxRows = maxSheetRows, maxCharacters = maxSheetCharacters } = {},
): AsyncGenerator<Buffer> {
  const zip = createZip()
  const writeRow = createRowWriter(columns)
  const lastColumn = columnLetters(columns.length - 1)
  const lastCells: string[] = []
  const rows = batches[Symbol.asyncIterator]()
  let batch = await rows.next()
  let next = 0

  const writeSheet = async function* (): AsyncGenerator<string> {
    yield sheetHead(columns)
    let [number, characters] = [1, 0]
    const isFull = () => number === maxRows || characters > maxCharacters
    while (!batch.done) {
      let text = ''
      for (; next < batch.value.length && !isFull(); next += 1) {
        number += 1
        const line = writeRow(batch.value[next] as Row, number)
        characters += line.length
        text += line
      }
      yield text
      if (next < batch.value.length) break
      batch = await rows.next()
      next = 0
    }
    lastCells.push(`$${lastColumn}$${number}`)
    yield sheetTail(`${lastColumn}${number}`)
  }
  const writeParts = async function* (parts: Readonly<Record<string, string>>): AsyncGenerator<Buffer> {
    for (const [name, text] of Object.entries(parts)) yield* zip.add(name, [declaration + text])
  }

  yield* writeParts(openingParts)
  do yield* zip.add(`xl/worksheets/sheet${lastCells.length + 1}.xml`, writeSheet())
  while (!batch.done)
  yield* writeParts(closingParts(lastCells))
  yield zip.end()
}
