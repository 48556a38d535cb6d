import { crc32, inflateRawSync } from 'node:zlib'

export type SheetCell = { type: 'text' | 'number' | 'boolean'; format: string; value: string }

/** Reads a ZIP archive by its directory. Throws if a byte of it is wrong. */
export const readZip = (archive: Buffer): Map<string, Buffer> => {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error(`no entry at ${at}`)
    const [crc, packed, size] = [16, 20, 24].map((field) => archive.readUInt32LE(at + field)) as [
      number,
      number,
      number,
    ]
    const length = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + length)
    const offset = archive.readUInt32LE(at + 42)
    if (archive.readUInt32LE(offset) !== 0x04034b50) throw new Error(`no file at ${offset}`)
    const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
    const bytes = inflateRawSync(archive.subarray(start, start + packed))
    if (crc32(bytes) !== crc || bytes.length !== size) throw new Error(`${name} is damaged`)
    const behind = [0, 4, 8, 12].map((field) => archive.readUInt32LE(start + packed + field))
    if (String(behind) !== String([0x08074b50, crc, packed, size]))
      throw new Error(`${name} has another size`)
    files.set(name, bytes)
    at += 46 + length + archive.readUInt16LE(at + 30)
  }
  if (at !== end) throw new Error('the directory is longer than it says')
  return files
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Decodes entities, then `_xHHHH_` (ECMA-376 part 1, 22.9.2.19). Throws if it is no XML. */
const decode = (xml: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of these.
  if (/[\0-\x08\x0b-\x1f\ufffe\uffff<]|&(?!amp;|lt;|gt;)/.test(xml)) throw new Error(`no XML: ${xml}`)
  return xml
    .replace(/&\w+;/g, (entity) => entities[entity] as string)
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const cellForm =
  /<c r="([A-Z]+)(\d+)"(?: s="(\d+)")?(?: t="(\w+)")?>(?:<is><t( xml:space="preserve")?>([^<]*)<\/t><\/is>|<v>([^<]*)<\/v>)<\/c>/y

/** Reads the rows of a sheet, each by the letters of its columns. Throws if a row is not well-formed. */
export const readRows = (xml: string, formats: readonly string[] = []): Record<string, SheetCell>[] =>
  xml
    .split('</row>')
    .slice(0, -1)
    .map((row, index) => {
      const open = `<row r="${index + 1}">`
      const body = row.slice(row.indexOf(open) + open.length)
      if (!row.includes(open) || (index > 0 && !row.startsWith(open))) throw new Error(`no row: ${row}`)
      const cells: Record<string, SheetCell> = {}
      cellForm.lastIndex = 0
      while (cellForm.lastIndex < body.length) {
        const found = cellForm.exec(body)
        if (!found) throw new Error(`no cell: ${body}`)
        const [, letters = '', number, style = '0', type, space, text, value] = found
        if (Number(number) !== index + 1) throw new Error(`${letters}${number} in row ${index + 1}`)
        const kind = type === 'inlineStr' ? 'text' : type === 'b' ? 'boolean' : 'number'
        const format = formats[Number(style)] ?? style
        // Excel removes such blanks.
        if (text && !space && text.trim() !== text) throw new Error(`blanks at the ends of "${text}"`)
        cells[letters] = { type: kind, format, value: text === undefined ? String(value) : decode(text) }
      }
      return cells
    })

/** Lists the format codes by the index of a cell's style. */
const readFormats = (xml: string): string[] => {
  const codes = new Map(
    [...xml.matchAll(/numFmtId="(\d+)" formatCode="([^"]+)"/g)].map(([, id, code]) => [id, code]),
  )
  const [, cells = ''] = /<cellXfs[^>]*>(.*)<\/cellXfs>/s.exec(xml) ?? []
  const known: Record<string, string> = { 0: 'General', 49: '@' }
  return [...cells.matchAll(/numFmtId="(\d+)"/g)].map(
    ([, id = '']) => codes.get(id)?.replaceAll('\\', '') ?? known[id] ?? id,
  )
}

/** Reads the sheets of a workbook, by name. */
export const readWorkbook = (file: Buffer): Map<string, Record<string, SheetCell>[]> => {
  const files = readZip(file)
  const text = (name: string) => {
    const found = files.get(name)
    if (!found) throw new Error(`${name} is missing`)
    return found.toString()
  }
  const relations = new Map(
    [...text('xl/_rels/workbook.xml.rels').matchAll(/Id="(\w+)" Type="[^"]+" Target="([^"]+)"/g)].map(
      ([, id, target]) => [id, `xl/${target}`],
    ),
  )
  const types = text('[Content_Types].xml')
  const formats = readFormats(text('xl/styles.xml'))
  return new Map(
    [...text('xl/workbook.xml').matchAll(/<sheet name="([^"]+)" sheetId="\d+" r:id="(\w+)"/g)].map(
      ([, name, id]) => {
        const path = relations.get(id) as string
        if (!types.includes(`PartName="/${path}"`)) throw new Error(`${path} has no type`)
        return [name as string, readRows(text(path), formats)]
      },
    ),
  )
}

const dayMs = 86_400_000
/** Converts a serial number from 1900-03-01 on to milliseconds since 1970. */
export const getMoment = (serial: string): number => Math.round((Number(serial) - 25_569) * dayMs)
