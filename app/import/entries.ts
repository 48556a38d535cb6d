import { findFileKind, messages, peek, UnusableFile } from './file-kind.ts'
import { type LineOptions, parseLine } from './line.ts'
import { readLines } from './lines.ts'
import { type ImportEntry, readTable, type TableOptions } from './table/index.ts'

export type SourceOptions = LineOptions & {
  table?: TableOptions
}

/** Reads and checks JSON lines or rows of a table. Throws `UnusableFile` before the first, and the source's errors. */
export async function* readEntries(
  source: AsyncIterable<Uint8Array>,
  options: SourceOptions,
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

const readJsonLines = async function* (
  source: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<ImportEntry> {
  for await (const { number, text, fault } of readLines(source)) {
    const parsed = fault === undefined ? parseLine(number, text, options) : { line: number, reason: fault }
    yield { parsed, characters: text?.length ?? 0 }
  }
}
