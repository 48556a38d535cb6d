import type { Command } from 'commander'
import type { Db } from '../db/schema.ts'
import {
  type ApiKey,
  keepSuccessors,
  listSuccessors,
  lockKeyCustomer,
  revokeApiKey,
} from '../identity/api-key-store.ts'
import { listKeyLinks, listKeysAndLinks, removeKeyLink } from '../identity/key-links.ts'
import { recordAct } from './audited.ts'
import { type Confirmable, confirm, withYes } from './confirm.ts'
import { withOperator } from './context.ts'
import { Refusal } from './refusal.ts'
import { withOwnScopes } from './scopes.ts'
import { createCommand, print, type Shell } from './shell.ts'

const noKey = (keyId: string) => new Refusal(`There is no key ${keyId}: see certdata keys list`)

const describeUse = ({ last_used_on }: ApiKey) =>
  last_used_on === null ? 'never used' : `last used on ${last_used_on}`

const describeSuccessors = (successors: readonly ApiKey[], isKeeping: boolean): string => {
  if (successors.length === 0) return ''
  const named = successors
    .map((key) => `${key.key_id} (${key.state === 'pending' ? 'pending' : describeUse(key)})`)
    .join(', ')
  const [count, does, them] =
    successors.length === 1 ? ['successor', 'does', 'it'] : [`${successors.length} successors`, 'do', 'them']
  return isKeeping
    ? `. Its ${count} can still be used: ${named}`
    : `. So ${does} its ${count}: ${named}. To keep ${them}, add --keep-successors`
}

const describeRevocation = (key: ApiKey, isLink: boolean, successors: string): string => {
  const { key_id, customer } = key
  if (isLink) return `The link to the key ${key_id} of ${customer} stops working`
  return `The key ${key_id} of ${customer}, ${describeUse(key)}, stops working within a second and cannot be restored${successors}`
}

type Revoked = { key: ApiKey; successors: readonly ApiKey[] }

/** The link first: if a customer uses it in the meantime, the second statement finds its key. */
const revokeKeyOrLink = async (trx: Db, keyId: string): Promise<ApiKey | undefined> =>
  (await removeKeyLink(trx, keyId)) ?? (await revokeApiKey(trx, keyId))

/** Ends a key and, unless `isKeeping`, its successors, and audits each of them. */
const revokeWithSuccessors = async (
  trx: Db,
  keyId: string,
  isKeeping: boolean,
): Promise<Revoked | undefined> => {
  await lockKeyCustomer(trx, keyId)
  if (isKeeping) await keepSuccessors(trx)
  const successors = isKeeping ? [] : listSuccessors(await listKeysAndLinks(trx), keyId)
  // The last one first: the revocation of a key deletes its pending successor, which lists shall show as revoked.
  for (const { key_id } of successors.toReversed()) await revokeKeyOrLink(trx, key_id)
  const key = await revokeKeyOrLink(trx, keyId)
  if (!key) return undefined
  const { customer } = key
  await recordAct(trx, { action: 'keys.revoke', customer, subject: keyId })
  const details = { successor_of: keyId }
  for (const { key_id: subject } of successors)
    await recordAct(trx, { action: 'keys.revoke', customer, subject, details })
  return { key, successors }
}

type RevokeOptions = Confirmable & { keepSuccessors?: true }

const revoke = async (shell: Shell, keyId: string, options: RevokeOptions): Promise<void> => {
  const isKeeping = options.keepSuccessors === true
  const fields = await withOperator(shell, async (db) => {
    const hasId = ({ key_id }: ApiKey) => key_id === keyId
    const all = await listKeysAndLinks(db)
    const link = (await listKeyLinks(db)).find(hasId)
    const found = all.find(hasId)
    if (!found) throw noKey(keyId)
    const successors = describeSuccessors(listSuccessors(all, keyId), isKeeping)
    await confirm(shell, options, describeRevocation(found, link !== undefined, successors))
    const revoked = await db.transaction().execute((trx) => revokeWithSuccessors(trx, keyId, isKeeping))
    if (!revoked) throw noKey(keyId)
    const key = await withOwnScopes(db, revoked.key)
    return { ...key, ended_successors: revoked.successors.map(({ key_id }) => key_id) }
  })
  print(shell, options, fields)
}

/** `certdata keys revoke`. Ends a key or a link, and the keys that rotations have made from it. */
export const revokeCommand = (shell: Shell): Command =>
  withYes(createCommand('revoke', 'revoke a key, or a link to a key, for good, with its successors'))
    .argument('<key_id>', 'the key id, as keys list shows it')
    .option('--keep-successors', 'keep the keys that rotations have made from it')
    .action(revoke.bind(null, shell))
