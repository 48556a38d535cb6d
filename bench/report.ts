import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { toEntities, toPage } from './lib/html.ts'
import type { Sample } from './lib/load.ts'
import { median } from './lib/statistics.ts'
import type { Scenario } from './scenarios.ts'

/** What a scenario gave: runs in pairs, in the order of measuring. */
export type Result = Pick<Scenario, 'name' | 'against' | 'goal'> & {
  subject: Sample[]
  reference: Sample[]
}

export type Report = {
  at: string
  commit: string
  machine: { cpu: string; cores: number; memoryGib: number; load: number }
  versions: Record<string, string>
  notes: string[]
  options: { rounds: number; seconds: number; connections: number }
  residentMib: number
  results: Result[]
}

const commit = (): string => {
  try {
    const head = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
    const isDirty = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trim() !== ''
    return isDirty ? `${head} and changes` : head
  } catch {
    return 'unknown'
  }
}

/** Where and on what it was measured. */
export const describeMachine = (): Pick<Report, 'at' | 'commit' | 'machine' | 'versions'> => ({
  at: new Date().toISOString(),
  commit: commit(),
  machine: {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    memoryGib: Math.round(os.totalmem() / 2 ** 30),
    load: os.loadavg()[0] as number,
  },
  versions: { node: process.version, v8: process.versions.v8 as string },
})

/** A round counts while the hypervisor gave at most this share of the cores' time to others. */
const toleratedSteal = 0.03

/** Whether the machine was ours in each round, for subject and reference. */
const undisturbed = ({ subject, reference }: Result): boolean[] =>
  subject.map(({ stolen }, round) => Math.max(stolen, reference[round]?.stolen ?? 0) <= toleratedSteal)

export const countUndisturbed = (result: Result): number => undisturbed(result).filter(Boolean).length

/** The rounds to judge: undisturbed ones, or all where there was none. */
const judgedRounds = (result: Result): number[] => {
  const isGood = undisturbed(result)
  const rounds = isGood.map((_, round) => round)
  return isGood.includes(true) ? rounds.filter((round) => isGood[round]) : rounds
}

/** The median of the judged rounds' ratios: each to the reference measured next to it. NaN: there is no reference. */
export const ratioOf = (result: Result): number =>
  median(
    judgedRounds(result).flatMap((round) => {
      const [subject, reference] = [result.subject[round], result.reference[round]]
      return subject && reference ? [subject.rate / reference.rate] : []
    }),
  )

const summary = (result: Result) => {
  const judged = judgedRounds(result)
  const medianOf = (samples: readonly Sample[], key: keyof Sample) =>
    median(judged.flatMap((round) => samples[round]?.[key] ?? []))
  const of = (key: keyof Sample) => medianOf(result.subject, key)
  const ratio = ratioOf(result)
  const costs = medianOf(result.reference, 'cpuMs')
  return {
    'answers/s': Math.round(of('rate')),
    'reference/s': Math.round(medianOf(result.reference, 'rate')) || '',
    ratio: Number.isNaN(ratio) ? '' : ratio.toFixed(2),
    goal: result.goal?.toFixed(2) ?? '',
    'CPU ratio': Number.isNaN(costs) ? '' : (of('cpuMs') / costs).toFixed(2),
    'average ms': of('averageMs').toFixed(2),
    'p99 ms': of('p99Ms').toFixed(1),
    failed: result.subject.reduce((sum, { failed }) => sum + failed, 0),
    'undisturbed rounds': `${countUndisturbed(result)} of ${result.subject.length}`,
  }
}

/** The table, as text. */
export const printTable = ({
  results,
  at,
  commit: head,
  machine,
  versions,
  options,
  residentMib,
}: Report): void => {
  console.log(
    `\n${at}  ${head}  Node ${versions.node}  ${machine.cores} × ${machine.cpu}, load ${machine.load.toFixed(1)}`,
  )
  console.log(
    `${options.connections} connections, ${options.rounds} undisturbed rounds of ${options.seconds} s, or as many more; read the ratios. Resident afterwards: ${residentMib.toFixed(0)} MiB\n`,
  )
  console.table(Object.fromEntries(results.map((result) => [result.name, summary(result)])))
}

/** Returns a bar for the ratio, with a tick for the goal and a dot for each round. */
const bar = (result: Result): string => {
  const ratio = ratioOf(result)
  if (Number.isNaN(ratio)) return ''
  const x = (value: number) => Math.min(value, 1.5) * 300
  const dots = result.subject.map(({ rate }, index) => {
    const reference = result.reference[index]
    return reference ? `<circle cx="${x(rate / reference.rate).toFixed(1)}" cy="10" r="3"/>` : ''
  })
  const goal = result.goal === undefined ? '' : `<path d="M${x(result.goal)} 0v20" class="goal"/>`
  const state = result.goal === undefined || ratio >= result.goal ? 'reached' : 'missed'
  return `<svg viewBox="0 0 460 20" role="img" aria-label="ratio ${ratio.toFixed(2)}"><rect width="${x(ratio).toFixed(1)}" height="20" class="${state}"/><path d="M300 0v20" class="one"/>${goal}${dots.join('')}</svg>`
}

const css = `svg{width:20rem;display:block}.goal{stroke:currentColor;stroke-width:2}
.one{stroke:currentColor;stroke-dasharray:2 3}circle{fill:currentColor;opacity:.6}`

/** Returns the report as one page that needs no server. */
export const toHtml = (report: Report): string => {
  const rows = report.results.map((result) => {
    const cells = Object.values(summary(result)).map((value) => `<td>${toEntities(String(value))}</td>`)
    return `<tr><td>${toEntities(result.name)}<small>against ${toEntities(result.against)}</small></td><td>${bar(result)}</td>${cells.join('')}</tr>`
  })
  const columns = Object.keys(summary(report.results[0] as Result)).map((name) => `<th>${name}</th>`)
  const body = `<p>${toEntities(report.at)}, commit ${toEntities(report.commit)}, Node ${toEntities(report.versions.node ?? '')}, ${report.machine.cores} × ${toEntities(report.machine.cpu)}, ${report.machine.memoryGib} GiB, load at the end ${report.machine.load.toFixed(1)}.
${report.options.rounds} rounds of ${report.options.seconds} s over ${report.options.connections} connections, each scenario next to its reference; more where the hypervisor took more than ${100 * toleratedSteal} % of the cores in one, and those do not count. ${report.notes.map(toEntities).join(' ')}</p>
<p>Bars are the rate as a share of the reference's (dashed: equal), ticks the goals, dots the rounds. Absolute figures belong to the machine.</p>
<table><tr><th>scenario</th><th></th>${columns.join('')}</tr>${rows.join('')}</table>`
  return toPage('Bench of the Certification Data API', body, css)
}

/** Writes bench/report.json and bench/report.html. */
export const writeReport = (report: Report): void => {
  writeFileSync(join(import.meta.dirname, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(import.meta.dirname, 'report.html'), toHtml(report))
}
