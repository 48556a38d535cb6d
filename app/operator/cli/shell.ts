import { Command } from 'commander'
import type { Outbound } from '../../http/outbound.ts'

/** Where people or programs read. */
export type Screen = NodeJS.WritableStream & Readonly<{ isTTY?: boolean }>

/** All that commands know of the process they run in; test/architecture.test.ts sees that it is all. */
export type Shell = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  /** Opened by the command that reads it. */
  stdin: AsyncIterable<Uint8Array>
  stdout: Screen
  stderr: Screen
  /** On a signal, runs `release` and then ends the process, even if `release` fails. Returns a function that cancels it. */
  onSignal: (release: () => Promise<void>) => () => void
  /** Sends requests to customers' addresses; absent: through the guard of the service. Tests have receivers of their own. */
  outbound?: Outbound
}>

/** Options of every command. */
export type Output = { json?: true }

/** A command with what every command has. */
export const createCommand = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print the result as JSON')

/** A command that stands for several. */
export const createGroup = (name: string, description: string, ...commands: Command[]): Command => {
  const group = new Command(name).description(description)
  for (const each of commands) group.addCommand(each)
  return group
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
  const format = (cells: string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return table.map((cells) => format(cells).trimEnd()).join('\n')
}

/** One thing, a line for each of its values. */
export const formatFields = (fields: object): string => {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join('\n')
}

/** Fields with a new key, which is not shown again. */
export const formatNewKey = (fields: object): string =>
  `${formatFields(fields)}\n\nThe key is shown this once: only its hash is kept.`

/** Prints the result, for programs or for people. */
export const print = (
  { stdout }: Shell,
  { json }: Output,
  value: object,
  text: string = formatFields(value),
): void => {
  stdout.write(`${json ? JSON.stringify(value) : text}\n`)
}
