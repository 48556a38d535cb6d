import { Argument, Command, Option } from 'commander'
import type { AuditAction } from '../../audit/record.ts'
import type { Db, Plan } from '../../db/schema.ts'
import { listApiKeys } from '../../identity/api-key-store.ts'
import {
  addCustomer,
  type Customer,
  type CustomerChanges,
  changeCustomer,
  findCustomer,
  listCustomers,
  plans,
} from '../../identity/customers.ts'
import { demoCustomerId } from '../../identity/principal.ts'
import { countRecords } from '../gdpr/count.ts'
import { parseDays, parseName, parseSlug } from './arguments.ts'
import { changeAudited, recordAct } from './audited.ts'
import { withOperator } from './context.ts'
import { customerDataCommands } from './customer-data.ts'
import { createCommand, formatFields, formatTable, type Output, print } from './output.ts'
import { Refusal } from './refusal.ts'
import { withScopes } from './scopes.ts'
import type { Shell } from './shell.ts'

const printCustomer = (shell: Shell, options: Output, customer: Customer) =>
  print(shell, options, customer, formatFields(customer))

/** The customer, or the refusal that every command makes of an unknown one. */
export const requireCustomer = (customer: Customer | undefined, slug: string): Customer => {
  if (!customer) throw new Refusal(`There is no customer ${slug}`)
  return customer
}

const add = async (
  shell: Shell,
  slug: string,
  options: Output & { name?: string; plan: Plan },
): Promise<void> => {
  if (slug === demoCustomerId) throw new Refusal(`${slug} is the customer of the example data`)
  const name = options.name ?? slug
  const { plan } = options
  const added = await withOperator(shell, (db) =>
    changeAudited(
      db,
      (trx) => addCustomer(trx, { customerId: slug, name, plan }),
      () => ({ action: 'customers.add', customer: slug, details: { plan } }),
    ),
  )
  if (!added) throw new Refusal(`The customer ${slug} exists already`)
  printCustomer(shell, options, added)
}

const list = async (shell: Shell, options: Output): Promise<void> => {
  const customers = await withOperator(shell, async (db) => {
    await recordAct(db, { action: 'customers.list' })
    return listCustomers(db)
  })
  print(shell, options, customers, formatTable(customers, 'no customers yet'))
}

const show = (shell: Shell, slug: string, options: Output): Promise<void> =>
  withOperator(shell, async (db) => {
    await recordAct(db, { action: 'customers.show', customer: slug })
    const customer = requireCustomer(await findCustomer(db, slug), slug)
    const records = await countRecords(db, slug)
    const keys = await withScopes(db, await listApiKeys(db, slug))
    const text = [formatFields({ ...customer, ...records }), formatTable(keys, 'no keys yet')].join('\n\n')
    print(shell, options, { ...customer, records, keys }, text)
  })

/** The change that a command makes, by the name the audit trail has for it. */
type Change = { action: AuditAction; changes: CustomerChanges }

/** As the trail has them: named as the columns, and nothing that was not changed. */
const toDetails = ({ expiringWithin, ...others }: CustomerChanges) => ({
  ...others,
  ...(expiringWithin === undefined ? {} : { expiring_within: expiringWithin }),
})

const applyChange = (db: Db, slug: string, { action, changes }: Change) =>
  changeAudited(
    db,
    (trx) => changeCustomer(trx, slug, changes),
    () => ({ action, customer: slug, details: toDetails(changes) }),
  )

const change = async (shell: Shell, wanted: Change, slug: string, options: Output): Promise<void> => {
  const customer = await withOperator(shell, (db) => applyChange(db, slug, wanted))
  printCustomer(shell, options, requireCustomer(customer, slug))
}

const settings = async (
  shell: Shell,
  slug: string,
  options: Output & { expiringWithin?: number },
): Promise<void> => {
  const { expiringWithin } = options
  const action = 'customers.settings'
  const customer = await withOperator(shell, async (db) => {
    if (expiringWithin !== undefined) return applyChange(db, slug, { action, changes: { expiringWithin } })
    await recordAct(db, { action, customer: slug })
    return findCustomer(db, slug)
  })
  const { expiring_within } = requireCustomer(customer, slug)
  print(shell, options, { customer: slug, expiring_within }, formatFields({ expiring_within }))
}

const forCustomer = (name: string, description: string): Command =>
  createCommand(name, description).argument('<customer>', 'slug of the customer', parseSlug)

/** `certdata customers …` */
export const customersCommand = (shell: Shell): Command => {
  const command = new Command('customers')
    .description('the customers and their plans')
    .addCommand(
      forCustomer('add', 'add a customer')
        .option('--name <name>', 'its name (default: the slug)', parseName)
        .addOption(new Option('--plan <plan>', 'its plan').choices(plans).default('basic'))
        .action(add.bind(null, shell)),
    )
    .addCommand(createCommand('list', 'all customers').action(list.bind(null, shell)))
    .addCommand(
      forCustomer('show', 'show a customer, the number of its records, and its keys').action(
        show.bind(null, shell),
      ),
    )
    .addCommand(
      forCustomer('set-plan', 'change the plan')
        .addArgument(new Argument('<plan>', 'the new plan').choices(plans))
        .action((slug: string, plan: Plan, options: Output) =>
          change(shell, { action: 'customers.set-plan', changes: { plan } }, slug, options),
        ),
    )
    .addCommand(
      forCustomer('suspend', 'refuse its requests until it is resumed').action(
        change.bind(null, shell, { action: 'customers.suspend', changes: { suspended: true } }),
      ),
    )
    .addCommand(
      forCustomer('resume', 'end a suspension').action(
        change.bind(null, shell, { action: 'customers.resume', changes: { suspended: false } }),
      ),
    )
    .addCommand(
      forCustomer('settings', 'show or change the settings')
        .option(
          '--expiring-within <days>',
          'days before its end from which a certificate counts as expiring',
          parseDays,
        )
        .action(settings.bind(null, shell)),
    )
  for (const each of customerDataCommands(shell)) command.addCommand(each)
  return command
}
