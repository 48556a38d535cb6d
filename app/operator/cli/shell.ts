import { Command } from 'commander'
import type { Outbound } from '../../http/outbound.ts'

/** A terminal, file or pipe. */
export type Screen = NodeJS.WritableStream & Readonly<{ isTTY?: boolean }>

/** The only access of commands to their process; test/architecture.test.ts checks it. */
export type Shell = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  /** Opened by the command that reads it. */
  stdin: AsyncIterable<Uint8Array>
  stdout: Screen
  stderr: Screen
  /** On a signal, runs `release`, then exits, even after a failure. The returned function cancels it. */
  onSignal: (release: () => Promise<void>) => () => void
  /** For requests to customers' URLs. Optional. Defaults to the guarded client; tests pass their own. */
  outbound?: Outbound
}>

export type Output = { json?: true }

/** Creates a command with the common options. */
export const createCommand = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print the result as JSON')

/** Creates a command with subcommands. */
export const createGroup = (name: string, description: string, ...commands: Command[]): Command => {
  const group = new Command(name).description(description)
  for (const each of commands) group.addCommand(each)
  return group
}

const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** Formats rows as columns with a header. Returns `none` if there are no rows. */
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

/** Formats each field on a separate line. */
export const formatFields = (fields: object): string => {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join('\n')
}

/** Formats fields with a new key, which is not shown again. */
export const formatNewKey = (fields: object): string =>
  `${formatFields(fields)}\n\nThe key is shown this once: only its hash is kept.`

/** Writes a result to stdout, as JSON with `--json`. */
export const print = (
  { stdout }: Shell,
  { json }: Output,
  value: object,
  text: string = formatFields(value),
): void => {
  stdout.write(`${json ? JSON.stringify(value) : text}\n`)
}
