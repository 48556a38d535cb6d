import { make } from '../../../site/browser/ui.js'
import { zip } from './zip.js'

/**
 * Writes tables as workbooks of Excel (ECMA-376). See docs/decisions/0257-the-demo-writes-its-workbooks.md.
 * @typedef {import('./table.js').Column} Column
 */

const schemas = 'http://schemas.openxmlformats.org'
const main = `${schemas}/spreadsheetml/2006/main`
const relationships = `${schemas}/officeDocument/2006/relationships`
const packages = `${schemas}/package/2006`
const format = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const styles = { header: 1, date: 2, instant: 3 }
const dayMs = 86_400_000
/** The day 0 of Excel. */
const epochMs = Date.UTC(1899, 11, 30)
const isoDate = /^\d{4}-\d\d-\d\d$/
/** In characters. */
const mostWidth = 60

/** @param {string} text */
const escapeText = (text) =>
  // Other control characters are not allowed in XML.
  text
    .replace(/(?![\t\n\r])\p{Cc}/gu, '')
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

/** @param {string} at such as `B2` @param {string} text @param {number} style */
const textCell = (at, text, style = 0) =>
  `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`

/** @param {string} at @param {number} ms @param {number} style */
const dateCell = (at, ms, style) => `<c r="${at}" s="${style}"><v>${(ms - epochMs) / dayMs}</v></c>`

/** @param {Node | string} content */
const toText = (content) => (typeof content === 'string' ? content : (content.textContent ?? ''))

/** Text such as `2026-01-31` becomes a date of Excel. @param {Column} column @param {any} row @param {string} at */
const toCell = ({ of, instant }, row, at) => {
  if (instant) return dateCell(at, Date.parse(instant(row)), styles.instant)
  const text = toText(of(row))
  return isoDate.test(text) ? dateCell(at, Date.parse(text), styles.date) : textCell(at, text)
}

/** @param {readonly Column[]} columns @param {readonly any[]} records */
const toSheet = (columns, records) => {
  const letters = columns.map((_, index) => String.fromCharCode(65 + index))
  const head = columns.map(({ title }, index) => textCell(`${letters[index]}1`, title, styles.header))
  const rows = records.map((row, number) => {
    const cells = columns.map((column, index) => toCell(column, row, `${letters[index]}${number + 2}`))
    return `<row r="${number + 2}">${cells.join('')}</row>`
  })
  const widths = columns.map(({ title, of }, index) => {
    const longest = Math.max(title.length, ...records.map((row) => toText(of(row)).length))
    return `<col min="${index + 1}" max="${index + 1}" width="${Math.min(longest, mostWidth) + 3}" customWidth="1"/>`
  })
  return `<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData><row r="1">${head.join('')}</row>${rows.join('')}</sheetData><autoFilter ref="A1:${letters.at(-1)}${records.length + 1}"/></worksheet>`
}

const constantParts = {
  '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${format}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${format}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${format}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
  // The formats of cells are in the order of `styles`. 14 is a date in the reader's language.
  'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`,
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** Downloads all rows of a table, also those that the page does not show. @param {import('./stage.js').Table} table */
export const downloadWorkbook = ({ columns, records, name }) => {
  const files = { ...constantParts, 'xl/worksheets/sheet1.xml': toSheet(columns, records) }
  const declared = Object.entries(files).map(([path, text]) => [path, declaration + text])
  const href = URL.createObjectURL(zip(Object.fromEntries(declared)))
  make('a', { href, download: `${name}.xlsx` }).click()
  URL.revokeObjectURL(href)
}
