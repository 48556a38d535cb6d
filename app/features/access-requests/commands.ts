import { type Command, Option } from 'commander'
import { text } from '../../../schemas/fields.ts'
import { parseBy, parseName, parseSlug } from '../../command-line/arguments.ts'
import { changeAsOperator, createList, recordAct, requireNoDemo } from '../../command-line/audited.ts'
import { withOperator } from '../../command-line/context.ts'
import { addLink } from '../../command-line/issue.ts'
import { Refusal } from '../../command-line/refusal.ts'
import {
  createCommand,
  createGroup,
  formatNewLink,
  type Output,
  print,
  type Shell,
} from '../../command-line/shell.ts'
import { parseConfig } from '../../config/config.ts'
import type { Db, Plan } from '../../db/schema.ts'
import { addCustomer, customerSlug, plans } from '../../identity/customers.ts'
import {
  type AccessRequest,
  deleteOldRequests,
  listAccessRequests,
  lockOpenRequest,
  moveToCustomer,
  rejectRequest,
} from './store.ts'

const toCells = ({ id, status, company, email, due_at, overdue, message, ...rest }: AccessRequest) => ({
  id,
  status,
  company,
  email,
  due_at,
  overdue,
  message: message.replace(/\s+/g, ' '),
  ...rest,
})

const parseReason = parseBy(text.min(1, 'expected a reason'))

const noOpenRequest = (id: string) =>
  new Refusal(`There is no open request ${id}: see certdata requests list`)

/** German spelling. */
const expanded: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** "Ärzte & Weiß GmbH" → "aerzte-weiss-gmbh". `undefined` if no ASCII letter or digit remains. */
const toSlug = (company: string): string | undefined => {
  const lower = company.normalize('NFKC').toLowerCase()
  const german = lower.replace(/[äöüß]/g, (letter) => expanded[letter] ?? letter)
  const plain = german.normalize('NFKD').replace(/\p{M}/gu, '')
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, 64)
  return customerSlug.safeParse(slug.replace(/^-|-$/g, '')).data
}

type ApproveOptions = Output & { slug?: string; name?: string; plan: Plan }

const approveIn = async (shell: Shell, trx: Db, id: string, { slug, name, plan }: ApproveOptions) => {
  const request = await lockOpenRequest(trx, id)
  if (!request) throw noOpenRequest(id)
  const customer = slug ?? toSlug(request.company)
  if (customer === undefined)
    throw new Refusal('The name of the company cannot become a slug: give one with --slug')
  requireNoDemo(customer)
  const added = await addCustomer(trx, { customerId: customer, name: name ?? request.company, plan })
  if (!added) throw new Refusal(`The customer ${customer} exists already: give another --slug`)
  await moveToCustomer(trx, id, customer)
  await recordAct(trx, { action: 'requests.approve', customer, subject: id })
  await recordAct(trx, { action: 'customers.add', customer, details: { plan } })
  const { key_id, link, link_expires_at, scopes } = await addLink(shell, trx, added)
  const { name: contact, email } = request
  return { id, customer, contact, email, plan, key_id, link, link_expires_at, scopes }
}

const approve = async (shell: Shell, id: string, options: ApproveOptions): Promise<void> => {
  const approved = await withOperator(shell, (db) =>
    db.transaction().execute((trx) => approveIn(shell, trx, id, options)),
  )
  print(shell, options, approved, formatNewLink(approved, `${approved.contact} <${approved.email}>`))
}

const reject = async (shell: Shell, id: string, options: Output & { reason?: string }): Promise<void> => {
  const { reason = null } = options
  const rejected = await changeAsOperator(
    shell,
    (trx) => rejectRequest(trx, id, reason),
    // Without the reason: it may name a person, and an entry without a customer is never erased.
    () => ({ action: 'requests.reject', subject: id }),
  )
  if (!rejected) throw noOpenRequest(id)
  print(shell, options, { ...rejected, reason })
}

/** `certdata requests …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'requests',
    'access requests from the contact form',
    createList(shell, {
      action: 'requests.list',
      description: 'list open requests, then those decided recently',
      none: 'no requests',
      read: async (db) => {
        await deleteOldRequests(db, parseConfig(shell.env).accessRequestDays, 'operator')
        return listAccessRequests(db)
      },
      toCells,
    }),
    createCommand('approve', 'create the customer, and a link that shows its key once')
      .argument('<id>', 'id of the request, as requests list shows it')
      .option('--slug <slug>', "slug of the customer (default: of the company's name)", parseSlug)
      .option('--name <name>', "the customer's name (default: the company's)", parseName)
      .addOption(
        new Option('--plan <plan>', 'its plan')
          .choices(plans.filter((plan) => plan !== 'basic'))
          .default('premium'),
      )
      .action(approve.bind(null, shell)),
    createCommand('reject', 'reject the request')
      .argument('<id>', 'id of the request, as requests list shows it')
      .option('--reason <reason>', 'why; stored with the request (default: none)', parseReason)
      .action(reject.bind(null, shell)),
  )
