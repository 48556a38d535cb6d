import { Argument, type Command, Option } from 'commander'
import { sql } from 'kysely'
import type { AuditAction } from '../audit/record.ts'
import type { Db, Plan } from '../db/schema.ts'
import { listApiKeys, sortByEnd } from '../identity/api-key-store.ts'
import {
  addCustomer,
  type Customer,
  type CustomerChanges,
  changeCustomer,
  listCustomers,
  plans,
} from '../identity/customers.ts'
import { resourceNames, resources } from '../records/resources/index.ts'
import { parseDays, parseName, parseSlug } from './arguments.ts'
import {
  changeAsOperator,
  createList,
  noCustomer,
  recordAct,
  requireCustomer,
  requireNoDemo,
} from './audited.ts'
import { withOperator } from './context.ts'
import { Refusal } from './refusal.ts'
import { withScopes } from './scopes.ts'
import {
  createCommand,
  createGroup,
  createTableCommand,
  formatFields,
  type Output,
  print,
  type Shell,
  type TableOutput,
} from './shell.ts'
import { chooseLook, formatTable, toKeyCells } from './table.ts'

type AddOptions = Output & { name?: string; plan: Plan }

const add = async (shell: Shell, slug: string, options: AddOptions): Promise<void> => {
  requireNoDemo(slug)
  const { plan, name = slug } = options
  const added = await changeAsOperator(
    shell,
    (trx) => addCustomer(trx, { customerId: slug, name, plan }),
    () => ({ action: 'customers.add', customer: slug, details: { plan } }),
  )
  if (!added) throw new Refusal(`The customer ${slug} exists already`)
  print(shell, options, added)
}

const countRecords = async (db: Db, customerId: string): Promise<Record<string, number>> => {
  const names = resourceNames.filter((name) => !resources[name].reference)
  const counts = names.map(
    (name) => sql`select ${sql.lit(name)} as resource, count(*)::integer as records
      from ${sql.table(name)} where customer_id = ${customerId}`,
  )
  const { rows } = await sql<{ resource: string; records: number }>`
    ${sql.join(counts, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map((row) => [row.resource, row.records]))
}

const show = (shell: Shell, slug: string, options: TableOutput): Promise<void> =>
  withOperator(shell, async (db) => {
    await recordAct(db, { action: 'customers.show', customer: slug })
    const customer = await requireCustomer(db, slug)
    const records = await countRecords(db, slug)
    const keys = await withScopes(db, sortByEnd(await listApiKeys(db, slug)))
    const table = formatTable(keys.map(toKeyCells), 'no keys yet', chooseLook(shell, options))
    const text = `${formatFields({ ...customer, ...records })}\n\n${table}`
    print(shell, options, { ...customer, records, keys }, text)
  })

type Change = { action: AuditAction; changes: CustomerChanges }

const toDetails = ({ expiringWithin, ...others }: CustomerChanges) => ({
  ...others,
  ...(expiringWithin === undefined ? {} : { expiring_within: expiringWithin }),
})

const applyChange = async (shell: Shell, slug: string, { action, changes }: Change): Promise<Customer> => {
  const changed = await changeAsOperator(
    shell,
    (trx) => changeCustomer(trx, slug, changes),
    () => ({ action, customer: slug, details: toDetails(changes) }),
  )
  if (!changed) throw noCustomer(slug)
  return changed
}

const change = async (shell: Shell, wanted: Change, slug: string, options: Output): Promise<void> =>
  print(shell, options, await applyChange(shell, slug, wanted))

type SettingsOptions = Output & { expiringWithin?: number }

const settings = async (shell: Shell, slug: string, options: SettingsOptions): Promise<void> => {
  const { expiringWithin } = options
  const action = 'customers.settings'
  const show = async (db: Db) => {
    await recordAct(db, { action, customer: slug })
    return requireCustomer(db, slug)
  }
  const { expiring_within } = await (expiringWithin === undefined
    ? withOperator(shell, show)
    : applyChange(shell, slug, { action, changes: { expiringWithin } }))
  print(shell, options, { customer: slug, expiring_within }, formatFields({ expiring_within }))
}

const forCustomer = (name: string, description: string): Command =>
  createCommand(name, description).argument('<customer>', 'slug of the customer', parseSlug)

/** `certdata customers …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'customers',
    'the customers and their plans',
    forCustomer('add', 'add a customer')
      .option('--name <name>', 'its name (default: the slug)', parseName)
      .addOption(new Option('--plan <plan>', 'its plan').choices(plans).default('basic'))
      .action(add.bind(null, shell)),
    createList(shell, {
      action: 'customers.list',
      description: 'all customers',
      none: 'no customers yet',
      read: listCustomers,
    }),
    createTableCommand('show', 'show a customer, the number of its records, and its keys')
      .argument('<customer>', 'slug of the customer', parseSlug)
      .action(show.bind(null, shell)),
    forCustomer('set-plan', 'change the plan')
      .addArgument(new Argument('<plan>', 'the new plan').choices(plans))
      .action((slug: string, plan: Plan, options: Output) =>
        change(shell, { action: 'customers.set-plan', changes: { plan } }, slug, options),
      ),
    forCustomer('suspend', 'refuse its requests until it is resumed').action(
      change.bind(null, shell, { action: 'customers.suspend', changes: { suspended: true } }),
    ),
    forCustomer('resume', 'end a suspension').action(
      change.bind(null, shell, { action: 'customers.resume', changes: { suspended: false } }),
    ),
    forCustomer('settings', 'show or change the settings')
      .option(
        '--expiring-within <days>',
        'days before its end from which a certificate counts as expiring',
        parseDays,
      )
      .action(settings.bind(null, shell)),
  )
