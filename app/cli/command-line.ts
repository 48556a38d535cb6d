import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { auditCommand } from './audit.ts'
import { changesCommand } from './changes.ts'
import { configCommand } from './config.ts'
import { customCommand } from './custom.ts'
import { customersCommand } from './customers.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { describeError, Reported } from './refusal.ts'
import { requestsCommand } from './requests.ts'
import type { Screen, Shell } from './shell.ts'
import { signingKeysCommand } from './signing-keys.ts'

const usage = 2
const refused = 1

const createProgram = (shell: Shell): Command =>
  new Command('certdata')
    .description("The operator's command line of the certification data service")
    .addCommand(migrateCommand(shell))
    .addCommand(importCommand(shell))
    .addCommand(customersCommand(shell))
    .addCommand(keysCommand(shell))
    .addCommand(customCommand(shell))
    .addCommand(requestsCommand(shell))
    .addCommand(auditCommand(shell))
    .addCommand(signingKeysCommand(shell))
    .addCommand(changesCommand(shell))
    .addCommand(configCommand(shell))

/** Columns of help where nobody sees it at once. */
const pipeWidth = 80

const widthOf = ({ isTTY, columns }: Screen): number => (isTTY && columns) || pipeWidth

/** Has commander, in a command and all below it, write to the shell and throw where it would end the process. */
const settle = (command: Command, shell: Shell): void => {
  const { stdout, stderr } = shell
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
  })
  for (const inner of command.commands) settle(inner, shell)
}

/** Commander has said already what was wrong with the command line; help that was asked for is no fault. */
const exitCodeOf = (error: unknown, { stderr }: Shell): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usage
  if (error instanceof Reported) return refused
  stderr.write(`${describeError(error)}\n`)
  return error instanceof ConfigError ? usage : refused
}

/**
 * Runs one command, such as `['customers', 'list']`, and returns its exit code: 0 done, 1 refused or failed,
 * 2 a wrong command line or environment. Never throws: what is wrong is said on `stderr`. Several may run in
 * one process, also at once.
 */
export const runCommandLine = async (words: readonly string[], shell: Shell): Promise<number> => {
  const program = createProgram(shell)
  settle(program, shell)
  try {
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error, shell)
  }
}
