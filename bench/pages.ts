import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import autocannon from 'autocannon'

/**
 * A cached and an uncached page of 50 beside a bare node:http server that sends the same bytes and headers,
 * in one run, interleaved. What to read is the ratio; absolute figures belong to the machine.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const secondsPerRun = Number(process.env.BENCH_SECONDS ?? 4)
const connections = 32
const readyWithinMs = 30_000

const root = join(import.meta.dirname, '..')
const token = 'cda_demo_public'
const authorization = `Bearer ${token}`

/** Counted as ever, refused never. */
const noLimits = { LIMIT_DEMO_BURST: '1000000000', LIMIT_DEMO_MINUTE: '1000000000' }

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const startService = async (folder: string): Promise<{ child: ChildProcess; base: string }> => {
  const port = await freePort()
  const log = openSync(join(folder, 'access.log'), 'w')
  const child = spawn(process.execPath, ['app/server.ts'], {
    cwd: root,
    env: {
      ...process.env,
      ...noLimits,
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      DEMO_TOKEN: token,
    },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const base = `http://127.0.0.1:${port}`
  const deadline = Date.now() + readyWithinMs
  while (Date.now() < deadline && child.exitCode === null) {
    if (
      await fetch(`${base}/health/ready`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return { child, base }
    await delay(50)
  }
  throw new Error(`The service did not get ready:\n${readFileSync(join(folder, 'access.log'), 'utf8')}`)
}

const startReference = async (sample: Response) => {
  const skipped = new Set(['date', 'connection', 'keep-alive'])
  const headers = Object.fromEntries([...sample.headers].filter(([name]) => !skipped.has(name)))
  const body = Buffer.from(await sample.arrayBuffer())
  const child = fork(join(import.meta.dirname, 'reference.ts'))
  child.send({ headers, body: body.toString('base64') })
  const [address] = (await once(child, 'message')) as [AddressInfo]
  return { child, base: `http://127.0.0.1:${address.port}`, bytes: body.length }
}

type Sample = { rate: number; p99: number; errors: number }

let unique = 0
/** Every query is another one, so every one is read from the database. */
const uniquePath = () =>
  `/v1/certificates?limit=50&created_at[lt]=2200-01-01T00:00:00.${String(unique++ % 1_000_000).padStart(6, '0')}Z`

const measure = async (url: string, makePath?: () => string): Promise<Sample> => {
  const result = await autocannon({
    url,
    connections,
    duration: secondsPerRun,
    headers: { authorization },
    ...(makePath ? { requests: [{ setupRequest: (request) => ({ ...request, path: makePath() }) }] } : {}),
  })
  return { rate: result.requests.average, p99: result.latency.p99, errors: result.non2xx + result.errors }
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

const main = async () => {
  const folder = mkdtempSync(join(os.tmpdir(), 'certdata-bench-'))
  const { child, base } = await startService(folder)
  const cached = '/v1/certificates?limit=50'
  // Autocannon asks for no coding, so the reference sends the identity body too.
  const sample = await fetch(base + cached, { headers: { authorization, 'accept-encoding': 'identity' } })
  const reference = await startReference(sample)
  const scenarios = {
    'bare node:http': () => measure(reference.base + cached),
    'cached page': () => measure(base + cached),
    'uncached page': () => measure(base + cached, uniquePath),
  }
  const samples: Record<string, Sample[]> = {}
  try {
    for (const run of Object.values(scenarios)) await run()
    for (let round = 1; round <= rounds; round++) {
      for (const [name, run] of Object.entries(scenarios)) {
        process.stderr.write(`round ${round}/${rounds}: ${name}          \r`)
        samples[name] = [...(samples[name] ?? []), await run()]
      }
    }
  } finally {
    reference.child.kill()
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  const cpu = os.cpus()[0]?.model ?? 'unknown'
  console.log(`\n${new Date().toISOString()}  Node ${process.version}  ${os.cpus().length} × ${cpu}`)
  console.log(
    `${connections} connections, ${rounds} rounds of ${secondsPerRun} s, body ${reference.bytes} bytes\n`,
  )
  const baseline = median((samples['bare node:http'] ?? []).map(({ rate }) => rate))
  console.table(
    Object.fromEntries(
      Object.entries(samples).map(([name, runs]) => {
        const rate = median(runs.map((run) => run.rate))
        const [low, high] = [
          Math.min(...runs.map((run) => run.rate)),
          Math.max(...runs.map((run) => run.rate)),
        ]
        const row = {
          'requests/s (median)': Math.round(rate),
          range: `${Math.round(low)}–${Math.round(high)}`,
          'p99 ms (median)': median(runs.map((run) => run.p99)),
          'of bare': (rate / baseline).toFixed(2),
          errors: runs.reduce((sum, run) => sum + run.errors, 0),
        }
        return [name, row]
      }),
    ),
  )
}

await main()
