import { Command } from 'commander'
import type { Shell } from './shell.ts'

/** Options of every command. */
export type Output = { json?: true }

/** A command with what every command has. */
export const createCommand = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print the result as JSON')

/** Prints the result, for programs or for people. */
export const print = ({ stdout }: Shell, { json }: Output, value: unknown, text: string): void => {
  stdout.write(`${json ? JSON.stringify(value) : text}\n`)
}

const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** Rows in columns under their names; `none` where there are no rows. */
export const formatTable = (rows: readonly object[], none: string): string => {
  const [first] = rows
  if (!first) return none
  const table = [Object.keys(first), ...rows.map((row) => Object.values(row).map(cellText))]
  const widths = Object.keys(first).map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  )
  return table
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One thing, a line for each of its values. */
export const formatFields = (fields: object): string => {
  const names = Object.keys(fields)
  const width = Math.max(...names.map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join('\n')
}
