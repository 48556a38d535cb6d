/** The kind of a column: a text, an array of texts, a number, a boolean, or an object or array of objects. */
export type CsvKind = 'text' | 'list' | 'number' | 'boolean' | 'json'

const formula = /^'*[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
/** Prevents a spreadsheet from reading the text as a formula. */
const guard = (text: string) => (formula.test(text) ? `'${text}` : text)
const unguard = (text: string) => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text)

const getContent = (value: unknown, kind: CsvKind): string => {
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'list')
    return guard((value as string[]).map((each) => each.replace(/[;\\]/g, '\\$&')).join(';'))
  return kind === 'text' ? guard(String(value)) : String(value)
}

/** Returns the cell of the service's CSV for a value. Empty for null and for an array without texts. */
export const formatCell = (value: unknown, kind: CsvKind): string => {
  if (value === null || (kind === 'list' && (value as string[]).length === 0)) return ''
  const text = getContent(value, kind)
  return text === '' || needsQuotes.test(text) ? quote(text) : text
}

const splitList = (text: string): string[] => {
  const items = ['']
  for (const [part] of text.matchAll(/\\.|[^\\;]+|;/gsu)) {
    if (part === ';') items.push('')
    else items[items.length - 1] += part.startsWith('\\') ? part.slice(1) : part
  }
  return items
}

/**
 * Returns the value of a cell that `splitCsv` returned. An empty cell is null, or an array without texts. Removes the
 * `'` that guards against formulas.
 */
export const parseCell = (cell: string, kind: CsvKind): unknown => {
  if (cell === '') return kind === 'list' ? [] : null
  const text = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
  if (kind === 'text') return unguard(text)
  if (kind === 'list') return splitList(unguard(text))
  return JSON.parse(text)
}

const cellAndEnd = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/y

/**
 * Returns the rows of a CSV text, the header first. Cells keep their quotes, which distinguish `""` from an
 * empty cell.
 */
export const splitCsv = (text: string): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  const cells = new RegExp(cellAndEnd)
  while (cells.lastIndex < text.length || row.length > 0) {
    const { lastIndex } = cells
    const match = cells.exec(text)
    if (!match) throw new SyntaxError(`no CSV at character ${lastIndex}`)
    row.push(match[1] as string)
    if (match[2] === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}
