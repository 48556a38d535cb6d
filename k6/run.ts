import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createProxy } from '../checks/freshness/proxy.ts'
import { freePort, startService } from '../clients/tools/service.ts'
import { runElsewhere } from './elsewhere.ts'
import { loads } from './loads.ts'
import { findK6, runK6 } from './program.ts'
import { recordLines } from './records.ts'

// `npm run k6 -- <script> [options of k6]` starts the servers for a script on this machine and runs it. With
// `--url <origin>` and the variable API_KEY it starts nothing, and runs the script against that service, below the
// quota of the key. Exits with k6's exit code: 0, or 99 if a threshold was crossed; with 2 if nothing was run.

const records = { products: 1_000, certificates: 2_000 }
/** High enough for every script, because limits are not measured here. */
const noLimits: Record<string, string> = {
  LIMIT_ENTERPRISE_BURST: '1000000',
  LIMIT_ENTERPRISE_MINUTE: '10000000',
}
/** Half the duration of redis-down.js. */
const redisLivesMs = 10_000
const startRedis = async () => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'certdata-k6-redis-'))
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder]
  const child = spawn('redis-server', options, { stdio: 'ignore' })
  await once(child, 'spawn')
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: `redis://127.0.0.1:${port}`, stop }
}

/** Creates a customer with plan enterprise and records. Returns its API key. */
const addCustomer = async (certdata: (...options: string[]) => Promise<string>): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-k6-'))
  try {
    await certdata('customers', 'add', 'k6', '--name', 'Load', '--plan', 'enterprise')
    const file = join(folder, 'records.ndjson')
    writeFileSync(file, recordLines(records))
    await certdata('import', file, '--customer', 'k6')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return (JSON.parse(await certdata('keys', 'issue', 'k6', '--json')) as { api_key: string }).api_key
}

/** The variable RATE of the caller wins. Without a rate, a script does not wait between requests. */
const toRate = (rate: number | undefined): Record<string, string> => {
  const given = process.env.RATE ?? rate
  return given === undefined ? {} : { RATE: String(given) }
}

/** Faults that the thresholds of every script must notice. k6 exits with this code if one is crossed. */
const crossed = 99
const faults: Readonly<Record<string, { delayMs?: number; limits?: Record<string, string> }>> = {
  'answers that are 100 ms late': { delayMs: 100 },
  'refused requests': { limits: { LIMIT_ENTERPRISE_BURST: '30', LIMIT_ENTERPRISE_MINUTE: '30' } },
}

/** Starts the servers, runs the script and returns k6's exit code. */
const run = async (script: string, options: readonly string[], { delayMs = 0, limits = noLimits } = {}) => {
  const redis = await startRedis()
  const isRedisDown = script === 'redis-down'
  // Without a memory cache the service reads everything from Redis.
  const memory = isRedisDown ? { CACHE_BYTES: '0' } : {}
  const env = { ...limits, ...memory, REDIS_URL: redis.url, LOG_LEVEL: 'error' }
  const service = await startService(env)
  const proxy = await createProxy(Number(new URL(service.url).port))
  proxy.delayMs = delayMs / 2
  try {
    const url = delayMs > 0 ? `http://127.0.0.1:${proxy.port}` : service.url
    const apiKey = await addCustomer(service.certdata)
    const running = runK6(script, options, { ...toRate(loads[script]?.rate), URL: url, API_KEY: apiKey })
    if (isRedisDown) await Promise.race([delay(redisLivesMs).then(redis.stop), running])
    return await running
  } finally {
    await proxy.close()
    await service.stop()
    await redis.stop()
  }
}

const prove = async (script: string, options: readonly string[]): Promise<number> => {
  const verdicts: string[] = []
  for (const [name, fault] of Object.entries(faults)) {
    const code = await run(script, options, fault)
    verdicts.push(
      `${script} with ${name}: ${code === crossed ? 'k6 fails' : `NOT NOTICED, exit code ${code}`}`,
    )
  }
  console.log(verdicts.join('\n'))
  return verdicts.some((verdict) => verdict.includes('NOT NOTICED')) ? 1 : 0
}

/** k6 drops the scenarios of a script for these options. */
const replacesScenarios = /^(--(duration|vus|iterations|stage)\b|-[duis]$)/

const [script = '', ...options] = process.argv.slice(2)
const load = loads[script]
const stop = (fault: string): never => {
  console.error(fault)
  process.exit(2)
}
if (!load) {
  stop(
    `Usage: npm run k6 -- <script> [--url <origin> | --prove] [--seconds <n>] [options of k6]; scripts: ${Object.keys(loads).join(', ')}`,
  )
}
const secondsAt = options.indexOf('--seconds')
if (secondsAt >= 0) {
  const [, seconds = ''] = options.splice(secondsAt, 2)
  if (!load?.takesSeconds) stop(`${script} has fixed stages, so it takes no --seconds`)
  if (!(Number(seconds) > 0)) stop('--seconds expects a number above 0')
  process.env.DURATION = `${seconds}s`
}
const replacing = options.find((option) => replacesScenarios.test(option))
if (script !== 'smoke' && replacing !== undefined) {
  const instead = load?.takesSeconds ? 'use --seconds <n> and the variable RATE' : 'use the variable RATE'
  stop(`${replacing} would replace the scenarios of ${script}: ${instead}`)
}
const urlAt = options.indexOf('--url')
if (urlAt >= 0) {
  const [, address = ''] = options.splice(urlAt, 2)
  process.exitCode = await runElsewhere(script, options, address)
} else {
  findK6()
  const ofK6 = options.filter((option) => option !== '--prove')
  process.exitCode = await (ofK6.length < options.length ? prove : run)(script, ofK6)
}
