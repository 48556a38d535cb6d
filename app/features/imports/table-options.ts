import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { parseHeaderLine, parseWith } from '../../command-line/arguments.ts'
import { Refusal } from '../../command-line/refusal.ts'
import { describeFileFault } from '../../command-line/source.ts'
import { resourceNames } from '../../records/resources/index.ts'
import { getEncodingLabel } from './code-pages.ts'
import { createDateReader } from './table/dates.ts'
import type { TableOptions } from './table/index.ts'
import { type ColumnMapping, parseMapping, parseMappings } from './table/mapping.ts'

export type TableFlags = Omit<TableOptions, 'mappings'> & { map?: ColumnMapping[]; mapFile?: string }

const addMapping = (value: string, before: ColumnMapping[] = []) => [
  ...before,
  parseWith(parseMapping)(value),
]

const parseEncoding = parseWith(getEncodingLabel)

const parseDates = parseWith((form) => {
  createDateReader(form)
  return form
})

/** Adds the options for CSV to the command. */
export const addTableOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--resource <name>',
        'CSV: resource of the rows, if the table has no column "resource"',
      ).choices(resourceNames),
    )
    .option('--encoding <name>', 'CSV: such as windows-1252 or cp850; detected if certain', parseEncoding)
    .option('--dates <form>', 'CSV: form of its dates, such as DD.MM.YYYY', parseDates)
    .option(
      '--map <column=field>',
      'CSV: field of a column with another name, and its values; no field ignores the column; repeatable',
      addMapping,
    )
    .option('--map-file <file>', 'CSV: a file with such mappings, one a line')
    .option('--header-line <number>', 'CSV: line of the header, below a title', parseHeaderLine)
    .addOption(
      new Option(
        '--suggest-map <file>',
        'CSV: write a first --map-file for the table, and import nothing; - is standard output',
      ).conflicts(['map', 'mapFile', 'replace', 'force']),
    )

const readMappings = async (file: string): Promise<ColumnMapping[]> => {
  try {
    return parseMappings(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new Refusal(`${file} cannot be used as --map-file: ${describeFileFault(cause as Error)}`, { cause })
  }
}

/** Returns how to read a table; `undefined` if neither an option nor the file's extension means a table. */
export const toTable = async (file: string, flags: TableFlags): Promise<TableOptions | undefined> => {
  const { resource, encoding, dates, map = [], mapFile, headerLine } = flags
  const mappings = [...map, ...(mapFile === undefined ? [] : await readMappings(mapFile))]
  const options = [resource, encoding, dates, mappings[0], headerLine]
  if (!/\.(csv|tsv)$/i.test(file) && options.every((option) => option === undefined)) return undefined
  return { resource, encoding, dates, mappings, headerLine }
}
