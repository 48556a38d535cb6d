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
  printTable(shell, options, keys, { none: '' })
}

/** `certdata signing-keys …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'signing-keys',
    'the keys that sign access tokens',
    createList(shell, {
      action: 'signing-keys.list',
      description: 'all keys, the newest first',
      none: 'no signing keys yet',
      read: listSigningKeys,
    }),
    createTableCommand('rotate', 'sign with the next key; existing tokens stay valid')
      .option('--now', 'do not wait until caches of the public keys have the next key')
      .action(rotate.bind(null, shell)),
  )
