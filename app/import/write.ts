import { CompiledQuery, sql, type Transaction } from 'kysely'
import type { Database } from '../db/schema.ts'
import type { Resource } from '../records/resources/define.ts'
import { resources } from '../records/resources/index.ts'
import { copyToShadows } from './dry-run.ts'
import type { BadLine, ParsedLine } from './line.ts'
import { quoteText } from './quote.ts'
import { describeRefusal } from './refusal.ts'
import type { BatchOutcome } from './report.ts'
import { type ChangedRow, type ImportRows, toRows, upsertStatement } from './statement.ts'

export type WriteOptions = { isAudited: boolean; dryRun: boolean }

/** SQLSTATE classes 22 (data), 23 (constraints) and 54 (index entry too large), and P0001 (triggers). */
const isLineFault = (error: unknown): error is Error => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(22|23|54)...$/.test(code) || code === 'P0001'
}

type Outcome = BatchOutcome & { bad: BadLine[] }

type States = Readonly<Record<string, readonly string[]>>

const listReachable = (states: States, from: string): Set<string> => {
  const reached = new Set<string>()
  const open = [from]
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const next of states[state] ?? []) {
      if (!reached.has(next)) open.push(next)
      reached.add(next)
    }
  }
  return reached
}

const isReachable = (resource: Resource, field: string, from: string, to: string): boolean =>
  from === to || listReachable(resource.importing.expectedTransitions[field] ?? {}, from).has(to)

const warnOfTransitions = ({ key, line, record }: ParsedLine, before: Record<string, string>) =>
  Object.entries(before)
    .filter(([field, state]) => !isReachable(resources[key.resource], field, state, String(record[field])))
    .map(([field, state]) => ({ line, reason: `${field}: ${record[field]} cannot follow ${state}` }))

const warnOfRepetition = (line: number, other: number, id: string) => {
  const [earlier, later] = line < other ? [line, other] : [other, line]
  const reason = `id: line ${earlier} has the same id, and this later line replaces it; found ${quoteText(id)}`
  return { line: later, reason }
}

const addChanges = (outcome: Outcome, entries: readonly ParsedLine[], rows: readonly ChangedRow[]) => {
  const byLine = new Map(entries.map((entry) => [entry.line, entry]))
  outcome.customersCreated += rows[0]?.customers_created ?? 0
  for (const row of rows) {
    const { line, created, differs, other, before } = row
    const entry = byLine.get(line) as ParsedLine
    const { id, customer } = entry.key
    if (other !== null) outcome.warnings.push(warnOfRepetition(line, other, id))
    if (other !== null && other > line) byLine.delete(line)
    if (!byLine.has(line) || !(created || differs)) continue
    const kind = created ? 'created' : 'updated'
    outcome[kind] += 1
    const changes = outcome.byCustomer.get(customer) ?? {}
    outcome.byCustomer.set(customer, { ...changes, [kind]: (changes[kind] ?? 0) + 1 })
    if (before) outcome.warnings.push(...warnOfTransitions(entry, before))
  }
  outcome.good += entries.length
  for (const { line, warnings, trimmed } of byLine.values()) {
    outcome.trimmed += trimmed
    outcome.warnings.push(...warnings.map((reason) => ({ line, reason })))
  }
}

/** Writes rows and adds the effects to `outcome`. Halves rows that the database refuses, to find the bad line. */
export const writeRows = async (
  trx: Transaction<Database>,
  rows: ImportRows,
  options: WriteOptions,
  outcome: Outcome,
): Promise<void> => {
  const { resource, entries, input } = rows
  const statement = upsertStatement(resource)
  await sql`savepoint import_rows`.execute(trx)
  try {
    if (options.dryRun) await copyToShadows(trx, rows)
    const { rows: changes } = await trx.executeQuery<ChangedRow>(CompiledQuery.raw(statement, [...input]))
    await sql`release savepoint import_rows`.execute(trx)
    addChanges(outcome, entries, changes)
  } catch (error) {
    if (!isLineFault(error)) throw error
    await sql`rollback to savepoint import_rows`.execute(trx)
    await sql`release savepoint import_rows`.execute(trx)
    const [{ line, key }, ...more] = entries as [ParsedLine, ...ParsedLine[]]
    if (more.length === 0) {
      outcome.bad.push({ line, key, reason: describeRefusal(error, entries[0] as ParsedLine) })
      return
    }
    const half = Math.ceil(entries.length / 2)
    await writeRows(trx, toRows(entries.slice(0, half)), options, outcome)
    await writeRows(trx, toRows(entries.slice(half)), options, outcome)
  }
}
