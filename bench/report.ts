import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { toEntities, toPage } from './lib/html.ts'
import type { Sample } from './lib/load.ts'
import { median } from './lib/statistics.ts'
import { connections, getCost, getRatio, listRatios, type Result } from './rounds.ts'

export type Report = {
  at: string
  commit: string
  machine: { cpu: string; cores: number; memoryGib: number; load: number }
  versions: Record<string, string>
  notes: string[]
  rounds: number
  seconds: number
  floors: Readonly<Record<string, number>>
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

const us = (ms: number): string => (1000 * ms).toFixed(ms < 0.1 ? 1 : 0)

/** Returns the processor time of an answer, with the store's part in parentheses. */
const describeCost = (samples: readonly Sample[]): string => {
  const storeMs = median(samples.map(({ storeMs }) => storeMs))
  return us(median(samples.map(getCost))) + (storeMs > 0 ? ` (${us(storeMs)})` : '')
}

const summary = (result: Result, floor: number | undefined) => {
  const { subject, reference, generator } = result
  const ratios = listRatios(result)
  return {
    'service µs': describeCost(subject),
    'reference µs': describeCost(reference),
    ratio: getRatio(result).toFixed(2),
    'least–most': `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    floor: floor?.toFixed(2) ?? '',
    rounds: String(ratios.length),
    'answers/s': String(Math.round(median(subject.map(({ rate }) => rate)))),
    failed: String([...subject, ...reference].reduce((sum, { failed }) => sum + failed, 0)),
    by: generator,
  }
}

/** Prints the results as a table of at most 120 columns. */
export const printTable = (report: Report): void => {
  const { at, commit: head, machine, versions, rounds, seconds, notes, results } = report
  console.log(`
${at}, commit ${head}, Node ${versions.node}, ${machine.cores} × ${machine.cpu}, load ${machine.load.toFixed(1)}
${notes.join(' ')}
${connections} connections, at least ${rounds} rounds of 4 × ${seconds} s. µs: processor time of an answer (part of its store).
Ratio: reference divided by service, median of the rounds.
`)
  console.log(formatTable(report))
  for (const { name, queries } of results)
    if (queries !== undefined)
      console.log(`\nQueries of PostgreSQL for an answer, ${name}: ${queries.toFixed(2)}`)
}

export const formatTable = ({ results, floors }: Pick<Report, 'results' | 'floors'>): string => {
  const rows = results.map((result) => ({ scenario: result.name, ...summary(result, floors[result.name]) }))
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths?.[0] ?? 0) : cell.padStart(widths?.[column] ?? 0)
  return lines.map((line) => line.map(pad).join('  ')).join('\n')
}

/** Returns a bar for the ratio, with a tick for the floor and a dot for each round. */
const bar = (result: Result, floor: number | undefined): string => {
  const ratio = getRatio(result)
  const x = (value: number) => Math.min(value, 1.5) * 300
  const dots = listRatios(result).map((each) => `<circle cx="${x(each).toFixed(1)}" cy="10" r="3"/>`)
  const tick = floor === undefined ? '' : `<path d="M${x(floor)} 0v20" class="floor"/>`
  const state = floor === undefined || ratio >= floor ? 'reached' : 'missed'
  return `<svg viewBox="0 0 460 20" role="img" aria-label="ratio ${ratio.toFixed(2)}"><rect width="${x(ratio).toFixed(1)}" height="20" class="${state}"/><path d="M300 0v20" class="one"/>${tick}${dots.join('')}</svg>`
}

const css = `body{max-width:84rem}td,th{white-space:nowrap}td:first-child{min-width:16rem;white-space:normal}svg{width:18rem;display:block}.floor{stroke:currentColor;stroke-width:2}
.one{stroke:currentColor;stroke-dasharray:2 3}circle{fill:currentColor;opacity:.6}`

export const toHtml = (report: Report): string => {
  const { at, commit: head, versions, machine, notes, rounds, seconds, floors } = report
  const rows = report.results.map((result) => {
    const floor = floors[result.name]
    const cells = Object.values(summary(result, floor)).map((value) => `<td>${toEntities(value)}</td>`)
    return `<tr><td>${toEntities(result.name)}<small>against ${toEntities(result.against)}</small></td><td>${bar(result, floor)}</td>${cells.join('')}</tr>`
  })
  const columns = Object.keys(summary(report.results[0] as Result, undefined)).map(
    (name) => `<th>${name}</th>`,
  )
  const about = `${at}, commit ${head}, Node ${versions.node}, ${machine.cores} × ${machine.cpu}, ${machine.memoryGib} GiB, load at the end ${machine.load.toFixed(1)}. ${connections} connections, at least ${rounds} rounds of 4 × ${seconds} s. ${notes.join(' ')}`
  const body = `<p>${toEntities(about)}</p>
<p>Times are processor time of an answer, user and kernel, in µs; PostgreSQL's or Redis' part is in brackets. A ratio is the reference's time divided by the service's, as the median of the rounds. Bars are ratios (dashed: equal), ticks floors, dots rounds. Absolute figures belong to the machine.</p>
<table><tr><th>scenario</th><th></th>${columns.join('')}</tr>${rows.join('')}</table>`
  return toPage('Bench of the Certification Data API', body, css)
}

export const writeReport = (report: Report): void => {
  writeFileSync(join(import.meta.dirname, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(import.meta.dirname, 'report.html'), toHtml(report))
}
