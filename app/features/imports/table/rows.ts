import { isUtf8 } from 'node:buffer'
import { pipeline, Readable } from 'node:stream'
import { type InfoField, type InfoRecord, type Options, parse } from 'csv-parse'
import { maxLineBytes } from '../../../import/lines.ts'

/** `null`: empty without quotes. `undefined`: not UTF-8. */
export type TableCell = string | null | undefined

/** `line`: of the file, in which the row starts. `fault`: why the cells are invalid. */
export type TableRow = { line: number; cells: TableCell[]; fault?: string }

export type Dialect = { delimiter: string; lineEnds: string[]; hasSeparatorLine: boolean }

const separatorLine = /^"?sep=([!-/:;|~]|\t)"?[ \t]*[\r\n]/i

const skipLines = (text: string, count: number) =>
  text
    .split(/\r\n|[\r\n]/)
    .slice(count)
    .join('\n')

const separators = [',', ';', '\t'] as const

/**
 * Detects the separator: in Excel's line `sep=;`, or the most frequent of comma, semicolon and tab in the header.
 * `headerLine` counts from 1. `lines`: the number of lines in which separators are counted.
 */
export const findDialect = (head: string, headerLine = 1, lines = 1): Dialect => {
  const unquoted = head.replace(/"[^"]*"/g, '')
  const lineEnds = !unquoted.includes('\n') && unquoted.includes('\r') ? ['\r'] : ['\r\n', '\n']
  const named = separatorLine.exec(head)?.[1]
  if (named) return { delimiter: named, lineEnds, hasSeparatorLine: true }
  const below = headerLine === 1 ? unquoted : skipLines(head, headerLine - 1).replace(/"[^"]*"/g, '')
  const header = below.replace(/^[\r\n ]+/, '').split(/[\r\n]+/, lines)
  const count = (delimiter: string) => header.join('').split(delimiter).length
  const [delimiter = ','] = separators.toSorted((a, b) => count(b) - count(a))
  return { delimiter, lineEnds, hasSeparatorLine: false }
}

/** `find` returns the line of a position in the stream. Positions must rise. */
const createLineCounter = (lineEnd: string) => {
  const end = lineEnd.charCodeAt(0)
  let positions: number[] = []
  let next = 0
  let lines = 1
  let sizeBytes = 0
  return {
    add(chunk: Uint8Array) {
      positions = positions.slice(next)
      next = 0
      for (let at = chunk.indexOf(end); at !== -1; at = chunk.indexOf(end, at + 1))
        positions.push(sizeBytes + at)
      sizeBytes += chunk.length
    },
    find(position: number): number {
      while ((positions[next] ?? Number.POSITIVE_INFINITY) < position) {
        next += 1
        lines += 1
      }
      return lines
    },
  }
}

const beyondAscii = /[\x80-\xff]/

/** `bytes`: a character for each byte. */
const decodeCell = (bytes: string): string | undefined => {
  if (!beyondAscii.test(bytes)) return bytes
  const buffer = Buffer.from(bytes, 'latin1')
  return isUtf8(buffer) ? buffer.toString() : undefined
}

const countQuotes = (text: string) => text.split('"').length - 1

/** `source`: UTF-8. Skips blank rows, not `sep=`. Throws for a row above 1 MiB, and errors of the source. */
export async function* parseRows(
  source: AsyncIterable<Uint8Array>,
  dialect: Dialect,
): AsyncGenerator<TableRow> {
  const lineEnd = dialect.lineEnds.at(-1) as string
  const counter = createLineCounter(lineEnd)
  const unclosed: TableRow[] = []
  let cellStart = 0
  let isBroken = false
  let [line, lastLine] = [1, 1]

  const readCell = (bytes: string, { quoting, column, bytes: cellEnd }: InfoField): TableCell => {
    // Finds text after a closing quote, which the parser accepts: the cell is longer than its quoted text.
    if (quoting && cellEnd - cellStart !== bytes.length + 2 + countQuotes(bytes)) isBroken = true
    cellStart = cellEnd + 1
    lastLine = counter.find(cellEnd)
    if (column === 0) line = lastLine - (bytes.split(lineEnd).length - 1)
    return bytes === '' && !quoting ? null : decodeCell(bytes)
  }
  const readRow = (cells: TableCell[], { bytes: rowEnd }: InfoRecord): TableRow => {
    cellStart = rowEnd
    if (!isBroken) return { line, cells }
    isBroken = false
    const place = lastLine > line ? `in lines ${line} to ${lastLine}` : 'in this line'
    return { line, cells, fault: `text after a closing quote ${place}: double each quote within a cell` }
  }
  const options: Options<TableRow, TableCell[]> = {
    delimiter: dialect.delimiter,
    record_delimiter: dialect.lineEnds,
    // Keeps the bytes: `decodeCell` detects those that are not UTF-8.
    encoding: 'latin1',
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: maxLineBytes,
    skip_records_with_error: true,
    on_skip: (error) => {
      const at = counter.find(Number(error?.bytes))
      if (error?.code === 'CSV_MAX_RECORD_SIZE') {
        throw new Error(`line ${at}: longer than ${maxLineBytes} bytes, or a quote is not closed`)
      }
      unclosed.push({ line: at, cells: [], fault: 'a quote is not closed' })
      return undefined
    },
    cast: readCell,
    on_record: readRow,
  }
  const parser = parse(options as object)
  const watched = async function* () {
    for await (const chunk of source) {
      counter.add(chunk)
      yield chunk
    }
  }
  pipeline(Readable.from(watched(), { objectMode: false }), parser, () => {})
  for await (const row of parser as AsyncIterable<TableRow>) {
    if (row.cells.some((cell) => cell !== null)) yield row
  }
  yield* unclosed
}
