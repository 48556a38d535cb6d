import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { resourceNames } from '../records/resources/index.ts'
import { emptyBatch, isFull, type PreparedBatch, prepareBatch, writeBatch } from './batch.ts'
import { createCountryCodeCheck } from './country-codes.ts'
import { copyToShadows, createShadows } from './dry-run.ts'
import { readEntries, type SourceOptions } from './entries.ts'
import { UnusableFile } from './file-kind.ts'
import { createSeen, deleteMissing } from './replace.ts'
import { addOutcome, emptyReport, type ImportReport } from './report.ts'

export type { ImportReport, NoteGroup } from './report.ts'
export type { ColumnMapping } from './table/columns.ts'
export { createDateReader } from './table/dates.ts'
export type { TableOptions } from './table/index.ts'

export type ImportOptions = SourceOptions & {
  /** Delete missing records of the customers in the source; if `table` names a resource, only of this one. */
  replace?: boolean
  force?: boolean
  dryRun?: boolean
  /** Write audit entries in the transactions of the changes. */
  isAudited?: boolean
  onProgress?: (report: Readonly<ImportReport>) => void
}

const importLines = async (
  db: Db,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions,
  report: ImportReport,
) => {
  const { replace = false, dryRun = false } = options
  if (replace) await createSeen(db)
  if (dryRun) await createShadows(db)
  const isAudited = (options.isAudited ?? false) && !dryRun
  const writing = { remember: replace, isAudited, ...(dryRun ? { prepare: copyToShadows } : {}) }
  const checkCountryCodes = createCountryCodeCheck()
  let batch = emptyBatch()
  let written = Promise.resolve()
  const write = async (prepared: PreparedBatch) => {
    addOutcome(report, await writeBatch(db, prepared, writing, dryRun))
    options.onProgress?.(report)
  }
  /** Prepares a batch during the write of the previous one. Writes stay in sequence: the last line wins. */
  const flush = async () => {
    const prepared = prepareBatch(batch)
    await written
    written = write(prepared)
    // No unhandled rejection: the error is thrown when `written` is awaited.
    written.catch(() => {})
    batch = emptyBatch()
  }
  try {
    for await (const { parsed, characters } of readEntries(source, options)) {
      if ('reason' in parsed) batch.bad.push(parsed)
      else {
        parsed.warnings.push(...checkCountryCodes(parsed.record))
        batch.entries.push(parsed)
      }
      batch.characters += characters
      if (isFull(batch)) await flush()
    }
  } catch (error) {
    await written.catch(() => {})
    throw error
  }
  await flush()
  await written
  if (!replace) return
  if (report.read === 0) {
    throw new UnusableFile('The file is empty. With --replace it must have every record of its customers')
  }
  const { deleted, refused } = await deleteMissing(db, {
    resources: options.table?.resource ? [options.table.resource] : resourceNames,
    bad: report.bad,
    force: options.force ?? false,
    dryRun,
    isAudited,
  })
  Object.assign(report, { deleted, deletionRefused: refused })
}

/**
 * Imports NDJSON lines, or rows of a CSV table, in transactions of at most 5,000, in constant memory. Bad lines
 * are reported, unchanged records are not written, the last line with a key wins. `db` must act as
 * `certdata_operator`, or as the owner for reference data. Rejects with `UnusableFile` before any write, and with
 * errors of the source and the database; committed batches stay. Importing the file again is safe.
 */
export const importRecords = async (
  db: Db,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportReport> => {
  const report = emptyReport(options.dryRun ?? false)
  await db.connection().execute(async (connection) => {
    try {
      await importLines(connection, source, options, report)
    } catch (cause) {
      if (cause instanceof UnusableFile) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`the import stopped after ${report.read} lines: ${reason}`, { cause })
    } finally {
      // The connection returns to a pool. If it is lost, so are its temporary tables.
      await sql`discard temp`.execute(connection).catch(() => {})
    }
  })
  return report
}
