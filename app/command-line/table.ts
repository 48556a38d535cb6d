import { styleText } from 'node:util'
import type { ApiKey } from '../identity/api-key-store.ts'
import { formatCell, print, type Shell, type TableOutput } from './shell.ts'

const mostColumns = 120
/** Ids are never cut: half an id is of no use. */
const longestCell = 28
const gap = '  '

type Look = { isWide: boolean; hasColors: boolean }
type Style = Parameters<typeof styleText>[0]
const styles: Readonly<Record<string, Style>> = {
  active: 'green',
  ok: 'green',
  approved: 'green',
  pending: 'yellow',
  next: 'yellow',
  open: 'yellow',
  failing: 'yellow',
  replaced: 'yellow',
  revoked: 'red',
  expired: 'red',
  disabled: 'red',
  refused: 'red',
  rejected: 'red',
}
const isJudged = (column: string) => ['state', 'status', 'outcome'].includes(column)

const shorten = (value: unknown): string => {
  const text = formatCell(value)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/.test(text)) return text.slice(0, 16).replace('T', ' ')
  const isId = /^[\w-]+$/.test(text)
  return text.length <= longestCell || isId ? text : `${text.slice(0, longestCell - 1)}…`
}

type Column = { name: string; cells: string[]; width: number }

const toColumns = (rows: readonly object[], format: (value: unknown) => string): Column[] =>
  Object.keys(rows[0] ?? {}).map((name) => {
    const cells = rows.map((row) => format((row as Record<string, unknown>)[name]))
    return { name, cells, width: Math.max(name.length, ...cells.map((cell) => cell.length)) }
  })

const fit = (columns: readonly Column[]): Column[] => {
  const kept = [...columns]
  const width = () => kept.reduce((sum, column) => sum + column.width + gap.length, -gap.length)
  while (kept.length > 1 && width() > mostColumns) kept.pop()
  return kept
}

/**
 * Formats rows as columns with a header, or returns `none`. Cuts long cells, and instants to minutes. Leaves
 * out empty columns, and columns beyond 120 characters, which a last line names. `isWide` shows everything.
 */
export const formatTable = (rows: readonly object[], none: string, { isWide, hasColors }: Look): string => {
  if (rows.length === 0) return none
  const all = toColumns(rows, isWide ? formatCell : shorten)
  const filled = all.filter(({ cells }) => cells.some((cell) => cell !== '-'))
  const shown = isWide ? all : fit(filled)
  const paint = (style: Style | undefined, text: string) =>
    hasColors && style ? styleText(style, text, { validateStream: false }) : text
  const format = (cells: string[], styleOf: (cell: string, column: Column) => Style | undefined) =>
    cells
      .map((cell, index) => {
        const column = shown[index] as Column
        const padding = index === shown.length - 1 ? '' : ' '.repeat(column.width - cell.length)
        return paint(styleOf(cell, column), cell) + padding
      })
      .join(gap)
      .trimEnd()
  const header = format(
    shown.map(({ name }) => name),
    () => 'bold',
  )
  const lines = rows.map((_, row) =>
    format(
      shown.map(({ cells }) => cells[row] as string),
      (cell, { name }) => (isJudged(name) ? styles[cell] : undefined),
    ),
  )
  const hidden = (isWide ? [] : filled).filter((column) => !shown.includes(column)).map(({ name }) => name)
  const note = hidden.length > 0 ? [`Not shown: ${hidden.join(', ')} (--wide)`] : []
  return [header, ...lines, ...note].join('\n')
}

/** Returns the look of tables: colours only on a terminal and without NO_COLOR (no-color.org). */
export const chooseLook = ({ stdout, env }: Shell, { wide }: TableOutput): Look => ({
  isWide: wide === true,
  hasColors: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
})

/** Prints rows as JSON, or as a table of `cells`, or the text `none` without rows. */
export const printTable = (
  shell: Shell,
  options: TableOutput,
  rows: readonly object[],
  { none, cells = rows }: Readonly<{ none: string; cells?: readonly object[] }>,
): void => print(shell, options, rows, formatTable(cells, none, chooseLook(shell, options)))

/** Orders the fields of a key for a table. */
export const toKeyCells = (key: ApiKey): object => {
  const { key_id, customer, name, state, expires_at, last_used_on, scopes, created_at, ...rest } = key
  return { key_id, customer, name, state, expires_at, last_used_on, scopes, created_at, ...rest }
}
