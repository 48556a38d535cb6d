import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { resourceNames } from '../records/resources/index.ts'
import { createBatchWriter } from './batch.ts'
import { createCountryCodeCheck } from './country-codes.ts'
import { createShadows } from './dry-run.ts'
import { type ImportEntry, UnusableFile } from './entry.ts'
import { type LineOptions, parseLine } from './line.ts'
import { readLines } from './lines.ts'
import { createSeen, deleteMissing } from './replace.ts'
import { addOutcome, emptyReport, type ImportReport } from './report.ts'

export type { ImportReport, LineNote, NoteGroup } from './report.ts'

export type ImportOptions = LineOptions & {
  /** Delete the records of these resources that the file's customers have and the file lacks. Keeps reference data. */
  replace?: boolean
  /** For `replace`. Optional. Defaults to all resources. */
  replacedResources?: readonly ResourceName[]
  /** With `replace`: delete although there are bad lines, or over half of the records are missing. */
  force?: boolean
  dryRun?: boolean
  /** Write audit entries in the transactions of the changes. */
  isAudited?: boolean
  onProgress?: (report: Readonly<ImportReport>) => void
}

/** Checks JSON lines. Throws errors of the source. */
export const readJsonLines = async function* (
  source: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<ImportEntry> {
  for await (const { number, text, fault } of readLines(source)) {
    const parsed = fault === undefined ? parseLine(number, text, options) : { line: number, reason: fault }
    yield { parsed, characters: text?.length ?? 0 }
  }
}

const writeEntries = async (
  db: Db,
  entries: AsyncIterable<ImportEntry>,
  options: ImportOptions,
  report: ImportReport,
) => {
  const { dryRun = false, isAudited = false } = options
  await createSeen(db)
  if (dryRun) await createShadows(db)
  const checkCountryCodes = createCountryCodeCheck()
  const writer = createBatchWriter(db, { isAudited, dryRun }, (outcome) => {
    addOutcome(report, outcome)
    options.onProgress?.(report)
  })
  try {
    for await (const entry of entries) {
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
  const { deleted, refused, missing } = await deleteMissing(db, {
    resources: options.replacedResources ?? resourceNames,
    bad: report.bad,
    force,
    dryRun,
    isAudited,
  })
  Object.assign(report, { deleted, deletionRefused: refused, missing })
}

/**
 * Imports checked lines in transactions of at most 5,000, in constant memory. Bad lines are reported, unchanged records
 * are not written, the last line with a key wins. `db` must act as `certdata_operator`, or as the owner for reference
 * data. Rejects with `UnusableFile`, which `entries` may throw before a write. Other errors have the original error as
 * `cause`. Committed batches stay; importing again is safe.
 */
export const importEntries = async (
  db: Db,
  entries: AsyncIterable<ImportEntry>,
  options: ImportOptions = {},
): Promise<ImportReport> => {
  const report = emptyReport(options.dryRun ?? false)
  await db.connection().execute(async (connection) => {
    try {
      await writeEntries(connection, entries, options, report)
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

/** Imports JSON lines, see `importEntries`. */
export const importRecords = (
  db: Db,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportReport> => importEntries(db, readJsonLines(source, options), options)
