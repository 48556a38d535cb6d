import { formatSplit } from '../table/separators.ts'
import type { SuggestedColumn, Suggestion } from './index.ts'
import type { UnknownValue } from './values.ts'

const maxValues = 100

const expiredHint =
  '# Expired is computed from valid_until: write approved for a word such as abgelaufen, and map the date'

const quoteColumn = (name: string): string =>
  /^[^\s#"={}][^"={}\r\n]*$/.test(name) ? name : JSON.stringify(name)

const quoteValue = (text: string): string =>
  /^[^\s#,:{}"][^,:{}"\n]*$/.test(text) && !/\s#/.test(text) && text !== 'null' ? text : JSON.stringify(text)

const formatValue = ({ text, count, replacement }: UnknownValue): string =>
  `  ${`${quoteValue(text)}: ${replacement ?? ''}`.padEnd(40)} # ${count.toLocaleString('en')}×`

const listComments = ({
  name,
  fields,
  values,
  unknown,
  example,
  isRunning,
  isNearlyId,
}: SuggestedColumn): string[] => {
  const comments: string[] = []
  if (fields.length === 0)
    comments.push(`# No field is near, so the column is ignored. It has ${JSON.stringify(example ?? '')}`)
  if (fields.includes('id') && isRunning)
    comments.push(
      `# ${quoteColumn(name)} is a running number. Use it as id only if no row ever gets the number of another one`,
    )
  if (isNearlyId)
    comments.push(
      `# Each row has another value, but an id has only A-Z a-z 0-9 . _ ~ -. Add a column for the id with a formula such as =SUBSTITUTE(A2,"/","-"), in German Excel =WECHSELN(A2;"/";"-")`,
    )
  if (unknown.length > 0 && values.length > 0) comments.push(`# One of: ${values.join(', ')}`)
  if (unknown.length > 0 && fields.includes('approval_status')) comments.push(expiredHint)
  return comments
}

const formatColumn = (column: SuggestedColumn): string => {
  const { name, fields, separators, unknown } = column
  const split = separators === undefined ? '' : ` ${formatSplit(separators)}`
  const mapping = `${quoteColumn(name)} = ${fields.join(', ')}`.trimEnd()
  const shown = unknown.slice(0, maxValues).map(formatValue)
  const left = unknown.length - shown.length
  const more = left > 0 ? [`  # … and ${left.toLocaleString('en')} other values`] : []
  const values = shown.length > 0 ? ` {\n${[...shown, ...more].join('\n')}\n}` : ''
  return [...listComments(column), `${mapping}${values}${split}`].join('\n')
}

const maxLineLength = 100

const wrapWords = (words: readonly string[]): string[] => {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 1 <= maxLineLength)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Formats a map file. `command`: imports the table with this file. */
export const formatMap = (suggestion: Suggestion, command: string): string => {
  const { resource, fields, rows, columns, missing, dates } = suggestion
  const comments = [
    `# ${columns.length} columns, ${rows.toLocaleString('en')} rows. Correct this file, then check the table:`,
    `#   ${command}`,
    '# A column without a field is ignored. Write a replacement behind each value; null empties the cell.',
    '# A value without a replacement stays as it is.',
    `# Fields of ${resource}:`,
    ...wrapWords(fields).map((line) => `#   ${line}`),
  ]
  if (dates.length > 1)
    comments.push(`# No day is after the 12th, so the dates may be ${dates.join(' or ')}: choose --dates.`)
  if (missing.length > 0)
    comments.push(`# Required, but without a column: ${missing.join(', ')}. Give each a column.`)
  return `${comments.join('\n')}\n\n${columns.map(formatColumn).join('\n')}\n`
}
