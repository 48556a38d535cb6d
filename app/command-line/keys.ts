import { type Command, Option } from 'commander'
import type { Db } from '../db/schema.ts'
import { type AddressKey, toAddress } from '../identity/address-keys.ts'
import {
  limitApiKey,
  listApiKeys,
  listEndingKeys,
  renameApiKey,
  sortByEnd,
  succeedApiKey,
} from '../identity/api-key-store.ts'
import { createAddressKey, createApiKey } from '../identity/api-keys.ts'
import { listKeysAndLinks } from '../identity/key-links.ts'
import { parseDuration, parseKeyName, parseNetworks, parseSlug } from './arguments.ts'
import { changeAudited, recordAct, requireCustomer } from './audited.ts'
import { withOperator } from './context.ts'
import { addRotationLink, issueCommand, toNoValidKey } from './issue.ts'
import { readLinkOrigin } from './origin.ts'
import { Refusal } from './refusal.ts'
import { revokeCommand } from './revoke.ts'
import { withOwnScopes, withScopes } from './scopes.ts'
import {
  createCommand,
  createGroup,
  createTableCommand,
  formatNewAddress,
  formatNewKey,
  formatNewLink,
  type Output,
  print,
  type Shell,
  type TableOutput,
} from './shell.ts'
import { printTable, toKeyCells } from './table.ts'

/** The key does not exist, or is not made yet. */
const noMadeKey = (keyId: string) =>
  new Refusal(`There is no key ${keyId}, or its link was not used yet: see certdata keys list`)

type ListOptions = TableOutput & { ending?: number }

const list = async (
  shell: Shell,
  slug: string | undefined,
  { ending, ...output }: ListOptions,
): Promise<void> => {
  const listed = await withOperator(shell, async (db) => {
    await recordAct(db, { action: 'keys.list', customer: slug })
    if (slug !== undefined) await requireCustomer(db, slug)
    const keys =
      ending === undefined
        ? await listKeysAndLinks(db, slug)
        : sortByEnd(await listEndingKeys(db, { customerId: slug, withinSeconds: ending }))
    return withScopes(db, keys)
  })
  const none = ending === undefined ? 'no keys yet' : 'no key in use ends within this time'
  printTable(shell, output, listed, { none, cells: listed.map(toKeyCells) })
}

type NetworkOptions = Output & { anywhere?: true }

const limit = async (
  shell: Shell,
  keyId: string,
  { networks, anywhere, ...output }: NetworkOptions & { networks: string[] },
  command: Command,
): Promise<void> => {
  const named = networks.length > 0 ? networks : null
  if ((named === null) === (anywhere === undefined)) {
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
    if (!limited) throw noMadeKey(keyId)
    return withOwnScopes(db, limited)
  })
  print(shell, output, key)
}

const rename = async (shell: Shell, keyId: string, name: string, options: Output): Promise<void> => {
  const key = await withOperator(shell, async (db) => {
    const renamed = await changeAudited(
      db,
      (trx) => renameApiKey(trx, keyId, name),
      ({ customer }) => ({ action: 'keys.rename', customer, subject: keyId, details: { name } }),
    )
    if (!renamed) throw noMadeKey(keyId)
    return withOwnScopes(db, renamed)
  })
  print(shell, options, key)
}

type RotateOptions = Output & { overlap: number; link?: true }

const rotateByLink = async (
  shell: Shell,
  keyId: string,
  options: RotateOptions,
  kinds: readonly AddressKey[],
): Promise<void> => {
  const fields = await withOperator(shell, async (db) => {
    if (await findKind(db, keyId, kinds))
      throw new Refusal(`${keyId} is the key of an address, for which there are no links: leave --link out`)
    return db.transaction().execute((trx) => addRotationLink(shell, trx, keyId, options.overlap))
  })
  print(shell, options, fields, formatNewLink(fields))
}

