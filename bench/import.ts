import { createReadStream, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { createDb, createPool } from '../app/db/connect.ts'
import { migrate } from '../app/db/migrate.ts'
import { importRecords } from '../app/import/index.ts'
import { startPostgres } from './lib/postgres.ts'
import { makeFolder } from './lib/processes.ts'

/**
 * Measures records per second of an import, with triggers, policies, indexes and durable commits. First all
 * records are new. Then the same file is imported again, without a change. The data are April's registers,
 * repeated with other ids.
 */
const copies = Number(process.env.BENCH_COPIES ?? 10)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

const source = createReadStream(join(import.meta.dirname, '../test/data/certifications-2026-04-25.ndjson.gz'))
const lines = (await text(source.pipe(createGunzip()))).trimEnd().split('\n')
const folder = makeFolder()
const file = join(folder, 'records.ndjson')
const getCopy = (line: string, copy: number) => {
  const record = JSON.parse(line)
  return JSON.stringify({ ...record, id: `${record.id}-${copy}` })
}
const all = Array.from({ length: copies }, (_, copy) => lines.map((line) => getCopy(line, copy)).join('\n'))
writeFileSync(file, `${all.join('\n')}\n`)

const database = await startPostgres()
const db = createDb(
  createPool(database.url, { max: 2, applicationName: 'bench', onError: () => {}, statementTimeoutMs: 0 }),
)
try {
  await migrate(db)
  const run = async () => {
    const started = performance.now()
    const report = await importRecords(db, createReadStream(file))
    return { ...report, rate: (1000 * report.read) / (performance.now() - started) }
  }
  const first = await run()
  if (first.created !== first.read) throw new Error(`only ${first.created} of ${first.read} were created`)
  const again: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { unchanged, read, rate } = await run()
    if (unchanged !== read) throw new Error(`only ${unchanged} of ${read} were unchanged`)
    again.push(rate)
  }
  const median = again.sort((a, b) => a - b)[again.length >> 1] as number
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  ${os.cpus().length} × ${os.cpus()[0]?.model}`,
  )
  console.log(`${database.label}; ${first.read} records`)
  console.table({
    new: { 'records/s': Math.round(first.rate) },
    unchanged: { 'records/s': Math.round(median) },
  })
} finally {
  await db.destroy()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}
