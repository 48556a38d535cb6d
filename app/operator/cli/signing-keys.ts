import { Command } from 'commander'
import { leadSeconds, listSigningKeys, rotateSigningKeys } from '../../identity/key-rotation.ts'
import { changeAudited, recordAct } from './audited.ts'
import { withOperator } from './context.ts'
import { createCommand, formatTable, type Output, print } from './output.ts'
import type { Shell } from './shell.ts'

const list = async (shell: Shell, options: Output): Promise<void> => {
  const keys = await withOperator(shell, async (db) => {
    await recordAct(db, { action: 'signing-keys.list' })
    return listSigningKeys(db)
  })
  print(shell, options, keys, formatTable(keys, 'no signing keys yet'))
}

const rotate = async (shell: Shell, options: Output & { now?: true }): Promise<void> => {
  const lead = options.now ? leadSeconds.instances : leadSeconds.verifiers
  const keys = await withOperator(shell, (db, openSecrets) =>
    changeAudited(
      db,
      (trx) => rotateSigningKeys(trx, openSecrets(), lead),
      (rotated) => ({
        action: 'signing-keys.rotate',
        details: { keys: rotated.map(({ kid, state }) => ({ kid, state })) },
      }),
    ),
  )
  print(shell, options, keys, formatTable(keys, ''))
}

/** `certdata signing-keys …` */
export const signingKeysCommand = (shell: Shell): Command =>
  new Command('signing-keys')
    .description('the keys that sign access tokens')
    .addCommand(createCommand('list', 'all keys, the newest first').action(list.bind(null, shell)))
    .addCommand(
      createCommand('rotate', 'sign with the next key; existing tokens stay valid')
        .option('--now', 'do not wait until caches of the public keys have the next key')
        .action(rotate.bind(null, shell)),
    )
