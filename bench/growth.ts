import { existsSync, mkdirSync, statfsSync } from 'node:fs'
import os from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type HistoryFindings, measureHistory } from './growth/history.ts'
import { estimate, seedSize } from './growth/seed.ts'
import { parseSizes, type Size } from './growth/sizes.ts'
import { type Measure, measures, openSubject, type Subject } from './growth/subjects.ts'
import { type Findings, type Rows, tell } from './lib/findings.ts'
import { startPostgres } from './lib/postgres.ts'
import type { Started } from './lib/processes.ts'
import { createProgress, say } from './lib/progress.ts'
import { percentile } from './lib/statistics.ts'

/**
 * Measures how uncached requests slow down when tables grow. Services run on databases of several sizes in
 * one server. The requests alternate between them, so that a disturbance affects all sizes alike. `--data`:
 * folder that keeps the databases for the next run. Without it they are created and removed. `--seed-only`
 * stops after creating the databases. `--history`: sizes, in certificates, of the databases for measuring
 * history and its pages. `--history-only` measures nothing else.
 */
const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10k/1,1m/100,5m/5000' },
    samples: { type: 'string', default: '3000' },
    data: { type: 'string' },
    'seed-only': { type: 'boolean', default: false },
    history: { type: 'string', default: '100k' },
    'history-only': { type: 'boolean', default: false },
  },
})
const samples = Number(options.samples)
/** In each history database. */
const historyCustomers = 10
const historySizes = parseSizes(
  options.history
    .split(',')
    .map((size) => `${size}/${historyCustomers}`)
    .join(),
)
const sizes = options['history-only'] ? [] : parseSizes(options.sizes)
/** Limit for the 99th percentile of the largest size, divided by that of any smaller size. */
const mostGrowth = 1.5
const names = Object.keys(measures) as Measure[]

/** No durability: a crash of the machine ends the bench anyway. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  shared_buffers: '1GB',
}

const checkRoom = (folder: string) => {
  const { bytes, seconds } = estimate([...sizes, ...historySizes])
  const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : os.tmpdir())
  const gb = (value: number) => (value / 1e9).toFixed(1)
  const free = bavail * bsize
  say(
    `Needs at most ${gb(bytes)} of ${gb(free)} GB free space, and about ${Math.ceil(seconds / 60)} min to seed`,
  )
  if (bytes > free * 0.9)
    throw new Error('Not enough disk space: choose smaller --sizes, or another --data folder')
}

type Times = Map<Measure, number[]>

const measureAll = async (subjects: readonly Subject[]): Promise<Times[]> => {
  const times = subjects.map((): Times => new Map(names.map((name) => [name, []])))
  const warmUps = Math.max(200, samples / 10)
  const progress = createProgress('asking', warmUps + samples)
  for (let n = 0; n < warmUps + samples; n++) {
    for (const name of names) {
      // Rotates the order of the sizes.
      for (let place = 0; place < subjects.length; place++) {
        const index = (place + n) % subjects.length
        const ms = await (subjects[index] as Subject).ask(name)
        if (n >= warmUps) times[index]?.get(name)?.push(ms)
      }
    }
    progress.at(n + 1)
  }
  progress.end()
  return times
}

const label = ({ name, customers }: Size) => `${name} of ${customers}`

/** Divides by the best size and not by the smallest: a full scan can make a small table slow and hide growth. */
const getGrowth = (values: readonly number[]): number => (values.at(-1) as number) / Math.min(...values)

const tabulate = (times: readonly Times[], share: number): Rows =>
  Object.fromEntries(
    names.map((name) => {
      const values = times.map((each) => percentile(each.get(name) ?? [], share))
      const cells = sizes.map((size, index) => [label(size), (values[index] as number).toFixed(2)])
      const growth = getGrowth(values)
      return [measures[name], { ...Object.fromEntries(cells), growth: `${growth.toFixed(2)}×` }]
    }),
  )

const explainAll = async (subjects: readonly Subject[]) => {
  const rows: Rows = {}
  const faults: string[] = []
  for (const subject of subjects) {
    for (const [question, cost] of Object.entries(await subject.explain())) {
      const whole = cost.whole.length > 0 ? `, whole: ${cost.whole.join(', ')}` : ''
      rows[question] = {
        ...rows[question],
        [label(subject.size)]: `${cost.rowsRead} rows, ${cost.blocks} blocks${whole}`,
      }
      faults.push(...cost.faults.map((fault) => `${label(subject.size)}: ${question}: ${fault}`))
    }
  }
  return { rows, faults }
}

const judge = (times: readonly Times[]): string[] =>
  names.flatMap((name) => {
    const growth = getGrowth(times.map((each) => percentile(each.get(name) ?? [], 0.99)))
    return growth <= mostGrowth
      ? []
      : [`${measures[name]}: p99 grew ${growth.toFixed(2)}×, at most ${mostGrowth}×`]
  })

const listTables = ({ sizes: rows, p50, p99, plans }: HistoryFindings): Findings['tables'] => [
  { about: 'The size of history, of certificates that change once', rows },
  { about: 'Pages of history: p50, milliseconds', rows: p50 },
  { about: 'Pages of history: p99, milliseconds', rows: p99 },
  { about: 'Pages of history: plans, by EXPLAIN (ANALYZE, BUFFERS) as the serving role', rows: plans },
]

const main = async (): Promise<void> => {
  const folder = options.data && resolve(options.data)
  if (folder) mkdirSync(folder, { recursive: true })
  checkRoom(folder ?? os.tmpdir())
  const started: { stop(): Promise<void> }[] = []
  try {
    const database: Started = await startPostgres({ settings, ...(folder ? { folder } : {}) })
    started.push(database)
    say(database.label)
    const urls: string[] = []
    for (const size of sizes) urls.push(await seedSize(database.url, size))
    if (options['seed-only']) return
    const history = await measureHistory(database.url, historySizes, Math.ceil(samples / 10))
    if (options['history-only']) {
      for (const { about, rows } of listTables(history)) {
        console.log(about)
        console.table(rows)
      }
      for (const fault of history.faults) console.log(fault)
      return
    }
    const subjects: Subject[] = []
    for (const [index, size] of sizes.entries()) {
      const subject = await openSubject(urls[index] as string, size)
      started.push(subject)
      subjects.push(subject)
    }
    const { rows, faults } = await explainAll(subjects)
    const times = await measureAll(subjects)
    const [p50, p99] = [tabulate(times, 0.5), tabulate(times, 0.99)]
    tell({
      name: 'growth',
      title: 'Growth',
      text: [
        `${database.label}. Columns: number of certificates and customers. One customer has up to 100 k certificates, and one has 1 k. ${samples} requests of each kind, one at a time, alternating between the sizes, uncached.`,
        `Goals: the p99 of the last size is at most ${mostGrowth}× that of the best. Plans use only indexes, with the customer as the first condition, and read a bounded number of rows.`,
      ],
      tables: [
        { about: 'p99, milliseconds', rows: p99 },
        { about: 'p50, milliseconds', rows: p50 },
        ...listTables(history),
        { about: 'Plans, by EXPLAIN (ANALYZE, BUFFERS) as the serving role', rows },
      ],
      missed: [...judge(times), ...faults, ...history.faults],
      data: { options, p50, p99, history, plans: rows },
    })
  } finally {
    for (const each of started.reverse()) await each.stop()
  }
}

await main()
