import { type Command, Option } from 'commander'
import type { AuditEvent } from '../audit/record.ts'
import type { Db } from '../db/schema.ts'
import { type AddressKey, toAddress } from '../identity/address-keys.ts'
import { type ApiKey, addApiKey, type NewApiKey } from '../identity/api-key-store.ts'
import { createAddressKey, createApiKey } from '../identity/api-keys.ts'
import type { Customer } from '../identity/customers.ts'
import { addKeyLink, addSuccessorLink } from '../identity/key-links.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { accountScope, auditScope, listNewScopes, onlyNamedScopes, rotateScope } from '../identity/scopes.ts'
import { parseExpiry, parseKeyName, parseNetworks, parseSlug } from './arguments.ts'
import { changeAudited, recordAct, requireCustomer } from './audited.ts'
import { withOperator } from './context.ts'
import { readLinkOrigin } from './origin.ts'
import { Refusal } from './refusal.ts'
import { parseScopes, requireGranted, withOwnScopes } from './scopes.ts'
import {
  createCommand,
  formatNewAddress,
  formatNewKey,
  formatNewLink,
  type Output,
  print,
  type Shell,
} from './shell.ts'

/** `scopes`: `listNewScopes` by default. `expires`: no end. `networks`: any address. */
export type LimitOptions = Output & {
  name?: string
  scopes?: string[]
  expires?: string
  networks?: string[]
}

/** Returns the customer. Throws a Refusal if it is unknown or the demo, or was not granted a scope. */
const requireKeyOwner = async (db: Db, slug: string, scopes?: readonly string[]): Promise<Customer> => {
  if (slug === demoCustomerId) {
    throw new Refusal('The customer of the example data has no keys: use the demo token')
  }
  const customer = await requireCustomer(db, slug)
  if (scopes) await requireGranted(db, slug, scopes)
  return customer
}

type Adding = Readonly<{
  made: Pick<NewApiKey, 'keyId' | 'secretSha256' | 'clientJwks'>
  limits: LimitOptions
  /** Defaults to the scopes in `limits`. Given scopes are not checked. */
  scopes?: string[]
  describe: (added: ApiKey) => Pick<AuditEvent, 'action' | 'details'>
}>

/** Adds a key, audits it and returns it with its scopes. Throws a Refusal as `requireKeyOwner` does. */
export const addKey = (
  shell: Shell,
  slug: string,
  { made, limits: { name, scopes: wanted, expires, networks }, scopes = wanted, describe }: Adding,
) =>
  withOperator(shell, async (db) => {
    const { plan } = await requireKeyOwner(db, slug, wanted)
    const limits = { name, scopes: scopes ?? listNewScopes(plan), expiresAt: expires ?? null, networks }
    const added = await changeAudited(
      db,
      (trx) => addApiKey(trx, { customerId: slug, ...made, ...limits }),
      (key) => ({ ...describe(key), customer: slug, subject: made.keyId }),
    )
    return withOwnScopes(db, added)
  })

const requireAccess = ({ customer, plan, suspended_at }: Customer): void => {
  if (suspended_at !== null)
    throw new Refusal(`${customer} is suspended: resume it first with certdata customers resume ${customer}`)
  if (plan === 'basic') {
    throw new Refusal(
      `${customer} has the plan basic, which has no API access: set another plan first, for example certdata customers set-plan ${customer} premium`,
    )
  }
}

/** Adds and audits a link that makes a key. Returns fields to print. Throws a Refusal without API access. */
export const addLink = async (
  shell: Shell,
  trx: Db,
  customer: Customer,
  { name, scopes, expires, networks }: LimitOptions = {},
) => {
  requireAccess(customer)
  const origin = await readLinkOrigin(shell, trx)
  // Rounded up to a minute, because some milliseconds have passed since `--expires 90d` was parsed.
  const lifetimeSeconds =
    expires === undefined ? null : 60 * Math.ceil((Date.parse(expires) - Date.now()) / 60_000)
  const made = {
    customerId: customer.customer,
    name,
    scopes: scopes ?? listNewScopes(customer.plan),
    networks,
    lifetimeSeconds,
  }
  const { link, secret } = await addKeyLink(trx, made)
  const limits = { networks: link.networks, key_lifetime_seconds: lifetimeSeconds }
  await recordAct(trx, {
    action: 'keys.issue',
    customer: customer.customer,
    subject: link.key_id,
    details: {
      name: link.name,
      link: true,
      link_expires_at: link.expires_at,
      scopes: link.scopes,
      ...limits,
    },
  })
  const { key_id, scopes: all } = await withOwnScopes(trx, link)
  return {
    key_id,
    link: `${origin}/key#${secret}`,
    link_expires_at: link.expires_at,
    name: link.name,
    scopes: all,
    ...limits,
  }
}

