import { Command } from 'commander'
import type { Outbound } from '../http/outbound.ts'

export type Screen = NodeJS.WritableStream & Readonly<{ isTTY?: boolean }>

/** The only access of commands to their process. test/architecture.test.ts checks this. */
export type Shell = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  /** `undefined` if the system user has no name. */
  user?: string | undefined
  stdin: AsyncIterable<Uint8Array> & Readonly<{ isTTY?: boolean }>
  stdout: Screen
  stderr: Screen
  /** On a signal, runs `release` and then exits. Returns a function that cancels this. */
  onSignal: (release: () => Promise<void>) => () => void
  /** For requests to customers' URLs. Optional. Defaults to the guarded client. */
  outbound?: Outbound
}>

export type Output = { json?: true }
export type TableOutput = Output & { wide?: true }

/** Creates a command with the option `--json`. */
export const createCommand = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print the result as JSON')

/** Creates a command that prints a table. */
export const createTableCommand = (name: string, description: string): Command =>
  createCommand(name, description).option('--wide', 'show every column in full')

/** Creates a command with subcommands. */
export const createGroup = (name: string, description: string, ...commands: Command[]): Command => {
  const group = new Command(name).description(description)
  for (const each of commands) group.addCommand(each)
  return group
}

/** Formats a value for a table: `-` for none, arrays with spaces. */
export const formatCell = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(' ') : String(value)
}

const units: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Formats seconds in the largest unit that divides them: `7 days`. */
const formatDuration = (seconds: number): string => {
  const [name, size] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  const count = seconds / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** JSON has the bare numbers of these fields. */
const formatField = (name: string, value: unknown): string => {
  if (name.endsWith('_seconds') && typeof value === 'number') return formatDuration(value)
  if (name === 'expiring_within') return `${value} days`
  return formatCell(value)
}

/** Formats fields, one on each line. Numbers have their units. */
export const formatFields = (fields: object): string => {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${formatField(name, value)}`)
    .join('\n')
}

/** Formats fields with a new key, which is not shown again. */
export const formatNewKey = (fields: object): string =>
  `${formatFields(fields)}\n\nThe key is shown this once: only its hash is kept.`

/** Formats fields with an address that contains a new key, which is not shown again. */
export const formatNewAddress = (fields: object): string =>
  `${formatFields(fields)}\n\nAnyone with the address can read it without a login: send it as you would send a password. It is shown this once: only its hash is kept.`

/** Formats fields with a link to a new key, which is not shown again. */
export const formatNewLink = (fields: object, recipient = 'the customer'): string =>
  `${formatFields(fields)}\n\nSend the link to ${recipient}. It shows the key once, after a click. The link itself is not shown again.`

/** Writes a result to stdout, as JSON with `--json`. */
export const print = (
  { stdout }: Shell,
  { json }: Output,
  value: object,
  text: string = formatFields(value),
): void => {
  stdout.write(`${json ? JSON.stringify(value) : text}\n`)
}
