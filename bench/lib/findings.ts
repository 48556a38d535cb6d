import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMachine } from '../report.ts'
import { type Cell, toEntities, toPage, toTable } from './html.ts'

export type Rows = Record<string, Record<string, Cell>>

export type Findings = {
  /** The files are `bench/<name>.html` and `.json`. */
  name: string
  title: string
  /** The method, and how to read the results. */
  text: readonly string[]
  tables: readonly { about: string; rows: Rows }[]
  /** Missed goals, as sentences. Empty if all were reached. `undefined` if the bench has no goals. */
  missed?: readonly string[]
  data: unknown
  /** Optional SVG. */
  drawing?: string
}

/** Prints the tables and writes `bench/<name>.html` and `.json`. A missed goal sets exit code 1. */
export const tell = ({ name, title, text, tables, missed, data, drawing = '' }: Findings): void => {
  const about = describeMachine()
  const { at, commit, machine, versions } = about
  const where = `${at}, commit ${commit}, Node ${versions.node}, ${machine.cores} × ${machine.cpu}, ${machine.memoryGib} GiB, load at the end ${machine.load.toFixed(1)}`
  console.log(`\n${title}\n${where}`)
  for (const line of text) console.log(line)
  for (const { about: heading, rows } of tables) {
    console.log(`\n${heading}`)
    console.table(rows)
  }
  const verdict =
    missed?.length === 0 ? ['Every goal was reached.'] : (missed ?? []).map((each) => `MISSED  ${each}`)
  for (const line of verdict) console.log(line)
  if (missed && missed.length > 0) process.exitCode = 1

  const lines = [where, ...text].map((line) => `<p>${toEntities(line)}</p>`)
  const verdicts = verdict.map(
    (line) => `<p class="${missed?.length === 0 ? 'reached' : 'missed'}">${toEntities(line)}</p>`,
  )
  const sections = tables.map(
    ({ about: heading, rows }) => `<h2>${toEntities(heading)}</h2>${toTable('', rows)}`,
  )
  const file = join(import.meta.dirname, '..', name)
  const page = toPage(title, [...lines, ...verdicts, drawing, ...sections].join('\n'))
  writeFileSync(`${file}.html`, page)
  writeFileSync(`${file}.json`, `${JSON.stringify({ ...about, text, missed, data }, null, 2)}\n`)
  console.log(`bench/${name}.html and bench/${name}.json have all results.`)
}
