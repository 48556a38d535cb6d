#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { auditCommand } from './cli/audit.ts'
import { changesCommand } from './cli/changes.ts'
import { configCommand } from './cli/config.ts'
import { customCommand } from './cli/custom.ts'
import { customersCommand } from './cli/customers.ts'
import { importCommand } from './cli/import.ts'
import { keysCommand } from './cli/keys.ts'
import { migrateCommand } from './cli/migrate.ts'
import { describeError } from './cli/refusal.ts'
import { requestsCommand } from './cli/requests.ts'
import { signingKeysCommand } from './cli/signing-keys.ts'
import { ConfigError } from './config.ts'

const usage = 2
const refused = 1

const program = new Command('certdata')
  .description("The operator's command line of the certification data service")
  .addCommand(migrateCommand())
  .addCommand(importCommand())
  .addCommand(customersCommand())
  .addCommand(keysCommand())
  .addCommand(customCommand())
  .addCommand(requestsCommand())
  .addCommand(auditCommand())
  .addCommand(signingKeysCommand())
  .addCommand(changesCommand())
  .addCommand(configCommand())

const throwInsteadOfExit = (command: Command): void => {
  command.exitOverride()
  for (const inner of command.commands) throwInsteadOfExit(inner)
}

/** Commander has said already what was wrong with the command line; help that was asked for is no fault. */
const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usage
  process.stderr.write(`${describeError(error)}\n`)
  return error instanceof ConfigError ? usage : refused
}

// Whoever reads the output may stop reading: `certdata customers list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

throwInsteadOfExit(program)
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}
