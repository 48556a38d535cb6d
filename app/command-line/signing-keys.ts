import type { Command } from 'commander'
import { leadSeconds, listSigningKeys, rotateSigningKeys } from '../identity/key-rotation.ts'
import { changeAsOperator, createList } from './audited.ts'
import { createGroup, createTableCommand, type Shell, type TableOutput } from './shell.ts'
import { printTable } from './table.ts'

const rotate = async (shell: Shell, options: TableOutput & { now?: true }): Promise<void> => {
  const lead = options.now ? leadSeconds.instances : leadSeconds.verifiers
  const keys = await changeAsOperator(
    shell,
    (trx, openSecrets) => rotateSigningKeys(trx, openSecrets(), lead),
    (rotated) => ({
      action: 'signing-keys.rotate',
      details: { keys: rotated.map(({ kid, state }) => ({ kid, state })) },
    }),
  )
  printTable(shell, options, keys, '')
}

/** `certdata signing-keys …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'signing-keys',
    'the keys that sign access tokens',
    createList(
      shell,
      'signing-keys.list',
      'all keys, the newest first',
      'no signing keys yet',
      listSigningKeys,
    ),
    createTableCommand('rotate', 'sign with the next key; existing tokens stay valid')
      .option('--now', 'do not wait until caches of the public keys have the next key')
      .action(rotate.bind(null, shell)),
  )
