import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { parseExpiry, parseKeyName, parseSlug } from '../../command-line/arguments.ts'
import { changeAudited } from '../../command-line/audited.ts'
import { withOperator } from '../../command-line/context.ts'
import { addKey, type LimitOptions } from '../../command-line/issue.ts'
import { Refusal } from '../../command-line/refusal.ts'
import { parseScopes, withOwnScopes } from '../../command-line/scopes.ts'
import {
  createCommand,
  createGroup,
  formatFields,
  type Output,
  print,
  type Shell,
} from '../../command-line/shell.ts'
import { describeFileFault } from '../../command-line/source.ts'
import { parseUniqueJson } from '../../http/unique-json.ts'
import { type ApiKey, changeClientJwks } from '../../identity/api-key-store.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { auditScope, rotateScope } from '../../identity/scopes.ts'
import { formatClientKeys, parseClientKeys } from './client-keys.ts'

type KeyOptions = Output & { jwk: string }
type AddOptions = KeyOptions & LimitOptions

const readJwks = async (file: string): Promise<string> => {
  try {
    return formatClientKeys(parseClientKeys(parseUniqueJson(await readFile(file, 'utf8'))))
  } catch (error) {
    throw new Refusal(`${file} cannot be used: ${describeFileFault(error as Error)}`)
  }
}

const show = async (shell: Shell, options: Output, key: ApiKey & { scopes: string[] }): Promise<void> => {
  const { key_id, customer, name, scopes, expires_at, networks, kids } = key
  const client = { client_id: key_id, customer, name, scopes, expires_at, networks, kids }
  print(shell, options, client, formatFields(client))
}

const add = async (shell: Shell, slug: string, options: AddOptions): Promise<void> => {
  const clientJwks = await readJwks(options.jwk)
  // The secret is discarded, so that only a signature proves the client.
  const { apiKey: _, ...secret } = createApiKey()
  const made = { ...secret, clientJwks }
  const key = await addKey(shell, slug, {
    made,
    limits: options,
    describe: ({ name, scopes, expires_at, kids }) => ({
      action: 'keys.add-client',
      details: { name, scopes, expires_at, kids },
    }),
  })
  await show(shell, options, key)
}

const change = async (shell: Shell, keyId: string, options: KeyOptions): Promise<void> => {
  const clientJwks = await readJwks(options.jwk)
  const key = await withOperator(shell, async (db) => {
    const changed = await changeAudited(
      db,
      (trx) => changeClientJwks(trx, keyId, clientJwks),
      ({ customer, kids }) => ({
        action: 'keys.change-client',
        customer,
        subject: keyId,
        details: { kids },
      }),
    )
    if (!changed)
      throw new Refusal(
        `There is no client ${keyId} that signs: a key with a secret has no public key. See certdata keys list`,
      )
    return withOwnScopes(db, changed)
  })
  await show(shell, options, key)
}

const withKeys = (command: Command): Command =>
  command.requiredOption('--jwk <file>', 'its public key as a JSON Web Key, or a set of up to 10')

/** `certdata keys add-client` and `change-client`: clients that sign instead of having a secret. */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'keys',
    'clients that sign',
    withKeys(createCommand('add-client', 'add a client that authenticates by a signature (private_key_jwt)'))
      .argument('<customer>', 'slug of the customer', parseSlug)
      .option('--name <name>', 'its name, which the customer sees', parseKeyName)
      .option(
        '--scopes <scopes>',
        `limit it to these scopes, separated by commas (default: all but ${auditScope} and ${rotateScope})`,
        parseScopes,
      )
      .option(
        '--expires <when>',
        'last day (UTC) or instant on which it works (default: no end)',
        parseExpiry,
      )
      .action(add.bind(null, shell)),
    withKeys(createCommand('change-client', 'replace the public keys of such a client'))
      .argument('<client_id>', 'the client id, as keys list shows it')
      .action(change.bind(null, shell)),
  )
