import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { emptyBatch, isFull, type PreparedBatch, prepareBatch, writeBatch } from './batch.ts'
import { createCountryCodeCheck } from './country-codes.ts'
import { copyToShadows, createShadows } from './dry-run.ts'
import { requireJsonLines, UnusableFile } from './file-kind.ts'
import { parseLine } from './line.ts'
import { readLines } from './lines.ts'
import { createSeen, deleteMissing } from './replace.ts'
import { addOutcome, emptyReport, type ImportReport } from './report.ts'

export type { ImportReport, NoteGroup } from './report.ts'

export type ImportOptions = {
  /** Customer of the lines that name none; lines that name another one are bad. */
  customer?: string
  /** The source is the whole state of the customers in it: delete what is missing. */
  replace?: boolean
  /** Delete in spite of bad lines, and also more than half. */
  force?: boolean
  /** Check and count everything, write nothing. */
  dryRun?: boolean
  /** Whether lines may belong to the customer of the example data. */
  allowDemo?: boolean
  /** Write down whose records were changed, with the change itself. A dry run changes nothing. */
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
   * The database works on a batch while the next one is read and made ready; never on two, so that the last line
   * wins.
   */
  const flush = async () => {
    const prepared = prepareBatch(batch)
    await written
    written = write(prepared)
    // Heard of when it is awaited.
    written.catch(() => {})
    batch = emptyBatch()
  }
  try {
    const checked = requireJsonLines(source, options.customer !== undefined)
    for await (const line of readLines(checked)) {
      const parsed =
        line.fault === undefined
          ? parseLine(line.number, line.text, options)
          : { line: line.number, reason: line.fault }
      if ('reason' in parsed) batch.bad.push(parsed)
      else {
        parsed.warnings.push(...checkCountryCodes(parsed.record))
        batch.entries.push(parsed)
      }
      batch.characters += line.text?.length ?? 0
      if (isFull(batch)) await flush()
    }
  } catch (error) {
    // What is on its way is still written, and counted.
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
    bad: report.bad,
    force: options.force ?? false,
    dryRun,
    isAudited,
  })
  Object.assign(report, { deleted, deletionRefused: refused })
}

/**
 * Imports any number of NDJSON lines: unknown records are created, changed ones updated, unchanged ones not
 * touched. Bad lines are reported and all others are written, in transactions of at most 5,000 lines. If a record
 * occurs twice, the last line wins. References may dangle. Memory stays constant. `db` must act as
 * `certdata_operator`; for reference data alone the owner will do. Throws an `UnusableFile`, before anything is
 * written, if the source is another kind of file, or empty with `replace`. Throws errors of the source or the
 * database, with the number of lines read before. Importing the file again is safe.
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
      // A pooled connection must not keep the temporary tables; one that is lost has none.
      await sql`discard temp`.execute(connection).catch(() => {})
    }
  })
  return report
}
