import type { Verdict } from './judge.ts'
import type { TrialResult } from './trial.ts'

const list = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'none'

const milliseconds = (ms: number) => (Number.isFinite(ms) ? `${ms.toFixed(0)} ms` : 'never')

const headings = [
  'fault',
  'expected',
  'seen',
  'failed, by kind',
  'p99 from memory',
  'p99 of the rest',
  'recovered after',
  'warnings',
  'verdict',
]

const listCells = ({ fault, verdict, failure }: TrialResult): string[] => {
  const row = [fault.name, fault.expected.text]
  return verdict ? [...row, ...listFigures(verdict)] : [...row, '', '', '', '', '', '', `RED: ${failure}`]
}

const listFigures = (verdict: Verdict): string[] => [
  list(verdict.seen),
  list(verdict.failed),
  milliseconds(verdict.knownMs),
  milliseconds(verdict.otherMs),
  milliseconds(verdict.recoveredMs),
  String(verdict.warnings),
  verdict.objections.length === 0 ? 'as expected' : `RED: ${verdict.objections.join('; ')}`,
]

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

export const formatTable = (results: readonly TrialResult[]): string =>
  [headings, headings.map(() => '---'), ...results.map(listCells)].map(line).join('\n')
