import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { makeCertificate } from '../../test/api/sockets.ts'
import { addCustomer, createTestDatabase, secretKey, until } from '../../test/helper.ts'
import { logInTo, startService } from '../../test/service.ts'
import { type Attack, closeWindows, pipeline } from './attack.ts'
import { sendProbes } from './probe.ts'
import { readProcessorMs, untilQuiet } from './processor.ts'
import { readSlowly } from './reader.ts'

// See checks/README.md.

const seconds = Number(process.env.SECONDS ?? 30)
const [, , flag, before] = process.argv
if (flag !== undefined && (flag !== '--before' || before === undefined)) {
  throw new Error('expected no argument, or --before and the folder of an earlier checkout')
}

const say = (text: string) => process.stdout.write(`${text}\n`)
let isGreen = true
const judge = (what: string, isGood: boolean) => {
  say(`${isGood ? 'ok    ' : 'MISSED'} ${what}`)
  isGreen &&= isGood
}

const database = await createTestDatabase()
const apiKey = await addCustomer(database, 'acme', { plan: 'enterprise' })
// An export exceeds the buffers of the system on both sides.
await sql`insert into products (customer_id, id, name)
  select 'acme', 'p' || n, repeat('product ', 60) || n from generate_series(1, 60000) n`.execute(
  database.operator,
)
const certificate = makeCertificate()
const tls = { TLS_CERT: certificate.cert, TLS_KEY: certificate.key }

const open = async (env: Record<string, string>, folder: string | undefined) => {
  const service = await startService(
    { DATABASE_URL: database.url, SECRET_KEY: secretKey, LOG_LEVEL: 'error', ...env },
    { isMeasured: true, ...(folder ? { directory: folder } : {}) },
  )
  await until(
    'it is ready',
    async () => (await sendProbes(service.port, 'TLS_CERT' in env, 0.25)).answered === 1,
  )
  return service
}

type Row = {
  name: string
  env: Record<string, string>
  clients: number
  attack: (port: number, count: number) => Attack
}

const rows: readonly Row[] = [
  { name: '300 pipeline and never read', env: { MAX_CONNECTIONS: '300' }, clients: 300, attack: pipeline },
  {
    name: '300 pipeline and never read, two workers of 150',
    env: { MAX_CONNECTIONS: '150', WEB_CONCURRENCY: '2' },
    clients: 300,
    attack: pipeline,
  },
  {
    name: '200 sessions over HTTP/2 with a window of 0',
    env: { MAX_CONNECTIONS: '200', ...tls },
    clients: 200,
    attack: closeWindows,
  },
]

const attackService = async ({ name, env, clients, attack }: Row, folder: string | undefined) => {
  const service = await open(env, folder)
  const attacking = attack(service.port, clients)
  try {
    await attacking.begun
    const pid = service.child.pid as number
    // The first requests of the clients keep a busy machine busy for seconds.
    await untilQuiet(pid)
    const cpuBefore = readProcessorMs(pid)
    const { sent, answered, refused, late } = await sendProbes(service.port, 'TLS_CERT' in env, seconds)
    const cpuSeconds = (readProcessorMs(pid) - cpuBefore) / 1000
    const figures = `${answered} of ${sent} health checks got 200, ${refused} were refused, ${late} were late; ${attacking.countEnded()} of their connections were ended; ${cpuSeconds.toFixed(1)} s of processor time`
    if (folder) say(`before ${name}: ${figures}`)
    else judge(`${name}: ${figures}`, answered === sent)
  } finally {
    attacking.stop()
    await service.stop()
  }
}

const exportPath = '/v1/products?format=ndjson'

/** One reader pauses while there is room, the other reads steadily next to an attack. */
const readExports = async () => {
  const service = await open({ MAX_CONNECTIONS: '300' }, undefined)
  try {
    const headers = await logInTo(service, apiKey)
    const read = (bytesPerSecond: number, pauseMs: number) =>
      readSlowly({ port: service.port, path: exportPath, ...headers, bytesPerSecond, pauseMs })
    const show = (name: string, { bytes, isComplete, seconds }: Awaited<ReturnType<typeof read>>) =>
      judge(`${name}: ${(bytes / 2 ** 20).toFixed(1)} MiB in ${seconds.toFixed(0)} s`, isComplete)
    show('a reader of an export that pauses 15 s', await read(2 ** 20, 15_000))
    const reading = read(2 ** 20, 0)
    // Its export has begun before all connections are taken.
    await delay(1_000)
    const attacking = pipeline(service.port, 300)
    show('a reader of an export at 1 MiB/s next to 300 that never read', await reading)
    attacking.stop()
  } finally {
    await service.stop()
  }
}

try {
  for (const row of rows) {
    if (before) await attackService(row, before)
    await attackService(row, undefined)
  }
  await readExports()
} finally {
  certificate.remove()
  await database.close()
}
process.exitCode = isGreen ? 0 : 1