/** The key cannot be rotated, for one of several reasons. */
export const toNoValidKey = (keyId: string): Refusal =>
  new Refusal(
    `There is no valid key ${keyId}: it may be revoked, expired, already rotated, a client that signs, a link that was not used yet, or a key that waits for its first login. See certdata keys list`,
  )

/** Adds and audits a link to the key that replaces another one. Returns fields to print. Throws a Refusal. */
export const addRotationLink = async (shell: Shell, trx: Db, keyId: string, overlapSeconds: number) => {
  const origin = await readLinkOrigin(shell, trx)
  const added = await addSuccessorLink(trx, keyId, overlapSeconds)
  if (!added) throw toNoValidKey(keyId)
  const { secret, lifetimeSeconds } = added
  const { key_id, customer, name, networks, expires_at, scopes } = await withOwnScopes(trx, added.link)
  requireAccess(await requireCustomer(trx, customer))
  const limits = { networks, key_lifetime_seconds: lifetimeSeconds, overlap_seconds: overlapSeconds }
  await recordAct(trx, {
    action: 'keys.rotate',
    customer,
    subject: keyId,
    details: { by: key_id, link: true, link_expires_at: expires_at, ...limits },
  })
  return {
    key_id,
    link: `${origin}/key#${secret}`,
    customer,
    link_expires_at: expires_at,
    name,
    scopes,
    ...limits,
    former_key_id: keyId,
  }
}

type IssueOptions = LimitOptions & { link?: true }

const describeIssue = ({ name, scopes, expires_at, networks }: ApiKey) =>
  ({ action: 'keys.issue', details: { name, scopes, expires_at, networks } }) as const

const issueLink = async (shell: Shell, slug: string, options: IssueOptions): Promise<void> => {
  const issued = await withOperator(shell, async (db) => {
    const customer = await requireKeyOwner(db, slug, options.scopes)
    return db.transaction().execute((trx) => addLink(shell, trx, customer, options))
  })
  const { key_id, link, ...rest } = issued
  const fields = { key_id, link, customer: slug, ...rest }
  print(shell, options, fields, formatNewLink(fields))
}

const issue = async (
  shell: Shell,
  slug: string,
  options: IssueOptions,
  kinds: readonly AddressKey[],
): Promise<void> => {
  const kind = kinds.find(({ name }) => name in options)
  if (kind) return issueAddress(shell, slug, kind, options)
  if (options.link) return issueLink(shell, slug, options)
  const { apiKey, ...secret } = createApiKey()
  const key = await addKey(shell, slug, {
    made: secret,
    limits: options,
    describe: describeIssue,
  })
  const { key_id, customer, name, scopes, expires_at } = key
  const issued = { key_id, api_key: apiKey, customer, name, scopes, expires_at }
  print(shell, options, issued, formatNewKey(issued))
}

const issueAddress = async (
  shell: Shell,
  slug: string,
  kind: AddressKey,
  options: IssueOptions,
): Promise<void> => {
  const { text, ...made } = createAddressKey(kind.name)
  const origin = await withOperator(shell, (db) => readLinkOrigin(shell, db))
  const added = await addKey(shell, slug, {
    made,
    limits: options,
    // The scope belongs to the kind, and no option names it.
    scopes: [kind.scope],
    describe: describeIssue,
  })
  const { key_id, customer, name, scopes, expires_at } = added
  const issued = { key_id, address: toAddress(kind, origin, text), customer, name, scopes, expires_at }
  print(shell, options, issued, formatNewAddress(issued))
}

const addAddressOptions = (command: Command, kinds: readonly AddressKey[]): Command => {
  for (const { name, description } of kinds)
    command.addOption(new Option(`--${name}`, description).conflicts(['link', 'scopes']))
  return command
}

/** `certdata keys issue`. `kinds`: of features. */
export const issueCommand = (shell: Shell, kinds: readonly AddressKey[]): Command =>
  addAddressOptions(createCommand('issue', 'make a key, which is shown once'), kinds)
    .argument('<customer>', 'slug of the customer', parseSlug)
    .option('--link', 'print a link that makes the key and shows it once, within seven days')
    .option(
      '--name <name>',
      'name of the key, which the customer sees, such as "ERP, production"',
      parseKeyName,
    )
    .option(
      '--scopes <scopes>',
      `limit the key to these scopes, separated by commas; * is all but ${onlyNamedScopes.join(', ')}, so '*,${accountScope},${rotateScope}' adds two (default: all but ${auditScope} and ${rotateScope})`,
      parseScopes,
    )
    .option(
      '--expires <when>',
      'last day (UTC), instant or time from now, such as 90d, in s, m (minutes), h or d (default: no end). With --link, the key lives as long from the use of the link',
      parseExpiry,
    )
    .option(
      '--networks <networks>',
      'limit the key to these networks, separated by commas (default: any address)',
      parseNetworks,
    )
    .action((slug: string, options: IssueOptions) => issue(shell, slug, options, kinds))
