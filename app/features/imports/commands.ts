import type { Command } from 'commander'
import { parseSlug } from '../../command-line/arguments.ts'
import { recordAct, requireNoDemo } from '../../command-line/audited.ts'
import { withOperator } from '../../command-line/context.ts'
import { Reported } from '../../command-line/refusal.ts'
import { createCommand, type Output, print, type Shell } from '../../command-line/shell.ts'
import { openSource } from '../../command-line/source.ts'
import type { ImportReport, LineNote, NoteGroup } from '../../import/index.ts'
import { importFile } from './import-file.ts'
import { createProgress } from './progress.ts'
import { addTableOptions, type TableFlags, toTable } from './table-options.ts'
import { writeMap } from './write-map.ts'

type ImportCommandOptions = Output &
  TableFlags & {
    trim?: true
    replace?: true
    force?: true
    dryRun?: true
    customer?: string
    suggestMap?: string
  }

const maxPrinted = 20

const formatReport = (report: ImportReport): string => {
  const { read, created, updated, unchanged, deleted, bad, warnings } = report
  const counts = Object.entries({ created, updated, unchanged, deleted, bad, warnings })
  const lines = `${read} ${read === 1 ? 'line' : 'lines'}${report.dryRun ? ' (dry run, nothing written)' : ''}`
  // Shown because a misspelt slug creates a customer.
  const { customersCreated: added } = report
  const customers =
    added === 0 ? '' : `; ${added} new ${added === 1 ? 'customer' : 'customers'}, on plan basic`
  const { trimmed } = report
  const trims = trimmed === 0 ? '' : `; blanks removed from ${trimmed} ${trimmed === 1 ? 'text' : 'texts'}`
  return `${lines}: ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}${trims}${customers}`
}

const summarise = ({ read, created, updated, deleted, bad, dryRun }: ImportReport) => ({
  lines: read,
  created,
  updated,
  deleted,
  bad,
  dry_run: dryRun,
})

const listFound = (groups: ReadonlyMap<string, NoteGroup>) =>
  [...groups.values()].flatMap(({ first, count, found, othersFound }) => {
    if (found.size === 0) return []
    const values = [...found].map(([text, times]) => ({ value: JSON.parse(text) as string, count: times }))
    return [{ reason: first[0]?.reason, lines: count, values, others: othersFound }]
  })

const toJson = ({
  badLines,
  warningLines,
  customersCreated,
  deletionRefused,
  dryRun,
  badGroups,
  warningGroups,
  ...counts
}: ImportReport) => ({
  ...counts,
  bad_values: listFound(badGroups),
  warning_values: listFound(warningGroups),
  customers_created: customersCreated,
  dry_run: dryRun,
  bad_lines: badLines,
  warning_lines: warningLines,
  deletion_refused: deletionRefused,
})

const maxFoundPrinted = 10

/** `"erteilt" 130×, "ausgesetzt" 41×`, the most frequent first. */
const formatFound = ({ found, othersFound }: NoteGroup): string => {
  const byCount = [...found].sort(([, a], [, b]) => b - a)
  const shown = byCount
    .slice(0, maxFoundPrinted)
    .map(([text, count]) => `${text} ${count.toLocaleString('en')}×`)
  const others = byCount.slice(maxFoundPrinted).reduce((sum, [, count]) => sum + count, othersFound)
  return [...shown, ...(others > 0 ? [`others ${others.toLocaleString('en')}×`] : [])].join(', ')
}

