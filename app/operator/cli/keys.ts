import { type Command, Option } from 'commander'
import { limitApiKey, listApiKeys, revokeApiKey, succeedApiKey } from '../../identity/api-key-store.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { parseDuration, parseExpiry, parseNetworks, parseSlug } from './arguments.ts'
import { changeAudited, recordAct, requireCustomer } from './audited.ts'
import { addKey, clientCommands, type LimitOptions } from './client-keys.ts'
import { withOperator } from './context.ts'
import { Refusal } from './refusal.ts'
import { parseScopes, withOwnScopes, withScopes } from './scopes.ts'
import {
  createCommand,
  createGroup,
  formatNewKey,
  formatTable,
  type Output,
  print,
  type Shell,
} from './shell.ts'

const issue = async (shell: Shell, slug: string, options: LimitOptions): Promise<void> => {
  const { apiKey, ...secret } = createApiKey()
  const key = await addKey(shell, slug, secret, options, ({ scopes, expires_at }) => ({
    action: 'keys.issue',
    details: { scopes, expires_at },
  }))
  const { key_id, customer, scopes, expires_at } = key
  const issued = { key_id, api_key: apiKey, customer, scopes, expires_at }
  print(shell, options, issued, formatNewKey(issued))
}

const list = async (shell: Shell, slug: string | undefined, options: Output): Promise<void> => {
  const listed = await withOperator(shell, async (db) => {
    await recordAct(db, { action: 'keys.list', customer: slug })
    if (slug !== undefined) await requireCustomer(db, slug)
    return withScopes(db, await listApiKeys(db, slug))
  })
  print(shell, options, listed, formatTable(listed, 'no keys yet'))
}

const revoke = async (shell: Shell, keyId: string, options: Output): Promise<void> => {
  const key = await withOperator(shell, async (db) => {
    const revoked = await changeAudited(
      db,
      (trx) => revokeApiKey(trx, keyId),
      ({ customer }) => ({ action: 'keys.revoke', customer, subject: keyId }),
    )
    if (!revoked) throw new Refusal(`There is no key ${keyId}`)
    return withOwnScopes(db, revoked)
  })
  print(shell, options, key)
}

type NetworkOptions = Output & { anywhere?: true }

const limit = async (
  shell: Shell,
  keyId: string,
  networks: string[],
  options: NetworkOptions,
  command: Command,
): Promise<void> => {
  // Commander passes an empty list if the argument is missing.
  const named = networks.length > 0 ? networks : null
  if ((named === null) === (options.anywhere === undefined)) {
    command.error('error: name the networks of the key, or --anywhere')
  }
  const key = await withOperator(shell, async (db) => {
    const limited = await changeAudited(
      db,
      (trx) => limitApiKey(trx, keyId, named),
      ({ customer }) => ({
        action: 'keys.networks',
        customer,
        subject: keyId,
        details: { networks: named },
      }),
    )
    if (!limited) throw new Refusal(`There is no key ${keyId}`)
    return withOwnScopes(db, limited)
  })
  print(shell, options, key)
}

const rotate = async (shell: Shell, keyId: string, options: Output & { overlap: number }): Promise<void> => {
  const { apiKey, ...fresh } = createApiKey()
  const { key, former } = await withOperator(shell, async (db) => {
    const succession = await changeAudited(
      db,
      (trx) => succeedApiKey(trx, keyId, fresh, options.overlap),
      (made) => {
        const details = { by: made.key.key_id, former_expires_at: made.former.expires_at }
        return { action: 'keys.rotate', customer: made.key.customer, subject: keyId, details }
      },
    )
    if (!succession) {
      throw new Refusal(
        `There is no valid key ${keyId}: it may be revoked, expired, already rotated, or a client that signs`,
      )
    }
    return { ...succession, key: await withOwnScopes(db, succession.key) }
  })
  const { key_id, customer, scopes, expires_at } = key
  const rotated = {
    ...{ key_id, api_key: apiKey, customer, scopes, expires_at },
    former_key_id: former.key_id,
    former_expires_at: former.expires_at,
  }
  print(shell, options, rotated, formatNewKey(rotated))
}

/** `certdata keys …` */
export const keysCommand = (shell: Shell): Command =>
  createGroup(
    'keys',
    'the API keys of the customers',
    createCommand('issue', 'make a key, which is shown once')
      .argument('<customer>', 'slug of the customer', parseSlug)
      .option(
        '--scopes <scopes>',
        'limit the key to these scopes, separated by commas (default: all)',
        parseScopes,
      )
      .option(
        '--expires <when>',
        'last day (UTC) or instant on which the key works (default: no end)',
        parseExpiry,
      )
      .action(issue.bind(null, shell)),
    createCommand('list', 'list the keys of one customer or of all')
      .argument('[customer]', 'slug of the customer', parseSlug)
      .action(list.bind(null, shell)),
    createCommand('rotate', 'make a key that replaces another; the former key ends after the overlap')
      .argument('<key_id>', 'the key id, as keys list shows it')
      .addOption(
        new Option('--overlap <time>', 'how long both work, such as 12h or 7d')
          .argParser(parseDuration)
          .default(parseDuration('7d'), '7d'),
      )
      .action(rotate.bind(null, shell)),
    ...clientCommands(shell),
    createCommand('networks', 'limit a key and its tokens to networks, within a second')
      .argument('<key_id>', 'the key id, as keys list shows it')
      .argument('[networks...]', 'all its networks, such as 203.0.113.0/24 2001:db8::/32', parseNetworks)
      .option('--anywhere', 'take the limit away')
      .action(limit.bind(null, shell)),
    createCommand('revoke', 'revoke a key for good')
      .argument('<key_id>', 'the key id, as keys list shows it')
      .action(revoke.bind(null, shell)),
  )
