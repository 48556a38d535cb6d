import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { createDb, createPool } from '../app/db/connect.ts'
import { migrate } from '../app/db/migrate.ts'
import { importRecords } from '../app/import/index.ts'
import { startEmbedded } from '../app/local/embedded.ts'
import { median } from './lib/statistics.ts'

/**
 * Measures the cost of the change log for writers. The same work runs with its triggers on and off,
 * interleaved. `BENCH_PART=history` switches only the history that these triggers write, `BENCH_PART=path` only
 * the search path of all trigger functions and their callees. The work is
 * single-row updates and three-row transactions by 8 concurrent writers, and an import of April's registers
 * into an empty database. The result is the ratio.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const secondsPerRun = Number(process.env.BENCH_SECONDS ?? 3)
const writers = 8
const customers = 10
const certificatesEach = 2_000

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(os.tmpdir(), 'certdata-bench-'))
const server = await startEmbedded({
  dataDir: folder,
  packageRoot: root,
  log: () => {},
  settings: { max_connections: '50', deadlock_timeout: '100ms' },
  temporary: true,
})
const ignore = () => {}
const pool = createPool(server.url, {
  max: 1,
  applicationName: 'bench',
  onError: ignore,
  statementTimeoutMs: 0,
})
const db = createDb(pool)

const functions: string[] = []

/** The history part of a trigger function is between these comments. */
const historyPart = /-- history\n.*?-- end\n/gs

/** Switches only the history part of the triggers. */
const switchHistory = async (isOn: boolean) => {
  if (functions.length === 0) {
    const { rows } = await pool.query<{ definition: string }>(
      `select pg_get_functiondef(oid) as definition from pg_proc where prosrc like '%-- history%' and prorettype = 'trigger'::regtype`,
    )
    functions.push(...rows.map(({ definition }) => definition))
  }
  for (const definition of functions) {
    await pool.query(isOn ? definition : definition.replace(historyPart, ''))
  }
}

/** Switches only the search path of the functions that triggers run. */
const switchPath = async (isOn: boolean) => {
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace
       and prolang = (select oid from pg_language where lanname = 'plpgsql') and not prosecdef`,
  )
  for (const { name } of rows) {
    await pool.query(
      `alter function ${name} ${isOn ? 'set search_path = public, pg_temp' : 'reset search_path'}`,
    )
  }
}

const switchTriggers = async (isOn: boolean) => {
  const { rows } = await pool.query<{ table: string; trigger: string }>(
    `select tgrelid::regclass::text as table, tgname as trigger from pg_trigger where tgname like '%\\_log\\_%'`,
  )
  for (const { table, trigger } of rows) {
    await pool.query(`alter table ${table} ${isOn ? 'enable always' : 'disable'} trigger ${trigger}`)
  }
}

const parts: Readonly<Record<string, (isOn: boolean) => Promise<void>>> = {
  log: switchTriggers,
  history: switchHistory,
  path: switchPath,
}
const part = process.env.BENCH_PART ?? 'log'
const switchPart = parts[part]
if (!switchPart) throw new Error(`BENCH_PART is one of ${Object.keys(parts).join(', ')}`)

const seed = async () => {
  await pool.query(
    `insert into customers (customer_id, name) select 'c' || n, 'c' from generate_series(1, $1) n`,
    [customers],
  )
  await pool.query(
    `insert into certificates (customer_id, id, number, title, approval_status, tags, valid_until)
     select 'c' || c, 'x' || n, 'number ' || n, 'title', 'approved', array['a', 'b'], current_date + n
     from generate_series(1, $1) c, generate_series(1, $2) n`,
    [customers, certificatesEach],
  )
  await pool.query('vacuum analyze')
}

type Sample = {
  perSecond: number
  deadlocks: number
  /** Processor time of the server's connections per transaction or imported record. */
  cpuMicros: number
}

const microsPerTick = 10_000

/** Processor time of the server's connections so far, in microseconds. */
const readCpu = async (): Promise<number> => {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend'`,
  )
  const ticks = rows.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  return microsPerTick * ticks.reduce((sum, each) => sum + each, 0)
}

const random = (most: number) => 1 + Math.floor(Math.random() * most)

