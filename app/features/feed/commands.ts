import type { Command } from 'commander'
import { parseRetention } from '../../command-line/arguments.ts'
import { changeAsOperator } from '../../command-line/audited.ts'
import { type Confirmable, confirm, withYes } from '../../command-line/confirm.ts'
import { createCommand, createGroup, print, type Shell } from '../../command-line/shell.ts'
import { pruneChanges, retentionDays } from '../../db/upkeep.ts'

const prune = async (shell: Shell, options: Confirmable & { days: number }): Promise<void> => {
  const { days } = options
  const consequence = `Changes that only tokens older than ${days} days need are deleted for good. Clients with such a token get 410 and read everything again`
  await confirm(shell, options, consequence)
  const pruned = await changeAsOperator(
    shell,
    (trx) => pruneChanges(trx, days),
    (changes) => ({ action: 'changes.prune', details: { days, changes } }),
  )
  const text = `${pruned} changes pruned; tokens older than ${days} days have expired`
  print(shell, options, { days, pruned }, text)
}

/** `certdata changes …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'changes',
    'the log of changes that the change feed reads',
    withYes(createCommand('prune', 'delete entries that no follower needs; the service does so every hour'))
      .option(
        '--days <days>',
        'how old the token of a follower may be, 1 to 3650',
        parseRetention,
        retentionDays,
      )
      .action(prune.bind(null, shell)),
  )
