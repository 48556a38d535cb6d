import { type Command, InvalidArgumentError } from 'commander'
import { maskQuery } from '../../audit/mask-query.ts'
import type { AuditAction } from '../../audit/record.ts'
import { parseSlug, parseWith } from '../../command-line/arguments.ts'
import { changeAsOperator, changeAudited, recordAct, requireCustomer } from '../../command-line/audited.ts'
import { type Confirmable, confirm, withYes } from '../../command-line/confirm.ts'
import { withOperator } from '../../command-line/context.ts'
import { Refusal } from '../../command-line/refusal.ts'
import {
  createCommand,
  createGroup,
  createTableCommand,
  type Output,
  print,
  type Shell,
  type TableOutput,
} from '../../command-line/shell.ts'
import { printTable } from '../../command-line/table.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { Db } from '../../db/schema.ts'
import { createOutbound, parseTarget } from '../../http/outbound.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { resourceNames } from '../../records/resources/index.ts'
import { createTokenCodec } from '../feed/token.ts'
import { findCurrentPosition } from './find-changes.ts'
import { createWebhookKeys } from './keys.ts'
import { createDeliver, createMessageId, isDelivered } from './message.ts'
import {
  activateWebhook,
  addWebhook,
  type Delivery,
  disableWebhook,
  findWebhook,
  listDeliveries,
  listWebhooks,
  mostWebhooks,
  noteWebhookResult,
  removeWebhook,
  type Webhook,
} from './store.ts'

/** Refuses private IP addresses. */
const parseHttpsUrl = parseWith((value) => parseTarget(value).href)

const parseResources = (text: string): ResourceName[] => {
  const names = text.split(',')
  const unknown = names.find((name) => !(resourceNames as readonly string[]).includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`expected some of ${resourceNames.join(', ')}`)
  return resourceNames.filter((name) => names.includes(name))
}

const noWebhook = (id: string) => new Refusal(`There is no webhook ${id}: see certdata webhooks list`)
const tooMany = (slug: string) => new Refusal(`${slug} has ${mostWebhooks} webhooks, the maximum`)

const requireWebhook = async (db: Db, id: string): Promise<Webhook> => {
  const webhook = await findWebhook(db, id)
  if (!webhook) throw noWebhook(id)
  return webhook
}

const describeAct =
  (action: AuditAction, details: Record<string, unknown> = {}) =>
  (webhook: Webhook) => ({
    action,
    customer: webhook.customer,
    subject: webhook.webhook_id,
    details: { url: maskQuery(webhook.url), ...details },
  })

/** Sends and audits a test message. Throws a Refusal if it is not accepted. `next`: the command to repeat. */
const sendTest = async (
  shell: Shell,
  { db, secrets }: Readonly<{ db: Db; secrets: Secrets }>,
  {
    url,
    resources,
    customer,
    webhook_id: id,
  }: Pick<Webhook, 'url' | 'resources' | 'customer'> & Partial<Webhook>,
  next: string,
): Promise<Delivery> => {
  const { outbound = createOutbound() } = shell
  const deliver = createDeliver({ outbound, keys: createWebhookKeys(secrets), now: Date.now })
  const at = new Date().toISOString()
  const messageId = createMessageId()
  const sent = await deliver(url, { id: messageId, type: 'webhook.test', at, data: { resources } })
  const { result } = sent
  const delivery = { at, message_id: messageId, result }
  if (id !== undefined) await noteWebhookResult(db, id, delivery)
  const details = { url: maskQuery(url), result }
  await recordAct(db, { action: 'webhooks.test', customer, subject: id, details })
  if (isDelivered(sent)) return delivery
  throw new Refusal(`The receiver did not accept the test message: ${result}. Correct it, then run: ${next}`)
}

const enable = async (shell: Shell, id: string, options: Output): Promise<void> => {
  const enabled = await withOperator(shell, async (db, openSecrets) => {
    const webhook = await requireWebhook(db, id)
    await sendTest(shell, { db, secrets: openSecrets() }, webhook, `certdata webhooks enable ${id}`)
    return changeAudited(db, (trx) => activateWebhook(trx, id), describeAct('webhooks.enable'))
  })
  if (!enabled) throw noWebhook(id)
  print(shell, options, enabled)
}

type AddOptions = Output & { resources?: ResourceName[] }

