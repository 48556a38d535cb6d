import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ChainHead } from '../audit/chain.ts'
import { formatHead, parseHead } from '../audit/head.ts'
import { type AuditEntry, listEntries } from '../audit/list.ts'
import { pruneAudit } from '../audit/prune.ts'
import { collectReads } from '../audit/reads.ts'
import { auditActions } from '../audit/record.ts'
import { inSnapshot, type Verification, verifyAudit } from '../audit/verify.ts'
import { parseConfig } from '../config/config.ts'
import { dayMs } from '../config/units.ts'
import { parseCount, parseSince, parseSlug } from './arguments.ts'
import { recordAct } from './audited.ts'
import { type Confirmable, confirm, withYes } from './confirm.ts'
import { withOperator, withSchemaOwner } from './context.ts'
import { Refusal, Reported } from './refusal.ts'
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
import { printTable } from './table.ts'

const defaultLimit = 50

const parsePublished = (value: string): ChainHead => {
  const head = parseHead(value)
  if (!head) throw new InvalidArgumentError('expected a head as the log shows it: <number>:<43 characters>')
  return head
}

const toCells = (listed: AuditEntry) => {
  const { entry, at, actor, operator, customer, customer_ref, action, subject, outcome, details, ...rest } =
    listed
  return {
    entry,
    at,
    actor: operator ?? actor,
    customer: customer ?? (customer_ref && `erased ${customer_ref}`),
    action: details?.dry_run === true ? `${action} (dry run)` : action,
    subject,
    outcome,
    details: details && JSON.stringify(details),
    ...rest,
  }
}

type ListOptions = TableOutput & { action?: string; customer?: string; since?: string; limit: number }

const list = async (shell: Shell, options: ListOptions): Promise<void> => {
  const { action, customer, since, limit } = options
  const entries = await withOperator(shell, async (db) => {
    // Otherwise the list would lack reads for 70 s. Those of the last 5 s may still be in the instances.
    await collectReads(db, 'all')
    const found = await listEntries(db, { action, customer, since, limit })
    await recordAct(db, { action: 'audit.list', customer, details: { action, since, limit } })
    return found
  })
  printTable(shell, options, entries, { none: 'no entries yet', cells: entries.map(toCells) })
}

const toResult = ({ fault, head, ...counts }: Verification, published: ChainHead | undefined) => ({
  ok: fault === null,
  first_bad: fault && { seal: fault.sealNo, entry: fault.entryId, reason: fault.reason },
  ...counts,
  head: formatHead(head),
  compared_with: published ? formatHead(published) : null,
})

const describe = ({ first_bad, ...rest }: ReturnType<typeof toResult>): string => {
  const hint = 'Without --head a tail that was cut off cannot be seen: give the newest head from the log'
  const verdict = first_bad ? { first_bad: JSON.stringify(first_bad) } : {}
  return `${formatFields({ ...rest, ...verdict })}${rest.compared_with ? '' : `\n\n${hint}`}`
}

const verify = async (shell: Shell, options: Output & { head?: ChainHead }): Promise<void> => {
  const published = options.head
  const found = await withOperator(shell, async (db, openSecrets) => {
    const verification = await inSnapshot(db, (trx) => verifyAudit(trx, openSecrets(), published))
    const { fault, verified } = verification
    const outcome = fault ? 'refused' : 'ok'
    await recordAct(db, { action: 'audit.verify', outcome, details: { verified, fault } })
    return verification
  })
  // `anchor` is the last pruned seal: its head was kept and can be compared.
  if (!found.fault && published && published.sealNo < found.anchor) {
    throw new Refusal(`That head was pruned. Give the head of seal ${found.anchor} or a later one`)
  }
  const result = toResult(found, published)
  print(shell, options, result, describe(result))
  if (!result.ok) throw new Reported()
}

const prune = async (
  shell: Shell,
  { before: given, ...options }: Confirmable & { before?: string },
): Promise<void> => {
  const { auditDays } = parseConfig(shell.env)
  const before = given ?? new Date(Date.now() - auditDays * dayMs).toISOString()
  await confirm(shell, options, `All audit entries before ${before} are deleted for good`)
  const { fault, ...result } = await withSchemaOwner(shell, (db, openSecrets) =>
    pruneAudit(db, openSecrets(), before),
  )
  if (fault)
    throw new Refusal(`Nothing pruned: entry ${fault.entryId ?? '?'}, seal ${fault.sealNo}: ${fault.reason}`)
  print(shell, options, result)
}

/** `certdata audit …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'audit',
    'the audit trail: who did what, and who read what',
    createTableCommand('list', 'the newest entries')
      .option('--customer <slug>', 'only entries of this customer', parseSlug)
      .addOption(
        new Option('--action <action>', 'only entries of this action, such as login').choices(auditActions),
      )
      .option('--since <when>', 'only entries since this day (UTC) or instant', parseSince)
      .option('--limit <count>', 'greatest number of entries', parseCount, defaultLimit)
      .action(list.bind(null, shell)),
    createCommand('verify', 'verify the chain of seals; exit code 1 names the first bad entry')
      .option(
        '--head <head>',
        'a head from the log: shows whether newer entries were deleted',
        parsePublished,
      )
      .action(verify.bind(null, shell)),
    withYes(createCommand('prune', 'delete old entries; the rest still verifies'))
      .option(
        '--before <when>',
        'entries older than this day (UTC) or instant; default: AUDIT_DAYS ago',
        parseSince,
      )
      .action(prune.bind(null, shell)),
  )