/** `undefined` for an API key, also if the key does not exist. */
const findKind = async (
  db: Db,
  keyId: string,
  kinds: readonly AddressKey[],
): Promise<AddressKey | undefined> => {
  const key = (await listApiKeys(db)).find(({ key_id }) => key_id === keyId)
  return kinds.find(({ scope }) => key?.scopes?.includes(scope))
}

/** Makes the text of the next key, of the same kind. `field`: its name and value in the output. */
const createSuccessor = async (shell: Shell, db: Db, keyId: string, kinds: readonly AddressKey[]) => {
  const kind = await findKind(db, keyId, kinds)
  if (!kind) {
    const { apiKey, ...fresh } = createApiKey()
    return { fresh, field: { api_key: apiKey }, format: formatNewKey }
  }
  const { text, ...fresh } = createAddressKey(kind.name)
  const address = toAddress(kind, await readLinkOrigin(shell, db), text)
  return { fresh, field: { address }, format: formatNewAddress }
}

const rotate = async (
  shell: Shell,
  keyId: string,
  options: RotateOptions,
  kinds: readonly AddressKey[],
): Promise<void> => {
  if (options.link) return rotateByLink(shell, keyId, options, kinds)
  const { key, former, field, format } = await withOperator(shell, async (db) => {
    const { fresh, ...shown } = await createSuccessor(shell, db, keyId, kinds)
    const succession = await changeAudited(
      db,
      (trx) => succeedApiKey(trx, keyId, fresh, options.overlap),
      (made) => {
        const details = { by: made.key.key_id, former_expires_at: made.former.expires_at }
        return { action: 'keys.rotate', customer: made.key.customer, subject: keyId, details }
      },
    )
    if (!succession) throw toNoValidKey(keyId)
    return { ...succession, ...shown, key: await withOwnScopes(db, succession.key) }
  })
  const { key_id, customer, name, scopes, expires_at } = key
  const rotated = {
    key_id,
    ...field,
    customer,
    name,
    scopes,
    expires_at,
    former_key_id: former.key_id,
    former_expires_at: former.expires_at,
  }
  print(shell, options, rotated, format(rotated))
}

/** `certdata keys …` */
export const buildCommand = (
  shell: Shell,
  features: readonly Readonly<{ addressKey?: AddressKey }>[],
): Command => {
  const kinds = features.flatMap(({ addressKey }) => addressKey ?? [])
  return createGroup(
    'keys',
    'the API keys of the customers',
    issueCommand(shell, kinds),
    createTableCommand(
      'list',
      'list the keys, and the links to keys, of one customer or of all: the next to end first',
    )
      .argument('[customer]', 'slug of the customer', parseSlug)
      .option(
        '--ending <time>',
        'only keys in use that end within this time, such as 14d, and that no rotation has replaced',
        parseDuration,
      )
      .action(list.bind(null, shell)),
    createCommand('rotate', 'make a key that replaces another, which ends after the overlap')
      .argument('<key_id>', 'the key id, as keys list shows it')
      .option('--link', 'print a link that makes the key, which replaces the other one at its first login')
      .addOption(
        new Option('--overlap <time>', 'how long both work, such as 12h or 7d')
          .argParser(parseDuration)
          .default(parseDuration('7d'), '7d'),
      )
      .action((keyId: string, options: RotateOptions) => rotate(shell, keyId, options, kinds)),
    createCommand('rename', 'give a key another name, which its customer sees')
      .argument('<key_id>', 'the key id, as keys list shows it')
      .argument('<name>', 'such as "ERP, production"', parseKeyName)
      .action(rename.bind(null, shell)),
    createCommand('networks', 'limit a key and its tokens to networks, within a second')
      .argument('<key_id>', 'the key id, as keys list shows it')
      .argument('[networks...]', 'all its networks, such as 203.0.113.0/24 2001:db8::/32', parseNetworks)
      .option('--anywhere', 'remove the limit')
      .action((keyId: string, networks: string[], options: NetworkOptions, command: Command) =>
        limit(shell, keyId, { ...options, networks }, command),
      ),
    revokeCommand(shell),
  )
}
