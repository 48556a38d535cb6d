import { once } from 'node:events'
import { connect } from 'node:net'
import os from 'node:os'
import pg from 'pg'
import { resources } from '../app/records/resources/index.ts'
import { cpuMs, residentMib } from './lib/cpu.ts'
import { getPostmaster, startPostgres } from './lib/postgres.ts'
import { startService } from './lib/processes.ts'
import { logIn, prepareSchema, secretKey, seedCustomers } from './lib/seed.ts'

/**
 * Measures exports of a million certificates as NDJSON, CSV and XLSX. The service runs in a separate process.
 * Its exports alternate with `COPY … TO STDOUT` of the same columns through the same driver. The two results
 * are the ratio of processor time (reader and PostgreSQL together), and whether the service's memory grows
 * with the number of rows. `BENCH_BEFORE`: another checkout, whose service alternates with this one.
 */
const rows = Number(process.env.BENCH_ROWS ?? 1_000_000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const before = process.env.BENCH_BEFORE
const formats = (process.env.BENCH_FORMATS ?? 'ndjson,csv,xlsx').split(',')
const rowsPerTransaction = 5_000
const sampleEveryMs = 100
const warmingPages = 100

const say = (line: string) => process.stderr.write(`${line}\n`)

/** Some thousand records share an instant, as after an import. Change log and elements stay empty. */
const seedRows = async (client: pg.Client): Promise<void> => {
  await client.query('alter table certificates disable trigger user')
  await client.query('alter table certificates enable always trigger certificates_before')
  for (let from = 1; from <= rows; from += rowsPerTransaction) {
    const to = Math.min(rows, from + rowsPerTransaction - 1)
    await client.query(
      `insert into certificates (customer_id, id, number, title, approval_status, certificate_type, scheme, authority,
         country_code, product_id, valid_from, valid_until, issued_on, holder, standards, tags, validity_periods,
         source_url)
       select 'bench', 'crt-' || n, 'DE-' || lpad(n::text, 8, '0'),
         'Radio module ' || n || ' "Thunder", type approval for the 2.4 GHz band, all variants',
         (array['approved', 'approved', 'conditional', 'pending', 'revoked'])[1 + n % 5], 'type_approval',
         (array['FCC ID', 'CE RED'])[1 + n % 2], 'BNetzA', (array['DE', 'US', 'JP', 'BR'])[1 + n % 4],
         'prd-' || n / 4, current_date - n % 300, current_date + n % 900 - 60, current_date - n % 300,
         'Acme Wireless GmbH', array['EN 300 328', 'EN 301 489-1'], array['line-' || n % 7],
         array[(current_date - n % 300, current_date + n % 900 - 60, 'initial')::validity_period], 'https://example.org/certificates/' || n
       from generate_series($1::integer, $2::integer) n`,
      [from, to],
    )
    if (from % 100_000 === 1) say(`  ${from - 1} of ${rows}`)
  }
  await client.query('vacuum (freeze, analyze) certificates')
}

/** `cpuMs`: of the service, or of this process for `COPY`. `storeMs`: of PostgreSQL. */
type Sample = { ms: number; bytes: number; memory: number[]; cpuMs: number; storeMs: number }

const copy = async (client: pg.Client, postmaster: number, order: string): Promise<Sample> => {
  const columns = [...resources.certificates.fields.values()].filter(({ computed }) => !computed)
  const text = `copy (select ${columns.map(({ name }) => name).join(', ')} from certificates
    where customer_id = 'bench' ${order}) to stdout`
  let bytes = 0
  const own = process.cpuUsage()
  const storeBefore = cpuMs(postmaster)
  const started = performance.now()
  await new Promise<void>((resolve, reject) => {
    const reading = {
      submit: (connection: pg.Connection & { query(sent: string): void }) => connection.query(text),
      handleCopyData: ({ chunk }: { chunk: Buffer }) => {
        bytes += chunk.length
      },
      handleError: reject,
      handleCommandComplete: () => {},
      handleReadyForQuery: () => resolve(),
    }
    client.query(reading as unknown as pg.Submittable)
  })
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(own)
  return { ms, bytes, memory: [], cpuMs: (user + system) / 1000, storeMs: cpuMs(postmaster) - storeBefore }
}

type Target = { url: string; token: string; pid: number; postmaster: number }

const readBytes = 256 * 1024

/**
 * Counts the bytes of an answer and drops them: a parsing client would take processor time from service and
 * database. Rejects if the answer is incomplete.
 */
const readAnswer = async ({ url, token }: Target, path: string): Promise<number> => {
  let bytes = 0
  let head = ''
  let tail = ''
  const callback = (size: number, memory: Uint8Array): boolean => {
    const text = (from: number) => Buffer.from(memory.subarray(Math.max(0, from), size)).toString('latin1')
    if (bytes === 0) head = text(0)
    tail = `${tail}${text(size - lastChunk.length)}`.slice(-lastChunk.length)
    bytes += size
    return true
  }
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port), onread: { buffer: Buffer.alloc(readBytes), callback } })
  const fields = [`host: ${host}`, `authorization: Bearer ${token}`, 'connection: close']
  socket.write(`GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  await once(socket, 'close')
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`refused: ${head}`)
  if (tail !== lastChunk) throw new Error('the export was cut')
  return bytes
}
const lastChunk = '0\r\n\r\n'

const exportAll = async (target: Target, query: string): Promise<Sample> => {
  const { pid, postmaster } = target
  const memory = [residentMib(pid)]
  const sampling = setInterval(() => memory.push(residentMib(pid)), sampleEveryMs)
  const [cpuBefore, storeBefore] = [cpuMs(pid), cpuMs(postmaster)]
  const started = performance.now()
  try {
    const bytes = await readAnswer(target, `/v1/certificates?${query}`)
    const ms = performance.now() - started
    return { ms, bytes, memory, cpuMs: cpuMs(pid) - cpuBefore, storeMs: cpuMs(postmaster) - storeBefore }
  } finally {
    clearInterval(sampling)
  }
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

const bars = '▁▂▃▄▅▆▇█'
/** Draws at most 60 marks, scaled from 0 to the maximum. */
const curve = (values: readonly number[]): string => {
  const most = Math.max(...values)
  const step = Math.max(1, Math.ceil(values.length / 60))
  return values
    .filter((_, index) => index % step === 0)
    .map((value) => bars[Math.min(7, Math.floor((8 * value) / most))])
    .join('')
}

const database = await startPostgres()
const services: Awaited<ReturnType<typeof startService>>[] = []
try {
  await prepareSchema(database.url)
  const [customer] = await seedCustomers(database.url, ['bench'], 0)
  if (!customer) throw new Error('the database has no customer')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  say(`${database.label}; ${rows} certificates`)
  await seedRows(client)
  const postmaster = await getPostmaster(database.url)
  const settings = { DATABASE_URL: database.url, SECRET_KEY: secretKey, LOG_LEVEL: 'warn' }
  const startTarget = async (checkout?: string): Promise<Target> => {
    const service = await startService(settings, [], checkout)
    services.push(service)
    return { url: service.url, pid: service.pid, token: await logIn(service.url, customer), postmaster }
  }
  const targets = { '': await startTarget(), ...(before ? { ', before': await startTarget(before) } : {}) }
  const work: Record<string, () => Promise<Sample>> = {
    'COPY, any order': () => copy(client, postmaster, ''),
    'COPY, same order': () => copy(client, postmaster, 'order by created_at desc, id desc'),
  }
  for (const format of formats) {
    for (const [suffix, target] of Object.entries(targets))
      work[format.toUpperCase() + suffix] = () => exportAll(target, `format=${format}`)
  }
  // Compiles the code and loads database pages first. Pages are small, because memory growth is measured.
  for (const target of Object.values(targets)) {
    const headers = { authorization: `Bearer ${target.token}` }
    for (let page = 0; page < warmingPages; page++) {
      await (await fetch(`${target.url}/v1/certificates?limit=50`, { headers })).arrayBuffer()
    }
    for (const format of formats) await exportAll(target, `format=${format}&limit=500`)
  }
  const samples: Record<string, Sample[]> = {}
  for (let round = 1; round <= rounds; round++) {
    for (const [name, run] of Object.entries(work)) {
      say(`round ${round}/${rounds}: ${name}`)
      samples[name] = [...(samples[name] ?? []), await run()]
    }
  }
  await client.end()
  const getRate = (name: string) => median((samples[name] ?? []).map(({ ms }) => (1000 * rows) / ms))
  const costs = (name: string) => median((samples[name] ?? []).map((each) => each.cpuMs + each.storeMs))
  const perRow = (ms: number) => ((1000 * ms) / rows).toFixed(2)
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  ${os.cpus().length} × ${os.cpus()[0]?.model}`,
  )
  console.log(`${database.label}; ${rows} certificates, ${rounds} rounds\n`)
  console.table(
    Object.fromEntries(
      Object.entries(samples).map(([name, runs]) => [
        name,
        {
          'rows/s': Math.round(getRate(name)),
          'MB/s': Math.round(median(runs.map(({ bytes, ms }) => bytes / 1000 / ms))),
          'bytes a row': Math.round((runs[0]?.bytes ?? 0) / rows),
          'of COPY by processor time': (costs('COPY, same order') / costs(name)).toFixed(2),
          'reader µs a row': perRow(median(runs.map((each) => each.cpuMs))),
          'PostgreSQL µs a row': perRow(median(runs.map((each) => each.storeMs))),
        },
      ]),
    ),
  )
  const memory = formats.flatMap((format) => samples[format.toUpperCase()] ?? [])
  for (const [name, runs] of Object.entries(samples)) {
    for (const [index, { memory: values }] of runs.entries()) {
      if (values.length === 0) continue
      const [before, most] = [values[0] as number, Math.max(...values)]
      console.log(
        `${name} ${index + 1}: ${Math.round(before)} MiB before, at most ${Math.round(most)} (+${Math.round(most - before)})  ${curve(values)}`,
      )
    }
  }
  const first = memory[0]?.memory[0] ?? 0
  const most = Math.max(...memory.flatMap(({ memory: values }) => values))
  console.log(`\nGrowth over all exports: ${Math.round(most - first)} MiB`)
} finally {
  for (const service of services) await service.stop()
  await database.stop()
}
