/**
 * `line` and `column` count from 1. `column`: of the first character that is not JSON. `faults`: the single faults of
 * which `reason` consists, if there are several.
 */
export type LineNote = { line: number; reason: string; column?: number; faults?: readonly string[] }

/**
 * Lines with the same fault, whatever text was found. `first`: at most three, with this fault as reason. `count`: of all
 * lines. `found`: the texts, quoted, with their counts. `othersFound`: texts beyond the first 100 different ones.
 */
export type NoteGroup = { first: LineNote[]; count: number; found: Map<string, number>; othersFound: number }
const shownOfGroup = 3
const maxFound = 100

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
  /** The first ten records that `replace` deletes, or would delete. */
  missing: [] as { resource: string; customer: string; id: string }[],
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

const foundText = /found ("(?:[^"\\]|\\.)*")/g
/** `technologies.0 must be …`: the position in a list makes no other fault. */
const position = /(?<=^\w+)\.\d+(?=[ :.])/

/** A suggestion for the text that was found makes no other fault. */
const suggestion = /; did you mean [^?]*\?/

/** Another line of the file makes no other fault. */
const otherLine = /\bline \d+/g

const countFound = (group: NoteGroup, fault: string) => {
  for (const [, text = ''] of fault.matchAll(foundText)) {
    const isCounted = group.found.has(text) || group.found.size < maxFound
    if (isCounted) group.found.set(text, (group.found.get(text) ?? 0) + 1)
    else group.othersFound += 1
  }
}

const addToGroups = (groups: Map<string, NoteGroup>, { faults, ...note }: LineNote) => {
  const seen = new Set<NoteGroup>()
  for (const reason of faults ?? [note.reason]) {
    const fault = reason
      .replace(foundText, 'found')
      .replace(suggestion, '')
      .replace(position, '')
      .replace(otherLine, 'line')
    const group: NoteGroup = groups.get(fault) ?? { first: [], count: 0, found: new Map(), othersFound: 0 }
    if (!groups.has(fault) && groups.size === maxNotes) continue
    groups.set(fault, group)
    countFound(group, reason)
    if (seen.has(group)) continue
    seen.add(group)
    group.count += 1
    if (group.first.length < shownOfGroup) group.first.push({ ...note, reason })
  }
}

const append = (notes: LineNote[], groups: Map<string, NoteGroup>, more: readonly LineNote[]) => {
  for (const note of more.toSorted((a, b) => a.line - b.line)) {
    const { line, reason, column } = note
    if (notes.length < maxNotes) notes.push({ line, reason, ...(column === undefined ? {} : { column }) })
    addToGroups(groups, note)
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
