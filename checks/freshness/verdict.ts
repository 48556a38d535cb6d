import type { TrialResult } from './trial.ts'

/** Per second of a run. Fewer reads prove nothing. */
const fewestReads = 50
/** Two instances with a pool of ten connections each. */
const mostFillsAtOnce = 20

/** Counts the reasons to fail a run, by kind. The run is green if there are none. */
export const findObjections = (result: TrialResult): Map<string, number> => {
  const objections = new Map<string, number>()
  const add = (kind: string, count: number) => {
    if (count > 0) objections.set(kind, (objections.get(kind) ?? 0) + count)
  }
  for (const { kind } of result.violations) add(kind, 1)
  add('keys differ after quiescence', result.differing.length)
  add('distrusted without a cause', result.distrusted)
  add('older entry over a newer one in Redis', result.regresses)
  add('too few reads', result.reads < fewestReads * result.seconds ? 1 : 0)
  // Stale answers are for an unreachable database, not a replacement for fresh ones.
  add('too many stale answers', result.stale > result.mostStale * result.reads ? 1 : 0)
  add('too many fills at once', result.fills.mostFillsAtOnce > mostFillsAtOnce ? 1 : 0)
  return objections
}

const whole = (value: number) => value.toFixed(0)

const table = (rows: readonly (readonly (string | number)[])[]): string => {
  const [head = [], ...body] = rows.map((row) => `| ${row.join(' | ')} |`)
  return [head, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`, ...body].join('\n')
}

const describe = (objections: Map<string, number>) =>
  [...objections].map(([kind, count]) => `${kind} ×${count}`).join(', ') || '0'

export const formatResults = (results: readonly TrialResult[]): string =>
  table([
    [
      'nemesis',
      'reads',
      'commits',
      'worst staleness',
      'p99',
      'said stale',
      'failed',
      'keys differing',
      'violations',
    ],
    ...results.map((result) => [
      result.nemesis,
      result.reads,
      result.commits,
      `${whole(result.staleness.worst)} ms`,
      `${whole(result.staleness.p99)} ms`,
      result.stale,
      result.failed,
      `${result.differing.length} of ${result.keys}`,
      describe(findObjections(result)),
    ]),
  ])

export const formatFaults = (results: readonly TrialResult[]): string =>
  table([
    ['fault', 'nemesis', 'red', 'violations'],
    ...results.map((result) => {
      const objections = findObjections(result)
      return [
        result.fault ?? 'none',
        result.nemesis,
        objections.size > 0 ? 'yes' : '**NO**',
        describe(objections),
      ]
    }),
  ])
