import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { AuditEvent } from '../audit/record.ts'
import type { Db } from '../db/schema.ts'
import { parseUniqueJson } from '../http/unique-json.ts'
import { type ApiKey, addApiKey, changeClientKeys, type NewApiKey } from '../identity/api-key-store.ts'
import { createApiKey } from '../identity/api-keys.ts'
import { type PublicJwk, parseClientKeys } from '../identity/client-keys.ts'
import type { Customer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { parseExpiry, parseSlug } from './arguments.ts'
import { changeAudited, requireCustomer } from './audited.ts'
import { withOperator } from './context.ts'
import { Refusal } from './refusal.ts'
import { parseScopes, requireGranted, withOwnScopes } from './scopes.ts'
import { createCommand, formatFields, type Output, print, type Shell } from './shell.ts'

type KeyOptions = Output & { jwk: string }
export type LimitOptions = Output & { scopes?: string[]; expires?: string; networks?: string[] }
type AddOptions = KeyOptions & LimitOptions

const readJwks = async (file: string): Promise<PublicJwk[]> => {
  try {
    return parseClientKeys(parseUniqueJson(await readFile(file, 'utf8')))
  } catch (error) {
    throw new Refusal(`${file} cannot be used: ${(error as Error).message}`)
  }
}

const show = async (shell: Shell, options: Output, key: ApiKey & { scopes: string[] }): Promise<void> => {
  const { key_id, customer, scopes, expires_at, networks, kids } = key
  const client = { client_id: key_id, customer, scopes, expires_at, networks, kids }
  print(shell, options, client, formatFields(client))
}

/** Returns the customer. Throws a Refusal if it is unknown or the demo, or was not granted a scope. */
export const requireKeyOwner = async (
  db: Db,
  slug: string,
  scopes?: readonly string[],
): Promise<Customer> => {
  if (slug === demoCustomerId) {
    throw new Refusal('The customer of the example data has no keys: use the demo token')
  }
  const customer = await requireCustomer(db, slug)
  if (scopes) await requireGranted(db, slug, scopes)
  return customer
}

type Adding = Readonly<{
  made: Pick<NewApiKey, 'keyId' | 'secretSha256' | 'clientKeys'>
  limits: LimitOptions
  describe: (added: ApiKey) => Pick<AuditEvent, 'action' | 'details'>
}>

/** Adds a key, audits it and returns it with its scopes. Throws a Refusal as `requireKeyOwner` does. */
export const addKey = (
  shell: Shell,
  slug: string,
  { made, limits: { scopes, expires, networks }, describe }: Adding,
) =>
  withOperator(shell, async (db) => {
    await requireKeyOwner(db, slug, scopes)
    const limits = { scopes: scopes ?? null, expiresAt: expires ?? null, networks }
    const added = await changeAudited(
      db,
      (trx) => addApiKey(trx, { customerId: slug, ...made, ...limits }),
      (key) => ({ ...describe(key), customer: slug, subject: made.keyId }),
    )
    return withOwnScopes(db, added)
  })

const add = async (shell: Shell, slug: string, options: AddOptions): Promise<void> => {
  const clientKeys = await readJwks(options.jwk)
  // The secret is discarded, so that only a signature proves the client.
  const { apiKey: _, ...secret } = createApiKey()
  const made = { ...secret, clientKeys }
  const key = await addKey(shell, slug, {
    made,
    limits: options,
    describe: ({ scopes, expires_at, kids }) => ({
      action: 'keys.add-client',
      details: { scopes, expires_at, kids },
    }),
  })
  await show(shell, options, key)
}

const change = async (shell: Shell, keyId: string, options: KeyOptions): Promise<void> => {
  const clientKeys = await readJwks(options.jwk)
  const key = await withOperator(shell, async (db) => {
    const changed = await changeAudited(
      db,
      (trx) => changeClientKeys(trx, keyId, clientKeys),
      ({ customer, kids }) => ({
        action: 'keys.change-client',
        customer,
        subject: keyId,
        details: { kids },
      }),
    )
    if (!changed)
      throw new Refusal(`There is no client ${keyId} that signs: a key with a secret has no public key`)
    return withOwnScopes(db, changed)
  })
  await show(shell, options, key)
}

const withKeys = (command: Command): Command =>
  command.requiredOption('--jwk <file>', 'its public key as a JSON Web Key, or a set of up to 10')

/** `certdata keys add-client` and `change-client`: clients that sign instead of having a secret. */
export const clientCommands = (shell: Shell): Command[] => [
  withKeys(createCommand('add-client', 'add a client that authenticates by a signature (private_key_jwt)'))
    .argument('<customer>', 'slug of the customer', parseSlug)
    .option(
      '--scopes <scopes>',
      'limit it to these scopes, separated by commas (default: all but audit:read)',
      parseScopes,
    )
    .option('--expires <when>', 'last day (UTC) or instant on which it works (default: no end)', parseExpiry)
    .action(add.bind(null, shell)),
  withKeys(createCommand('change-client', 'replace the public keys of such a client'))
    .argument('<client_id>', 'the client id, as keys list shows it')
    .action(change.bind(null, shell)),
]
