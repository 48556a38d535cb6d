import { sql, type Transaction } from 'kysely'
import type { Database, Db } from '../db/schema.ts'
import type { ImportEntry } from './entry.ts'
import type { BadLine, ParsedLine } from './line.ts'
import { rememberKeys } from './replace.ts'
import type { BatchOutcome } from './report.ts'
import { type ImportRows, toRows } from './statement.ts'
import { inImportTransaction, recordChanges } from './transaction.ts'
import { type WriteOptions, writeRows } from './write.ts'

/** Bounds a transaction, and the lines that are lost if it fails. */
const maxBatchLines = 5000
const maxBatchCharacters = 4 * 2 ** 20

type Batch = { entries: ParsedLine[]; bad: BadLine[]; characters: number }

const emptyBatch = (): Batch => ({ entries: [], bad: [], characters: 0 })

const isFull = ({ entries, bad, characters }: Batch): boolean =>
  entries.length + bad.length >= maxBatchLines || characters >= maxBatchCharacters

/**
 * Each group has one resource and unique keys. The last line of a record is in the first group of its resource, so that
 * only it is written, or the line before if the database refuses it.
 */
const groupRows = (entries: readonly ParsedLine[]): ParsedLine[][] => {
  const laterLines = new Map<string, number>()
  const groups = Map.groupBy(entries.toReversed(), ({ key: { resource, customer, id } }) => {
    const place = `${resource} ${customer} ${id}`
    const later = laterLines.get(place) ?? 0
    laterLines.set(place, later + 1)
    return `${resource} ${String(later).padStart(6, '0')}`
  })
  // In the same order in every import, so that concurrent imports do not deadlock.
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group.reverse())
}

/** Gives all lines of a customer its first name that is not the slug: groups of a batch are not in line order. */
const nameCustomers = (entries: readonly ParsedLine[]): ParsedLine[] => {
  const names = new Map<string, string>()
  for (const { key, customerName } of entries) {
    const known = names.get(key.customer) ?? key.customer
    if (known === key.customer) names.set(key.customer, customerName)
  }
  return entries.map((entry) => {
    const customerName = names.get(entry.key.customer) as string
    return customerName === entry.customerName ? entry : { ...entry, customerName }
  })
}

type PreparedBatch = Readonly<{
  groups: readonly ImportRows[]
  bad: readonly BadLine[]
  /** Names of customers, by slug. */
  names: ReadonlyMap<string, string>
}>

const prepareBatch = ({ entries, bad }: Batch): PreparedBatch => {
  const named = nameCustomers(entries)
  const names = new Map(named.map(({ key, customerName }) => [key.customer, customerName]))
  for (const [slug, name] of names) if (name === slug) names.delete(slug)
  return { groups: groupRows(named).map(toRows), bad, names }
}

/** Names customers that have only their slug as name: an earlier batch created them without `customer_name`. */
const nameEarlierCustomers = async (trx: Transaction<Database>, names: ReadonlyMap<string, string>) => {
  if (names.size === 0) return
  await sql`update customers c set name = n.name
    from unnest(${[...names.keys()]}::text[], ${[...names.values()]}::text[]) as n (customer_id, name)
    where c.customer_id = n.customer_id and c.name = c.customer_id`.execute(trx)
}

const writeBatch = (
  db: Db,
  { groups, bad, names }: PreparedBatch,
  options: WriteOptions,
): Promise<BatchOutcome> =>
  inImportTransaction(db, options.dryRun, async (trx) => {
    const none = {
      good: 0,
      created: 0,
      updated: 0,
      trimmed: 0,
      customersCreated: 0,
      warnings: [],
      byCustomer: new Map(),
    }
    const outcome: BatchOutcome & { bad: BadLine[] } = { ...none, bad: [...bad] }
    if (!options.dryRun) await nameEarlierCustomers(trx, names)
    for (const group of groups) await writeRows(trx, group, options, outcome)
    await rememberKeys(trx, outcome.bad)
    if (options.isAudited && !options.dryRun) await recordChanges(trx, outcome.byCustomer)
    return outcome
  })

/**
 * Creates a writer of entries in batches, each in a transaction. It prepares a batch during the write of the previous
 * one. Writes stay in sequence, so that the last line of a record wins. `add` may reject with an earlier batch's error.
 */
export const createBatchWriter = (
  db: Db,
  options: WriteOptions,
  onWritten: (outcome: BatchOutcome) => void,
) => {
  let batch = emptyBatch()
  let written = Promise.resolve()
  const write = async (prepared: PreparedBatch) => onWritten(await writeBatch(db, prepared, options))
  const flush = async () => {
    const prepared = prepareBatch(batch)
    await written
    written = write(prepared)
    // No unhandled rejection: the error is thrown when `written` is awaited.
    written.catch(() => {})
    batch = emptyBatch()
  }
  return {
    async add({ parsed, characters }: ImportEntry) {
      if ('reason' in parsed) batch.bad.push(parsed)
      else batch.entries.push(parsed)
      batch.characters += characters
      if (isFull(batch)) await flush()
    },
    async end() {
      await flush()
      await written
    },
    /** Resolves when no write is in progress. Never rejects. */
    settle: () => written.catch(() => {}),
  }
}
