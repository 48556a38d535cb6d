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
  /** The program that asked. */
  generator: string
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

/** Processor time of an answer, in milliseconds: the server's and, where one takes part, its store's. */
const costOf = ({ cpuMs, storeMs }: Sample): number => cpuMs + storeMs

/** Each round's ratio: the reference's processor time by the service's, measured next to each other. */
const ratiosOf = ({ subject, reference }: Result): number[] =>
  reference.flatMap((theirs, round) => {
    const ours = subject[round]
    return ours ? [costOf(theirs) / costOf(ours)] : []
  })

/** The median of the rounds' ratios. NaN: there is no reference. */
export const ratioOf = (result: Result): number => median(ratiosOf(result))

const us = (ms: number): string => (Number.isNaN(ms) ? '' : (1000 * ms).toFixed(ms < 0.1 ? 1 : 0))

const summary = (result: Result) => {
  const { subject, reference, goal } = result
  const of = (samples: readonly Sample[], pick: (sample: Sample) => number | undefined) =>
    median(samples.flatMap((sample) => pick(sample) ?? []))
  const ratios = ratiosOf(result)
  const store = (samples: readonly Sample[]) => us(of(samples, ({ storeMs }) => storeMs || undefined))
  const p99 = of(subject, ({ p99Ms }) => p99Ms)
  return {
    'service µs': us(of(subject, costOf)),
    'in its store': store(subject),
    'reference µs': us(of(reference, costOf)),
    'in its store ': store(reference),
    ratio: ratios.length === 0 ? '' : ratioOf(result).toFixed(2),
    'least to most':
      ratios.length === 0 ? '' : `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    goal: goal?.toFixed(2) ?? '',
    'answers/s': Math.round(of(subject, ({ rate }) => rate)),
    'reference/s': Math.round(of(reference, ({ rate }) => rate)) || '',
    'average ms': of(subject, ({ averageMs }) => averageMs).toFixed(2),
    'p99 ms': Number.isNaN(p99) ? '' : p99.toFixed(1),
    failed: subject.reduce((sum, { failed }) => sum + failed, 0),
    by: result.generator,
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
    `${options.connections} requests at once, ${options.rounds} rounds of ${options.seconds} s; µs of processor time an answer; ratio: reference by service. Resident afterwards: ${residentMib.toFixed(0)} MiB\n`,
  )
  console.table(Object.fromEntries(results.map((result) => [result.name, summary(result)])))
}

/** Returns a bar for the ratio, with a tick for the goal and a dot for each round. */
const bar = (result: Result): string => {
  const ratio = ratioOf(result)
  if (Number.isNaN(ratio)) return ''
  const x = (value: number) => Math.min(value, 1.5) * 300
  const dots = ratiosOf(result).map((each) => `<circle cx="${x(each).toFixed(1)}" cy="10" r="3"/>`)
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
${report.options.rounds} rounds of ${report.options.seconds} s with ${report.options.connections} requests at once, each scenario next to its reference. ${report.notes.map(toEntities).join(' ')}</p>
<p>Times are processor time of an answer, user and kernel, with that of PostgreSQL or Redis where they take part. Ratios are the reference's time by the service's, the median of the rounds. Bars are ratios (dashed: equal), ticks the goals, dots the rounds. Absolute figures belong to the machine.</p>
<table><tr><th>scenario</th><th></th>${columns.join('')}</tr>${rows.join('')}</table>`
  return toPage('Bench of the Certification Data API', body, css)
}

/** Writes bench/report.json and bench/report.html. */
export const writeReport = (report: Report): void => {
  writeFileSync(join(import.meta.dirname, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(import.meta.dirname, 'report.html'), toHtml(report))
}
