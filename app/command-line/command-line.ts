import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/config.ts'
import { type AllContents, type Contents, mergeContents } from '../contents.ts'
import { describeError, Reported } from './refusal.ts'
import type { Shell } from './shell.ts'

const usage = 2
const refused = 1

type MakeCommand = (shell: Shell, contents: AllContents) => Command

/**
 * Commands by their first word. Loaded on demand: loading the modules of all commands takes longer than most commands
 * run. If several features have the same word, its subcommands are merged.
 */
export type Commands = Readonly<Record<string, () => Promise<MakeCommand>>>

/** The part of a feature that the command line reads. */
type CommandFeature = Contents & Readonly<{ commands?: Commands }>

const kernelCommands: Commands = {
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  import: async () => (await import('./import.ts')).importCommand,
  customers: async () => (await import('./customers.ts')).customersCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  custom: async () => (await import('./custom.ts')).customCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  'signing-keys': async () => (await import('./signing-keys.ts')).signingKeysCommand,
  changes: async () => (await import('./changes.ts')).changesCommand,
  history: async () => (await import('./history.ts')).historyCommand,
  webhooks: async () => (await import('./webhooks.ts')).webhooksCommand,
  config: async () => (await import('./config.ts')).configCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
}

const loadCommands = (word: string, features: readonly CommandFeature[]) => {
  const all = [kernelCommands, ...features.map(({ commands = {} }) => commands)].flatMap(Object.entries)
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
  const contents = mergeContents(features)
  for (const make of await loadCommands(word, features)) {
    const made = make(shell, contents)
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
 * Runs a command such as `['customers', 'list']`, of the kernel or a feature. Returns 0, or 1 if it was refused or failed, or 2 for a
 * wrong command line or environment. Never throws: prints errors to `stderr`, with `--json` also to `stdout`.
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
