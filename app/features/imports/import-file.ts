import type { Db } from '../../db/schema.ts'
import { type ImportEntry, UnusableFile } from '../../import/entry.ts'
import { type ImportOptions, type ImportReport, importEntries, readJsonLines } from '../../import/index.ts'
import { findFileKind, messages, peek } from './file-kind.ts'
import { readTable, type TableOptions } from './table/index.ts'

export type FileOptions = Omit<ImportOptions, 'replacedResources'> & {
  /** The source is a table. Optional. By default the kind of the source is detected. */
  table?: TableOptions | undefined
}

/** Checks JSON lines or rows. Throws `UnusableFile` before the first entry, and the errors of the source. */
async function* readEntries(
  source: AsyncIterable<Uint8Array>,
  options: FileOptions,
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

/**
 * Imports JSON lines or a CSV table, see `importEntries`. With `replace`, a table of one resource deletes records of this
 * resource only. Rejects with `UnusableFile` before a write. See
 * docs/decisions/0250-the-kernel-imports-json-lines.md.
 */
export const importFile = (
  db: Db,
  source: AsyncIterable<Uint8Array>,
  { table, ...options }: FileOptions = {},
): Promise<ImportReport> =>
  importEntries(db, readEntries(source, { ...options, table }), {
    ...options,
    ...(table?.resource ? { replacedResources: [table.resource] } : {}),
  })
