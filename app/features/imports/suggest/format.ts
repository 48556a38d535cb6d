import { formatSplit } from '../table/separators.ts'
import type { SuggestedColumn, Suggestion } from './index.ts'
import type { UnknownValue } from './values.ts'

const maxValues = 100

const quoteColumn = (name: string): string =>
  /^[^\s#"={}][^"={}\r\n]*$/.test(name) ? name : JSON.stringify(name)

const quoteValue = (text: string): string =>
  /^[^\s#,:{}"][^,:{}"\n]*$/.test(text) && !/\s#/.test(text) && text !== 'null' ? text : JSON.stringify(text)

const formatValue = ({ text, count, replacement }: UnknownValue): string =>
  `  ${`${quoteValue(text)}: ${replacement ?? ''}`.padEnd(40)} # ${count.toLocaleString('en')}×`

const listComments = ({ name, fields, values, unknown, example, isRunning }: SuggestedColumn): string[] => {
  const comments: string[] = []
  if (fields.length === 0)
    comments.push(`# No field is near, so the column is ignored. It has ${JSON.stringify(example ?? '')}`)
  if (fields.includes('id') && isRunning)
    comments.push(
      `# ${quoteColumn(name)} is a running number. Use it as id only if no row ever gets the number of another one`,
    )
  if (unknown.length > 0 && values.length > 0) comments.push(`# One of: ${values.join(', ')}`)
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

/** Formats a map file. `command`: imports the table with this file. */
export const formatMap = (suggestion: Suggestion, command: string): string => {
  const { rows, columns, missing, dates } = suggestion
  const comments = [
    `# ${columns.length} columns, ${rows.toLocaleString('en')} rows. Correct this file, then check the table:`,
    `#   ${command}`,
    '# A column without a field is ignored. Write a replacement behind each value; null empties the cell.',
    '# A value without a replacement stays as it is.',
  ]
  if (dates.length > 1)
    comments.push(`# No day is after the 12th, so the dates may be ${dates.join(' or ')}: choose --dates.`)
  if (missing.length > 0)
    comments.push(`# Required, but without a column: ${missing.join(', ')}. Give each a column.`)
  return `${comments.join('\n')}\n\n${columns.map(formatColumn).join('\n')}\n`
}
