import { Command } from 'commander'
import { leadSeconds, listSigningKeys, rotateSigningKeys } from '../auth/key-rotation.ts'
import { withOperator } from './context.ts'
import { createCommand, formatTable, type Output, print } from './output.ts'

const list = async (options: Output): Promise<void> => {
  const keys = await withOperator(listSigningKeys)
  print(options, keys, formatTable(keys, 'no signing keys yet'))
}

const rotate = async (options: Output & { now?: true }): Promise<void> => {
  const lead = options.now ? leadSeconds.instances : leadSeconds.verifiers
  const keys = await withOperator((db, openSecrets) => rotateSigningKeys(db, openSecrets(), lead))
  print(options, keys, formatTable(keys, ''))
}

/** `certdata signing-keys …` */
export const signingKeysCommand = (): Command =>
  new Command('signing-keys')
    .description('the keys that sign access tokens')
    .addCommand(createCommand('list', 'all keys, the newest first').action(list))
    .addCommand(
      createCommand('rotate', 'sign with the next key; tokens signed so far stay good')
        .option('--now', 'do not wait until everybody who keeps the public keys knows the next one')
        .action(rotate),
    )