/** `line 7, column 3: name: required`, and after the last shown line of a repeated fault its count and values. */
const formatNote = (note: LineNote, kind: string, group: NoteGroup): string => {
  const { line, column, reason } = note
  const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`
  const shown = `${place}: ${kind}${reason}\n`
  const more = group.count - group.first.length
  if (more === 0 || note !== group.first.at(-1)) return shown
  const lines = more === 1 ? 'line' : 'lines'
  const counted = `… and ${more.toLocaleString('en')} more ${lines} with the same fault\n`
  if (group.found.size === 0) return shown + counted
  return `${shown}${counted}  found in these ${group.count.toLocaleString('en')} lines: ${formatFound(group)}\n`
}

/** Prints warnings and faults in the order of their lines. */
const printNotes = ({ stderr }: Shell, { warningGroups, badGroups }: ImportReport) => {
  const all = [
    ...[...warningGroups.values()].map((group) => ({ kind: 'warning: ', group })),
    ...[...badGroups.values()].map((group) => ({ kind: '', group })),
  ].sort((a, b) => (a.group.first[0]?.line ?? 0) - (b.group.first[0]?.line ?? 0))
  const notes = all
    .slice(0, maxPrinted)
    .flatMap(({ kind, group }) => group.first.map((note) => ({ note, kind, group })))
  for (const { note, kind, group } of notes.sort((a, b) => a.note.line - b.note.line))
    stderr.write(formatNote(note, kind, group))
  const left = all.length - maxPrinted
  if (left > 0) stderr.write(`… and ${left.toLocaleString('en')} more kinds of faults\n`)
}

const unknownWord = / must be one of |: expected a country's code, /

/** The next step for words of the table that are no value of their field. */
const printMapHint = (
  { stderr }: Shell,
  groups: ReadonlyMap<string, NoteGroup>,
  { mapFile }: TableFlags,
): void => {
  const unknown = [...groups].filter(([fault, { found }]) => unknownWord.test(fault) && found.size > 0)
  if (unknown.length === 0) return
  const words = unknown.map(([fault, group]) => `${/^\w*/.exec(fault)?.[0]} ${formatFound(group)}`)
  const place =
    mapFile === undefined
      ? 'a map file, which --suggest-map <file> writes first, and import with --map-file <file>'
      : mapFile
  stderr.write(
    `Not a value of its field: ${words.join('; ')}. Correct typing errors in the table. Give your own words their values in ${place}\n`,
  )
}

const printMissing = ({ stderr }: Shell, { missing, deleted }: ImportReport) => {
  if (missing.length === 0) return
  const names = missing.map(({ resource, customer, id }) => `${customer} ${resource} ${id}`).join(', ')
  const more = deleted - missing.length
  stderr.write(`not in the file: ${names}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}\n`)
}

const runImport = async (
  shell: Shell,
  file: string,
  options: ImportCommandOptions,
  command: Command,
): Promise<void> => {
  const { customer, trim = false, replace = false, force = false, dryRun = false } = options
  if (force && !replace)
    command.error("error: option '--force' needs '--replace': it is about what is deleted")
  requireNoDemo(customer)
  if (options.suggestMap !== undefined) return writeMap(shell, file, options.suggestMap, options)
  const table = await toTable(file, options)
  const report = await withOperator(shell, async (db) => {
    const { stream, sizeBytes } = await openSource(shell, file)
    const progress = createProgress(shell.stderr, sizeBytes)
    try {
      const done = await importFile(db, progress.watch(stream), {
        customer,
        table,
        trim,
        replace,
        force,
        dryRun,
        isAudited: true,
        onProgress: progress.report,
      })
      await recordAct(db, { action: 'import', customer, details: summarise(done) })
      return done
    } finally {
      progress.end()
    }
  })
  printNotes(shell, report)
  if (table) printMapHint(shell, report.badGroups, options)
  printMissing(shell, report)
  if (report.deletionRefused) shell.stderr.write(`${report.deletionRefused} (--force deletes them)\n`)
  print(shell, options, toJson(report), formatReport(report))
  if (report.bad > 0 || report.deletionRefused) throw new Reported()
}

/** `certdata import` */
export const buildCommand = (shell: Shell) =>
  addTableOptions(
    createCommand('import', 'import records from a file of JSON lines or a table (CSV)')
      .argument('<file>', 'NDJSON or CSV file; - reads standard input')
      .option(
        '--replace',
        'the file is the whole state of its customers: delete records that it does not name',
      )
      .option(
        '--force',
        'with --replace: delete also if lines are bad, or if more than half of the records would go',
      )
      .option('--customer <slug>', 'customer of lines that name none; other customers are refused', parseSlug)
      .option('--trim', 'remove blanks and characters without width at the ends of texts')
      .option('--dry-run', 'check and count the lines, write nothing'),
  ).action(runImport.bind(null, shell))
