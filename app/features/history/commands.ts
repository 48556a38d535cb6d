import { Argument, type Command } from 'commander'
import { parseSlug } from '../../command-line/arguments.ts'
import { changeAsOperator, requireCustomer } from '../../command-line/audited.ts'
import { type Confirmable, confirm, withYes } from '../../command-line/confirm.ts'
import { Refusal } from '../../command-line/refusal.ts'
import { createCommand, createGroup, print, type Shell } from '../../command-line/shell.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'
import { forgetHistory } from './forget.ts'

const forget = async (
  shell: Shell,
  { customer, resource, id }: Readonly<{ customer: string; resource: ResourceName; id: string }>,
  options: Confirmable,
): Promise<void> => {
  const consequence = `All previous values of ${resource}/${id} of ${customer} are deleted for good`
  await confirm(shell, options, consequence)
  const forgotten = await changeAsOperator(
    shell,
    async (trx) => {
      await requireCustomer(trx, customer)
      return forgetHistory(trx, customer, resources[resource], id)
    },
    (changes) => ({
      action: 'history.forget',
      customer,
      details: { record: `${resource}/${id}`, changes },
    }),
  )
  if (forgotten === undefined) {
    throw new Refusal(`${customer} has no ${resources[resource].noun} ${id}, and no history of one`)
  }
  const text = `${forgotten} changes deleted; the history begins now`
  print(shell, options, { customer, resource, id, forgotten }, text)
}

/** `certdata history …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'history',
    'the previous values of records',
    withYes(createCommand('forget', 'delete all previous values of one record for good'))
      .argument('<customer>', 'slug of the customer', parseSlug)
      .addArgument(
        new Argument('<resource>', 'the resource').choices(
          resourceNames.filter((name) => !resources[name].reference),
        ),
      )
      .argument('<id>', 'id of the record')
      .action((customer: string, resource: ResourceName, id: string, options: Confirmable) =>
        forget(shell, { customer, resource, id }, options),
      ),
  )
