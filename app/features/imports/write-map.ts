import { writeFile } from 'node:fs/promises'
import { Refusal } from '../../command-line/refusal.ts'
import { type Output, print, type Shell } from '../../command-line/shell.ts'
import { describeFileFault, openSource } from '../../command-line/source.ts'
import { formatMap } from './suggest/format.ts'
import { type Suggestion, suggestMap } from './suggest/index.ts'
import type { TableFlags } from './table-options.ts'

const quoteWord = (word: string) => (/^[\w./:=-]+$/.test(word) ? word : `"${word}"`)

/** The command that checks the table with the map. */
const describeNext = (
  file: string,
  mapFile: string,
  { resource, encoding, customer }: TableFlags & { customer?: string },
  { headerLine, dates }: Suggestion,
): string => {
  const options = {
    '--resource': resource,
    '--customer': customer ?? '<slug>',
    '--encoding': encoding,
    '--header-line': headerLine?.toString(),
    '--dates': dates[0],
    '--map-file': mapFile === '-' ? '<this file>' : mapFile,
  }
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value.startsWith('<') ? value : quoteWord(value)],
  )
  return ['npx --no certdata import', quoteWord(file), ...words, '--dry-run'].join(' ')
}

const writeNewFile = async (file: string, text: string) => {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    const reason = isThere
      ? 'it exists, and may have your corrections. Name another file, or remove it'
      : describeFileFault(cause as Error)
    throw new Refusal(`${file} cannot be written: ${reason}`, { cause })
  }
}

/** Writes a map file for a table, with its columns and unknown values. `-` is standard output. Reads no database. */
export const writeMap = async (
  shell: Shell,
  file: string,
  mapFile: string,
  flags: Output & TableFlags & { customer?: string },
): Promise<void> => {
  const { resource, encoding, headerLine, dates } = flags
  if (resource === undefined)
    throw new Refusal('--suggest-map needs --resource: name the resource of the rows')
  const { stream } = await openSource(shell, file)
  const suggestion = await suggestMap(stream, { resource, encoding, headerLine, dates })
  const next = describeNext(file, mapFile, flags, suggestion)
  const text = formatMap(suggestion, next)
  if (mapFile === '-') {
    shell.stdout.write(text)
    return
  }
  await writeNewFile(mapFile, text)
  const { columns, rows, missing } = suggestion
  const unknown = columns.reduce((sum, column) => sum + column.unknown.length, 0)
  const ignored = columns.filter(({ fields }) => fields.length === 0).length
  print(
    shell,
    flags,
    { file: mapFile, rows, columns: columns.length, ignored, unknown_values: unknown, missing, next },
    `${mapFile}: ${columns.length} columns, ${ignored} without a field; ${unknown} unknown values; ${rows} rows\nCorrect the file, then check the table:\n  ${next}`,
  )
}
