import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { resourceNames } from '../records/resources/index.ts'
import { createBatchWriter } from './batch.ts'
import { createCountryCodeCheck } from './country-codes.ts'
import { createShadows } from './dry-run.ts'
import { findFileKind, messages, peek, UnusableFile } from './file-kind.ts'
import { type LineOptions, parseLine } from './line.ts'
import { readLines } from './lines.ts'
import { createSeen, deleteMissing } from './replace.ts'
import { addOutcome, emptyReport, type ImportReport } from './report.ts'
import { type ImportEntry, readTable, type TableOptions } from './table/index.ts'

export { getEncodingLabel } from './code-pages.ts'
export type { ImportReport, NoteGroup } from './report.ts'
export { formatMap } from './suggest/format.ts'
export { type Suggestion, suggestMap } from './suggest/index.ts'
export { createDateReader } from './table/dates.ts'
export type { TableOptions } from './table/index.ts'
export { type ColumnMapping, parseMapping, parseMappings } from './table/mapping.ts'

export type ImportOptions = LineOptions & {
  /** The source is a table. Optional. By default the kind of the source is detected. */
  table?: TableOptions | undefined
  /** Delete its customers' records that it lacks, only of `table.resource` if set. Keeps reference data. */
  replace?: boolean
  /** With `replace`: delete although there are bad lines, or over half of the records are missing. */
  force?: boolean
  dryRun?: boolean
  /** Write audit entries in the transactions of the changes. */
  isAudited?: boolean
  onProgress?: (report: Readonly<ImportReport>) => void
}

const readJsonLines = async function* (
  source: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<ImportEntry> {
  for await (const { number, text, fault } of readLines(source)) {
    const parsed = fault === undefined ? parseLine(number, text, options) : { line: number, reason: fault }
    yield { parsed, characters: text?.length ?? 0 }
  }
}

/** Checks JSON lines or rows. Throws `UnusableFile` before the first entry, and the errors of the source. */
async function* readEntries(
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): AsyncGenerator<ImportEntry> {
  const { head, bytes, close } = await peek(source)
  try {
    const kind = options.table ? 'csv' : findFileKind(head, options.customer !== undefined)
    if (kind === 'csv') yield* readTable(bytes, head, { ...options, ...options.table })
    else if (kind) throw new UnusableFile(messages[kind])
    else yield* readJsonLines(bytes, options)
  } finally {
    await close()
  }
}

const importLines = async (
  db: Db,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions,
  report: ImportReport,
) => {
  const { replace = false, dryRun = false, isAudited = false } = options
  if (replace) await createSeen(db)
  if (dryRun) await createShadows(db)
  const checkCountryCodes = createCountryCodeCheck()
  const writer = createBatchWriter(db, { remember: replace, isAudited, dryRun }, (outcome) => {
    addOutcome(report, outcome)
    options.onProgress?.(report)
  })
  try {
    for await (const entry of readEntries(source, options)) {
      const { parsed } = entry
      if ('record' in parsed) parsed.warnings.push(...checkCountryCodes(parsed.record))
      await writer.add(entry)
    }
    await writer.end()
  } finally {
    await writer.settle()
  }
}

const deleteOthers = async (db: Db, options: ImportOptions, report: ImportReport) => {
  if (report.read === 0) {
    throw new UnusableFile('The file is empty. With --replace it must have every record of its customers')
  }
  const { dryRun = false, isAudited = false, force = false } = options
  const { deleted, refused } = await deleteMissing(db, {
    resources: options.table?.resource ? [options.table.resource] : resourceNames,
    bad: report.bad,
    force,
    dryRun,
    isAudited,
  })
  Object.assign(report, { deleted, deletionRefused: refused })
}

/**
 * Imports NDJSON or a CSV table in transactions of at most 5,000 lines, in constant memory. Bad lines are
 * reported, unchanged records are not written, the last line with a key wins. `db` must act as
 * `certdata_operator`, or as the owner for reference data. Rejects with `UnusableFile` before a write. Other
 * errors have the original error as `cause`. Committed batches stay; importing again is safe.
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
      if (options.replace) await deleteOthers(connection, options, report)
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
