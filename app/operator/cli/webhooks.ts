import { type Command, InvalidArgumentError } from 'commander'
import { maskQuery } from '../../audit/mask-query.ts'
import type { AuditAction } from '../../audit/record.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { Db } from '../../db/schema.ts'
import { createTokenCodec } from '../../feed/token.ts'
import { createWebhookKeys } from '../../feed/webhooks/keys.ts'
import { findPlaceOfNow } from '../../feed/webhooks/look.ts'
import { createDeliver, createMessageId, isDelivered } from '../../feed/webhooks/message.ts'
import {
  activateWebhook,
  addWebhook,
  disableWebhook,
  findWebhook,
  listWebhooks,
  mostWebhooks,
  noteWebhookResult,
  removeWebhook,
  type Webhook,
} from '../../feed/webhooks/store.ts'
import { createOutbound, parseTarget } from '../../http/outbound.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { resourceNames } from '../../records/resources/index.ts'
import { parseSlug } from './arguments.ts'
import { changeAsOperator, changeAudited, recordAct, requireCustomer } from './audited.ts'
import { withOperator } from './context.ts'
import { Refusal } from './refusal.ts'
import { createCommand, createGroup, formatTable, type Output, print, type Shell } from './shell.ts'

const parseUrl = (text: string): string => {
  try {
    return parseTarget(text).href
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

const parseResources = (text: string): ResourceName[] => {
  const names = text.split(',')
  const unknown = names.find((name) => !(resourceNames as readonly string[]).includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`expected some of ${resourceNames.join(', ')}`)
  return resourceNames.filter((name) => names.includes(name))
}

const noWebhook = (id: string) => new Refusal(`There is no webhook ${id}`)

const requireWebhook = async (db: Db, id: string): Promise<Webhook> => {
  const webhook = await findWebhook(db, id)
  if (!webhook) throw noWebhook(id)
  return webhook
}

const describeAct =
  (action: AuditAction, details: Record<string, unknown> = {}) =>
  (webhook: Webhook) => ({
    ...{ action, customer: webhook.customer, subject: webhook.webhook_id },
    details: { url: maskQuery(webhook.url), ...details },
  })

const sendTest = async (shell: Shell, db: Db, secrets: Secrets, webhook: Webhook): Promise<void> => {
  const { outbound = createOutbound() } = shell
  const deliver = createDeliver({ outbound, keys: createWebhookKeys(secrets), now: Date.now })
  const { url, resources, webhook_id: id } = webhook
  const at = new Date().toISOString()
  const result = await deliver(url, { id: createMessageId(), type: 'webhook.test', at, data: { resources } })
  await changeAudited(
    db,
    async (trx) => {
      await noteWebhookResult(trx, id, result.result)
      return webhook
    },
    describeAct('webhooks.test', { result: result.result }),
  )
  if (!isDelivered(result)) {
    throw new Refusal(`The receiver of ${id} did not take the test message: ${result.result}`)
  }
}

const verify = async (shell: Shell, db: Db, secrets: Secrets, webhook: Webhook): Promise<Webhook> => {
  const { webhook_id: id, customer: customerId, resources } = webhook
  const tokens = createTokenCodec(secrets)
  // Before the test, so that changes during the test are sent later.
  const place = await findPlaceOfNow({ db, tokens, now: Date.now }, { customerId, resources })
  await sendTest(shell, db, secrets, webhook)
  const act = describeAct('webhooks.enable')
  const active = await changeAudited(db, (trx) => activateWebhook(trx, id, place), act)
  if (!active) throw noWebhook(id)
  return active
}

type AddOptions = Output & { resources?: ResourceName[] }

const add = async (shell: Shell, slug: string, url: string, options: AddOptions): Promise<void> => {
  const { resources = resourceNames } = options
  const active = await withOperator(shell, async (db, openSecrets) => {
    await requireCustomer(db, slug)
    const added = await changeAudited(
      db,
      (trx) => addWebhook(trx, { customer: slug, url, resources }),
      describeAct('webhooks.add', { resources }),
    )
    if (!added) throw new Refusal(`${slug} has ${mostWebhooks} webhooks, which is the most`)
    return verify(shell, db, openSecrets(), added)
  })
  print(shell, options, active)
}

const list = async (shell: Shell, slug: string | undefined, options: Output): Promise<void> => {
  const listed = await withOperator(shell, async (db) => {
    await recordAct(db, { action: 'webhooks.list', customer: slug })
    if (slug !== undefined) await requireCustomer(db, slug)
    return listWebhooks(db, slug)
  })
  print(shell, options, listed, formatTable(listed, 'no webhooks yet'))
}

const test = async (shell: Shell, id: string, options: Output): Promise<void> => {
  const tested = await withOperator(shell, async (db, openSecrets) => {
    const webhook = await requireWebhook(db, id)
    if (webhook.state === 'unverified') return verify(shell, db, openSecrets(), webhook)
    await sendTest(shell, db, openSecrets(), webhook)
    return requireWebhook(db, id)
  })
  print(shell, options, tested)
}

const enable = async (shell: Shell, id: string, options: Output): Promise<void> =>
  print(
    shell,
    options,
    await withOperator(shell, async (db, openSecrets) =>
      verify(shell, db, openSecrets(), await requireWebhook(db, id)),
    ),
  )

type Change = (db: Db, id: string) => Promise<Webhook | undefined>

const change =
  (shell: Shell, action: AuditAction, apply: Change) =>
  async (id: string, options: Output): Promise<void> => {
    const changed = await changeAsOperator(shell, (trx) => apply(trx, id), describeAct(action))
    if (!changed) throw noWebhook(id)
    print(shell, options, changed)
  }

const forWebhook = (name: string, description: string): Command =>
  createCommand(name, description).argument('<webhook_id>', 'the id, as webhooks list shows it')

/** `certdata webhooks …` */
export const webhooksCommand = (shell: Shell): Command =>
  createGroup(
    'webhooks',
    'addresses of customers that are told when something changes',
    createCommand('add', 'add an address, and send a test message: it is active when its receiver takes that')
      .argument('<customer>', 'slug of the customer', parseSlug)
      .argument('<url>', 'https address on port 443', parseUrl)
      .option('--resources <names>', 'only these, separated by commas (default: all)', parseResources)
      .action(add.bind(null, shell)),
    createCommand('list', 'list the webhooks of one customer or of all, with how they fare')
      .argument('[customer]', 'slug of the customer', parseSlug)
      .action(list.bind(null, shell)),
    forWebhook('test', 'send a test message; one that was not verified is active then').action(
      test.bind(null, shell),
    ),
    forWebhook('enable', 'send a test message, and then what changed since the webhook stopped').action(
      enable.bind(null, shell),
    ),
    forWebhook('disable', 'send nothing until it is enabled').action(
      change(shell, 'webhooks.disable', disableWebhook),
    ),
    forWebhook('remove', 'forget the address for good').action(
      change(shell, 'webhooks.remove', removeWebhook),
    ),
  )
