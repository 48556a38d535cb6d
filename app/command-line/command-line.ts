import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/config.ts'
import type { CustomerTables } from '../db/customer-tables.ts'
import type { AddressKey } from '../identity/address-keys.ts'
import type { Preparation } from '../local/prepare.ts'
import { describeError, Reported } from './refusal.ts'
import type { Shell } from './shell.ts'

const usage = 2
const refused = 1

/** The parts of a feature that the command line reads, and hands over to commands. */
type CommandFeature = Readonly<{
  commands?: Commands
  preparation?: Preparation
  customerTables?: CustomerTables
  verifyFolder?: URL
  addressKey?: AddressKey
}>

/**
 * A file of commands exports this function. Most commands ignore the features. See
 * docs/decisions/0247-commands-get-the-features.md.
 */
type CommandFile = Readonly<{
  buildCommand: (shell: Shell, features: readonly CommandFeature[]) => Command
}>

/**
 * Files of commands by their first word. Loaded on demand: loading the modules of all commands takes longer than most
 * commands run. If several features have the same word, its subcommands are merged.
 */
export type Commands = Readonly<Record<string, () => Promise<CommandFile>>>

const kernelCommands: Commands = {
  migrate: () => import('./migrate.ts'),
  customers: () => import('./customers.ts'),
  keys: () => import('./keys.ts'),
  audit: () => import('./audit.ts'),
  'signing-keys': () => import('./signing-keys.ts'),
  config: () => import('./config.ts'),
}

const loadCommands = (word: string, features: readonly CommandFeature[]) => {
  const ofFeatures = features.map(({ commands = {} }) => commands)
  const all = [kernelCommands, ...ofFeatures].flatMap((each) => Object.entries(each))
  const chosen = all.filter(([name]) => name === word)
  return Promise.all((chosen.length > 0 ? chosen : all).map(([, load]) => load()))
}

const createProgram = async (
  word: string,
  shell: Shell,
  features: readonly CommandFeature[],
): Promise<Command> => {
  const program = new Command('certdata').description(
    "The operator's command line of the certification data service",
  )
  for (const { buildCommand } of await loadCommands(word, features)) {
    const made = buildCommand(shell, features)
    const known = program.commands.find((each) => each.name() === made.name())
    if (known) for (const inner of made.commands) known.addCommand(inner)
    else program.addCommand(made)
  }
  return program
}

/** Makes commander, in all subcommands, write to the shell and throw instead of ending the process. */
const settle = (command: Command, shell: Shell): void => {
  const { stdout, stderr } = shell
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
  })
  for (const inner of command.commands) settle(inner, shell)
}

/** Commander throws for `--help`, too. The command has already printed `Reported` errors. */
const isRefusal = (error: unknown): boolean =>
  !(error instanceof Reported) && !(error instanceof CommanderError && error.exitCode === 0)

const reportRefusal = (error: unknown, words: readonly string[], { stdout, stderr }: Shell): void => {
  const reason = describeError(error)
  if (!(error instanceof CommanderError)) stderr.write(`${reason}\n`)
  if (words.includes('--json')) {
    stdout.write(`${JSON.stringify({ ok: false, error: reason.replace(/^error: /, '') })}\n`)
  }
}

const toExitCode = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usage
  return error instanceof ConfigError ? usage : refused
}

/**
 * Runs a command such as `['customers', 'list']`, of the kernel or a feature. Returns 0, or 1 if it was refused or
 * failed, or 2 for a wrong command line or environment. Never throws: prints errors to `stderr`, with `--json` also to
 * `stdout`.
 */
export const runCommandLine = async (
  words: readonly string[],
  shell: Shell,
  features: readonly CommandFeature[],
): Promise<number> => {
  try {
    const program = await createProgram(words[0] ?? '', shell, features)
    settle(program, shell)
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    if (isRefusal(error)) reportRefusal(error, words, shell)
    return toExitCode(error)
  }
}
