import type { Command } from 'commander'
import { type AuditAction, type AuditEvent, recordEvents } from '../audit/record.ts'
import type { Db } from '../db/schema.ts'
import { type Customer, findCustomer } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { type UseDatabase, withOperator } from './context.ts'
import { Refusal } from './refusal.ts'
import { createTableCommand, type Shell, type TableOutput } from './shell.ts'
import { printTable } from './table.ts'

type OperatorAct = Omit<AuditEvent, 'actor'>

/** Records an act of the operator. Call it before the operator sees data. */
export const recordAct = (db: Db, act: OperatorAct): Promise<void> =>
  recordEvents(db, [{ actor: 'operator', ...act }])

/** Runs and audits a change in one transaction. Writes no entry if `change` returns `undefined` or null. */
export const changeAudited = <T>(
  db: Db,
  change: (trx: Db) => Promise<T>,
  describe: (changed: NonNullable<T>) => OperatorAct,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    const changed = await change(trx)
    if (changed !== undefined && changed !== null) await recordAct(trx, describe(changed))
    return changed
  })

/** Runs `changeAudited` with the operator's connection. */
export const changeAsOperator = <T>(
  shell: Shell,
  change: UseDatabase<T>,
  describe: (changed: NonNullable<T>) => OperatorAct,
): Promise<T> =>
  withOperator(shell, (db, openSecrets) => changeAudited(db, (trx) => change(trx, openSecrets), describe))

type AuditedList<Row> = Readonly<{
  action: AuditAction
  description: string
  /** Printed without rows. */
  none: string
  read: (db: Db) => Promise<Row[]>
  toCells?: (row: Row) => object
}>

/** Creates the command `list`, which audits itself and prints the rows of `read`. */
export const createList = <Row extends object>(
  shell: Shell,
  { action, description, none, read, toCells = (row) => row }: AuditedList<Row>,
): Command =>
  createTableCommand('list', description).action(async (options: TableOutput) => {
    const rows = await withOperator(shell, async (db) => {
      await recordAct(db, { action })
      return read(db)
    })
    printTable(shell, options, rows, { none, cells: rows.map(toCells) })
  })

/** Creates the refusal of an unknown customer. */
export const noCustomer = (slug: string): Refusal =>
  new Refusal(`There is no customer ${slug}: see certdata customers list`)

/** Returns the customer. Throws a Refusal if it does not exist. */
export const requireCustomer = async (db: Db, slug: string): Promise<Customer> => {
  const customer = await findCustomer(db, slug)
  if (!customer) throw noCustomer(slug)
  return customer
}

/** Throws a Refusal for the demo customer, which belongs to the service. */
export const requireNoDemo = (slug: string | undefined): void => {
  if (slug === demoCustomerId)
    throw new Refusal(
      `${slug} is the customer of the example data, which the service writes: name another customer`,
    )
}
