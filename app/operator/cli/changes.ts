import { Command } from 'commander'
import { retentionDays } from '../../feed/epoch.ts'
import { pruneChanges } from '../../feed/prune.ts'
import { parseRetention } from './arguments.ts'
import { changeAudited } from './audited.ts'
import { withOperator } from './context.ts'
import { createCommand, type Output, print } from './output.ts'
import type { Shell } from './shell.ts'

const prune = async (shell: Shell, options: Output & { days: number }): Promise<void> => {
  const { days } = options
  const pruned = await withOperator(shell, (db) =>
    changeAudited(
      db,
      (trx) => pruneChanges(trx, days),
      (changes) => ({ action: 'changes.prune', details: { days, changes } }),
    ),
  )
  print(
    shell,
    options,
    { days, pruned },
    `${pruned} changes pruned; tokens older than ${days} days have expired`,
  )
}

/** `certdata changes …` */
export const changesCommand = (shell: Shell): Command =>
  new Command('changes')
    .description('the log of changes that the change feed reads')
    .addCommand(
      createCommand('prune', 'delete entries that no follower needs; the service does so every hour')
        .option(
          '--days <days>',
          'how old the token of a follower may be, 1 to 3650',
          parseRetention,
          retentionDays,
        )
        .action(prune.bind(null, shell)),
    )
