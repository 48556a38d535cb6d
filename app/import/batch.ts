import type { Db } from '../db/schema.ts'
import type { BadLine, ParsedLine } from './line.ts'
import { rememberKeys } from './replace.ts'
import type { BatchOutcome } from './report.ts'
import { inImportTransaction, recordChanges } from './transaction.ts'
import { type ImportRows, toRows, type WriteOptions, writeRows } from './write.ts'

/** Lines that go in together: the bound of a transaction, and of what is lost when it fails. */
const maxBatchLines = 5000
/** Characters of text that go in together: the bound of memory where lines are long. */
const maxBatchCharacters = 4 * 2 ** 20

/** Lines read and not yet written; `characters` of text in all of them. */
export type Batch = { entries: ParsedLine[]; bad: BadLine[]; characters: number }

/** A batch to begin with. */
export const emptyBatch = (): Batch => ({ entries: [], bad: [], characters: 0 })

/** Whether the batch has as much as a transaction or the memory may take. */
export const isFull = ({ entries, bad, characters }: Batch): boolean =>
  entries.length + bad.length >= maxBatchLines || characters >= maxBatchCharacters

/**
 * Rows that one statement may take: of one resource, each key once. A line whose key came before goes to a
 * later group, so that the last line wins and every line is counted for what it does.
 */
const groupRows = (entries: readonly ParsedLine[]): ParsedLine[][] => {
  const occurrences = new Map<string, number>()
  const groups = Map.groupBy(entries, ({ key: { resource, customer, id } }) => {
    const place = `${resource} ${customer} ${id}`
    const occurrence = occurrences.get(place) ?? 0
    occurrences.set(place, occurrence + 1)
    return `${resource} ${String(occurrence).padStart(6, '0')}`
  })
  // The same order in every import, so that imports side by side do not deadlock.
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

/** One name for each customer, the first line's: they may differ, and rows go in by resource. */
const nameCustomers = (entries: readonly ParsedLine[]): ParsedLine[] => {
  const names = new Map<string, string>()
  return entries.map((entry) => {
    const { customer } = entry.key
    const customerName = names.get(customer) ?? entry.customerName
    names.set(customer, customerName)
    return customerName === entry.customerName ? entry : { ...entry, customerName }
  })
}

/** A batch as it is sent: rows of one resource each, in their order. */
export type PreparedBatch = Readonly<{ groups: readonly ImportRows[]; bad: readonly BadLine[] }>

/** Does what needs no database, so that it can be done while that is at work. */
export const prepareBatch = ({ entries, bad }: Batch): PreparedBatch => ({
  groups: groupRows(nameCustomers(entries)).map(toRows),
  bad,
})

/**
 * Writes a batch in one transaction and says what it did. Tries again after a deadlock.
 * Throws the driver's error when the database fails otherwise; then nothing of the batch is written.
 */
export const writeBatch = (
  db: Db,
  { groups, bad }: PreparedBatch,
  options: WriteOptions,
  dryRun: boolean,
): Promise<BatchOutcome> =>
  inImportTransaction(db, dryRun, async (trx) => {
    const none = { good: 0, created: 0, updated: 0, customersCreated: 0, warnings: [], byCustomer: new Map() }
    const outcome: BatchOutcome & { bad: BadLine[] } = { ...none, bad: [...bad] }
    for (const group of groups) await writeRows(trx, group, options, outcome)
    if (options.remember) await rememberKeys(trx, outcome.bad)
    if (options.isAudited) await recordChanges(trx, outcome.byCustomer)
    return outcome
  })
