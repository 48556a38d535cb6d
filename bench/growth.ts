import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseCells } from './growth/cells.ts'
import { measureImport } from './growth/import.ts'
import { importRow, memoryRow, type RowName, rowNames, rows } from './growth/rows.ts'
import { seedAll } from './growth/seed.ts'
import { openSubject, type Subject } from './growth/subject.ts'
import { listBroken, type Measured, tabulate } from './growth/table.ts'
import { tell } from './lib/findings.ts'
import { watchNeighbours } from './lib/neighbours.ts'
import { readOptions } from './lib/options.ts'
import { getPostmaster, startPostgres, undurable } from './lib/postgres.ts'
import type { Started } from './lib/processes.ts'
import { say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'

/**
 * Measures which costs grow with the table, and which with a customer. Each cell is a database with a service. Requests
 * alternate between the cells, so that a disturbance affects all alike. `--data`: folder that keeps the databases for the
 * next run. `--cells`: certificates/customers, and the first is the base. `--only`: regular expression for the rows.
 */
const { values: options } = readOptions({
  options: {
    cells: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    data: { type: 'string' },
  },
})
const rounds = Number(options.rounds)
const cells = parseCells(options.cells)
const isAsked = (about: string) => new RegExp(options.only).test(about)
const asked = rowNames.filter((name) => isAsked(rows[name].about))

const seconds = () => Math.round(performance.now() / 1000)

const settings = { ...undurable, shared_buffers: '4GB', max_connections: '400' }

/** Rounds that are not counted. They prepare statements and compile code. */
const warmUps = 1

/** Resolves with the median of the rounds of each subject. */
const measureRow = async (subjects: readonly Subject[], name: RowName): Promise<number[]> => {
  const times = subjects.map((): number[] => [])
  for (let round = -warmUps; round < rounds; round++) {
    for (let place = 0; place < subjects.length; place++) {
      const index = (place + round + warmUps) % subjects.length
      const ms = await (subjects[index] as Subject).measure(name)
      if (round >= 0) times[index]?.push(ms)
    }
  }
  return times.map(median)
}

const measureRequests = async (subjects: readonly Subject[]): Promise<Measured[]> => {
  const measured: Measured[] = []
  for (const name of asked) {
    const values = await measureRow(subjects, name)
    measured.push({ row: rows[name], values })
    say(`${seconds()} s: ${rows[name].about}: ${values.map((ms) => ms.toFixed(3)).join(', ')} ms`)
  }
  return measured
}

const importRounds = 2
const warmLines = 1_000

const measureImports = async (subjects: readonly Subject[], postmaster: number): Promise<Measured> => {
  say(`${seconds()} s: ${importRow.about}`)
  await measureImport((subjects[0] as Subject).url, postmaster, warmLines)
  const times = subjects.map((): number[] => [])
  for (let round = 0; round < importRounds; round++) {
    for (const [index, { url }] of subjects.entries())
      times[index]?.push(await measureImport(url, postmaster))
    say(`${seconds()} s: import ${times.map((each) => each.at(-1)?.toFixed(0)).join(', ')} ms`)
  }
  return { row: importRow, values: times.map((each) => Math.min(...each)) }
}

const main = async (): Promise<void> => {
  const folder = options.data && resolve(options.data)
  if (folder) mkdirSync(folder, { recursive: true })
  const started: { stop(): Promise<void> }[] = []
  try {
    const database: Started = await startPostgres({ settings, ...(folder ? { folder } : {}) })
    started.push(database)
    const postmaster = await getPostmaster(database.url)
    const readNeighbours = watchNeighbours([process.pid, postmaster])
    const urls = await seedAll(database.url, cells)
    say(`${seconds()} s: services`)
    const subjects: Subject[] = []
    for (const [index, cell] of cells.entries()) {
      const subject = await openSubject(urls[index] as string, cell, postmaster)
      started.push(subject)
      subjects.push(subject)
    }
    const measured = await measureRequests(subjects)
    if (isAsked(memoryRow.about))
      measured.push({ row: memoryRow, values: subjects.map((subject) => subject.residentMib()) })
    if (isAsked(importRow.about)) measured.push(await measureImports(subjects, postmaster))
    const neighbours = `other programs used ${Math.round(100 * readNeighbours())} % of the cores`
    const table = tabulate(cells, measured)
    tell({
      name: 'growth',
      title: 'Growth',
      text: [`${database.label}, ${seconds()} s, ${neighbours}.`],
      tables: [{ about: 'Milliseconds of processor time', rows: table }],
      missed: listBroken(cells, measured),
      data: { options, cells, measured },
    })
  } finally {
    for (const each of started.reverse()) await each.stop()
  }
}

await main()
