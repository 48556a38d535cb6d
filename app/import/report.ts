/** `line` and `column` count from 1. `column`: of the first character that is not JSON. */
export type LineNote = { line: number; reason: string; column?: number }

/** Lines with the same reason, whatever text was found. `first`: at most three. `count`: of all. */
export type NoteGroup = { first: LineNote[]; count: number }
const shownOfGroup = 3

type RecordChanges = { created?: number; updated?: number; deleted?: number }
export type ChangesByCustomer = Map<string, RecordChanges>

const maxNotes = 1000

export const emptyReport = (dryRun: boolean) => ({
  /** Without blank lines: created + updated + unchanged + bad. */
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  bad: 0,
  warnings: 0,
  /** Texts whose outer blanks `trim` removed, in lines that are not bad. */
  trimmed: 0,
  customersCreated: 0,
  badLines: [] as LineNote[],
  warningLines: [] as LineNote[],
  badGroups: new Map<string, NoteGroup>(),
  warningGroups: new Map<string, NoteGroup>(),
  /** The reason for which `replace` did not delete the missing records. Null if it was not refused. */
  deletionRefused: null as string | null,
  dryRun,
})

export type ImportReport = ReturnType<typeof emptyReport>

export type BatchOutcome = {
  good: number
  created: number
  updated: number
  trimmed: number
  customersCreated: number
  bad: LineNote[]
  warnings: LineNote[]
  /** The key is '' for reference data. */
  byCustomer: ChangesByCustomer
}

const foundText = /found "(?:[^"\\]|\\.)*"/g

const append = (notes: LineNote[], groups: Map<string, NoteGroup>, more: readonly LineNote[]) => {
  for (const { line, reason, column } of more.toSorted((a, b) => a.line - b.line)) {
    const note = { line, reason, ...(column === undefined ? {} : { column }) }
    if (notes.length < maxNotes) notes.push(note)
    const fault = reason.replace(foundText, 'found')
    const group = groups.get(fault) ?? { first: [], count: 0 }
    group.count += 1
    if (group.first.length < shownOfGroup) group.first.push(note)
    if (groups.size < maxNotes) groups.set(fault, group)
  }
}

/** Adds the effects of a batch to the report. */
export const addOutcome = (report: ImportReport, outcome: BatchOutcome): void => {
  report.read += outcome.good + outcome.bad.length
  report.created += outcome.created
  report.updated += outcome.updated
  report.unchanged += outcome.good - outcome.created - outcome.updated
  report.bad += outcome.bad.length
  report.warnings += outcome.warnings.length
  report.trimmed += outcome.trimmed
  report.customersCreated += outcome.customersCreated
  append(report.badLines, report.badGroups, outcome.bad)
  append(report.warningLines, report.warningGroups, outcome.warnings)
}