/** Each writer updates `rowsEach` rows of one customer per transaction, in random order. */
const update = async (rowsEach: number): Promise<Sample> => {
  const clients = await Promise.all(
    Array.from({ length: writers }, async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      return client
    }),
  )
  // Warms up: a connection plans the triggers' statements at their first call.
  await Promise.all(
    clients.map((client, n) =>
      client.query(`update certificates set title = $2 where customer_id = 'c1' and id = $1`, [
        `x${certificatesEach - n}`,
        `title ${Math.random()}`,
      ]),
    ),
  )
  const cpuBefore = await readCpu()
  const end = performance.now() + secondsPerRun * 1000
  let done = 0
  let deadlocks = 0
  const write = async (client: pg.Client) => {
    while (performance.now() < end) {
      const customer = `c${random(customers)}`
      try {
        if (rowsEach > 1) await client.query('begin')
        for (let row = 0; row < rowsEach; row++) {
          const id = `x${random(rowsEach > 1 ? 20 : certificatesEach)}`
          await client.query({
            name: 'update',
            text: 'update certificates set title = $3 where customer_id = $1 and id = $2',
            values: [customer, id, `title ${Math.random()}`],
          })
        }
        if (rowsEach > 1) await client.query('commit')
        done += 1
      } catch (error) {
        if ((error as { code?: string }).code !== '40P01') throw error
        deadlocks += 1
        await client.query('rollback')
      }
    }
  }
  await Promise.all(clients.map(write))
  const cpuMicros = ((await readCpu()) - cpuBefore) / done
  await Promise.all(clients.map((client) => client.end()))
  return { perSecond: done / secondsPerRun, deadlocks, cpuMicros }
}

const importApril = async (): Promise<Sample> => {
  await pool.query(`delete from customers where customer_id !~ '^c[0-9]+$'`)
  await pool.query('vacuum analyze')
  const file = join(root, 'test/data/certifications-2026-04-25.ndjson.gz')
  const cpuBefore = await readCpu()
  const start = performance.now()
  const report = await importRecords(db, createReadStream(file).pipe(createGunzip()), {})
  const perSecond = report.created / ((performance.now() - start) / 1000)
  return { perSecond, deadlocks: 0, cpuMicros: ((await readCpu()) - cpuBefore) / report.created }
}

try {
  await migrate(db)
  await seed()
  const workloads: [string, () => Promise<Sample>][] = [
    ['single-row updates', () => update(1)],
    ['three-row transactions, 20 rows contended', () => update(3)],
    ['import of April, 5,094 records', importApril],
  ]
  const table: Record<string, unknown>[] = []
  for (const [name, work] of workloads) {
    const samples: Record<'off' | 'on', Sample[]> = { off: [], on: [] }
    for (let round = 0; round < rounds; round++) {
      // Alternates the order of the two states.
      for (const state of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
        await switchPart(state === 'on')
        samples[state].push(await work())
      }
    }
    const rate = (state: 'off' | 'on') => median(samples[state].map(({ perSecond }) => perSecond))
    const cpu = (state: 'off' | 'on') => median(samples[state].map(({ cpuMicros }) => cpuMicros))
    const deadlocks = (state: 'off' | 'on') => samples[state].reduce((sum, each) => sum + each.deadlocks, 0)
    table.push({
      workload: name,
      [`without ${part} /s`]: Math.round(rate('off')),
      [`with ${part} /s`]: Math.round(rate('on')),
      'rate ratio': (rate('on') / rate('off')).toFixed(2),
      'µs without / with': `${Math.round(cpu('off'))} / ${Math.round(cpu('on'))}`,
      'processor ratio': (cpu('on') / cpu('off')).toFixed(3),
      'deadlocks without / with': `${deadlocks('off')} / ${deadlocks('on')}`,
    })
  }
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  ${os.cpus().length} × ${os.cpus()[0]?.model}`,
  )
  console.log(`${writers} writers, ${rounds} rounds of ${secondsPerRun} s each way, durable commits`)
  console.table(table)
} finally {
  await db.destroy()
  await server.release()
  rmSync(folder, { recursive: true, force: true })
}
