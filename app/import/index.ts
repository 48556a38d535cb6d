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
  /**
   * The source is the complete state of its customers: delete records missing from it. If `table` names a
   * resource, only records of this resource.
   */
  replace?: boolean
  /** Delete even if there are bad lines, or if more than half of the records are missing. */
  force?: boolean
  dryRun?: boolean
  /** Write audit entries in the transaction of the changes. Ignored in a dry run. */
  isAudited?: boolean
  /** Called after each batch with the report so far. */
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
  /**
   * Prepares a batch while the database writes the previous one. Writes one at a time: the last line wins.
   */
  const flush = async () => {
    const prepared = prepareBatch(batch)
    await written
    written = write(prepared)
    // Avoids an unhandled rejection: the error is thrown when `written` is awaited.
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
    // The running batch is still written and counted.
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
 * Imports any number of NDJSON lines or rows of a CSV table: creates new records, updates changed ones, and does not touch unchanged
 * ones. Bad lines are reported and all others are written, in transactions of at most 5,000 lines. If a
 * record occurs twice, the last line wins. References may dangle. Memory use is constant. `db` must act as
 * `certdata_operator`; the owner is enough for reference data alone. Rejects with `UnusableFile`, before any
 * write, if the source is another kind of file, or empty with `replace`. Rejects with errors of the source or
 * the database, with the number of lines read until then. Importing the file again is safe.
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
      // A pooled connection must not keep the temporary tables. A lost connection has none.
      await sql`discard temp`.execute(connection).catch(() => {})
    }
  })
  return report
}
