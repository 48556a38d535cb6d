import type { Command } from 'commander'
import { retentionDays } from '../../feed/epoch.ts'
import { pruneChanges } from '../../feed/prune.ts'
import { parseRetention } from './arguments.ts'
import { changeAsOperator } from './audited.ts'
import { createCommand, createGroup, type Output, print, type Shell } from './shell.ts'

const prune = async (shell: Shell, options: Output & { days: number }): Promise<void> => {
  const { days } = options
  const pruned = await changeAsOperator(
    shell,
    (trx) => pruneChanges(trx, days),
    (changes) => ({ action: 'changes.prune', details: { days, changes } }),
  )
  const text = `${pruned} changes pruned; tokens older than ${days} days have expired`
  print(shell, options, { days, pruned }, text)
}

/** `certdata changes …` */
export const changesCommand = (shell: Shell): Command =>
  createGroup(
    'changes',
    'the log of changes that the change feed reads',
    createCommand('prune', 'delete entries that no follower needs; the service does so every hour')
      .option(
        '--days <days>',
        'how old the token of a follower may be, 1 to 3650',
        parseRetention,
        retentionDays,
      )
      .action(prune.bind(null, shell)),
  )