const add = async (shell: Shell, slug: string, url: string, options: AddOptions): Promise<void> => {
  const { resources = [...resourceNames] } = options
  const active = await withOperator(shell, async (db, openSecrets) => {
    await requireCustomer(db, slug)
    if ((await listWebhooks(db, slug)).length >= mostWebhooks) throw tooMany(slug)
    const tokens = createTokenCodec(openSecrets())
    // Before the test, so that changes during the test are sent later.
    const position = await findCurrentPosition({ db, tokens, now: Date.now }, { customerId: slug, resources })
    const only = options.resources ? ` --resources ${resources.join(',')}` : ''
    // A URL may contain single quotes, which end a quoted word of the shell.
    const quoted = `'${url.replaceAll("'", "'\\''")}'`
    const next = `certdata webhooks add ${slug} ${quoted}${only}`
    const delivery = await sendTest(
      shell,
      { db, secrets: openSecrets() },
      { customer: slug, url, resources },
      next,
    )
    return changeAudited(
      db,
      async (trx) => {
        const { result } = delivery
        const added = await addWebhook(trx, { customer: slug, url, resources, position, result })
        if (added) await noteWebhookResult(trx, added.webhook_id, delivery)
        return added
      },
      describeAct('webhooks.add', { resources }),
    )
  })
  if (!active) throw tooMany(slug)
  print(shell, options, active)
}

const toCells = ({ webhook_id, customer, url, state, last_result, ...rest }: Webhook) => ({
  webhook_id,
  customer,
  url,
  state,
  last_result,
  ...rest,
})

const list = async (shell: Shell, slug: string | undefined, options: TableOutput): Promise<void> => {
  const listed = await withOperator(shell, async (db) => {
    await recordAct(db, { action: 'webhooks.list', customer: slug })
    if (slug !== undefined) await requireCustomer(db, slug)
    return listWebhooks(db, slug)
  })
  printTable(shell, options, listed, { none: 'no webhooks yet', cells: listed.map(toCells) })
}

const deliveries = async (shell: Shell, id: string, options: TableOutput): Promise<void> => {
  const listed = await withOperator(shell, async (db) => {
    const webhook = await requireWebhook(db, id)
    await recordAct(db, { action: 'webhooks.list', customer: webhook.customer, subject: id })
    return listDeliveries(db, webhook)
  })
  printTable(shell, options, listed, { none: 'no attempts yet' })
}

const test = async (shell: Shell, id: string, options: Output): Promise<void> => {
  const tested = await withOperator(shell, async (db, openSecrets) => {
    const webhook = await requireWebhook(db, id)
    await sendTest(shell, { db, secrets: openSecrets() }, webhook, `certdata webhooks test ${id}`)
    return requireWebhook(db, id)
  })
  print(shell, options, tested)
}

const remove = async (shell: Shell, id: string, options: Confirmable): Promise<void> => {
  const removed = await withOperator(shell, async (db) => {
    const { customer, url } = await requireWebhook(db, id)
    const consequence = `The webhook ${id} of ${customer} to ${maskQuery(url)} is deleted for good, with its place in the changes`
    await confirm(shell, options, consequence)
    return changeAudited(db, (trx) => removeWebhook(trx, id), describeAct('webhooks.remove'))
  })
  if (!removed) throw noWebhook(id)
  print(shell, options, removed)
}

const disable = async (shell: Shell, id: string, options: Output): Promise<void> => {
  const disabled = await changeAsOperator(
    shell,
    (trx) => disableWebhook(trx, id),
    describeAct('webhooks.disable'),
  )
  if (!disabled) throw noWebhook(id)
  print(shell, options, disabled)
}

const withId = (command: Command): Command =>
  command.argument('<webhook_id>', 'the id, as webhooks list shows it')
const forWebhook = (name: string, description: string): Command => withId(createCommand(name, description))

/** `certdata webhooks …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'webhooks',
    'addresses of customers that get a message when records change',
    createCommand('add', 'send a test message to an address, and add it if its receiver accepts that')
      .argument('<customer>', 'slug of the customer', parseSlug)
      .argument('<url>', 'https address on port 443', parseHttpsUrl)
      .option('--resources <names>', 'only these, separated by commas (default: all)', parseResources)
      .action(add.bind(null, shell)),
    createTableCommand('list', 'list the webhooks of one customer or of all, with their results')
      .argument('[customer]', 'slug of the customer', parseSlug)
      .action(list.bind(null, shell)),
    withId(createTableCommand('deliveries', 'list the last 20 attempts to reach the receiver')).action(
      deliveries.bind(null, shell),
    ),
    forWebhook('test', 'send a test message').action(test.bind(null, shell)),
    forWebhook('enable', 'send a test message, and then what changed since the webhook stopped').action(
      enable.bind(null, shell),
    ),
    forWebhook('disable', 'send nothing until it is enabled').action(disable.bind(null, shell)),
    withYes(forWebhook('remove', 'forget the address for good')).action(remove.bind(null, shell)),
  )
