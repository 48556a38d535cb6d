import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createProxy } from '../checks/freshness/proxy.ts'
import { freePort, startService } from '../clients/tools/service.ts'
import { loads } from './loads.ts'
import { readQuota } from './quota.ts'
import { recordLines } from './records.ts'

// `npm run k6 -- <script> [options of k6]` starts the servers for a script on this machine and runs it. With
// `--url <origin>` and the variable API_KEY it starts nothing, and runs the script against that service, below the
// quota of the key. Exits with k6's exit code: 0, or 99 if a threshold was crossed; with 2 if nothing was run.

const build = 'go.k6.io/k6@v1.8.1'
const records = { products: 1_000, certificates: 2_000 }
/** High enough for every script, because limits are not measured here. */
const noLimits: Record<string, string> = {
  LIMIT_ENTERPRISE_BURST: '1000000',
  LIMIT_ENTERPRISE_MINUTE: '10000000',
}
/** Half the duration of redis-down.js. */
const redisLivesMs = 10_000
/** Longer than every script, unless DURATION is longer. */
const limitMs = Number(process.env.K6_LIMIT_SECONDS ?? 2_400) * 1000

const findProgram = (name: string, folders: readonly string[]) =>
  folders.map((folder) => join(folder, name)).find(existsSync)

/**
 * Returns the path of k6: from `K6`, the PATH or Go's folder of programs. If k6 is not installed, builds it,
 * which takes minutes.
 */
const findK6 = (): string => {
  if (process.env.K6) return process.env.K6
  const path = (process.env.PATH ?? '').split(delimiter)
  const go = findProgram('go', path)
  const goFolder = go
    ? join(execFileSync(go, ['env', 'GOPATH'], { encoding: 'utf8' }).trim(), 'bin')
    : undefined
  const folders = goFolder ? [...path, goFolder] : path
  const found = findProgram('k6', folders)
  if (found) return found
  if (!go || !goFolder)
    throw new Error('k6 is not installed, and neither is go to build it: install one of them')
  console.error(`Building k6 (go install ${build}): this takes minutes, once`)
  execFileSync(go, ['install', build], { stdio: 'inherit', env: { ...process.env, GOBIN: goFolder } })
  return join(goFolder, 'k6')
}

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

const runK6 = async (script: string, options: readonly string[], env: Record<string, string>) => {
  const child = spawn(findK6(), ['run', ...options, join(import.meta.dirname, `${script}.js`)], {
    stdio: 'inherit',
    env: { ...process.env, ...env, K6_NO_USAGE_REPORT: 'true' },
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(limit)
  return code ?? 1
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

/** Returns the rate for a service elsewhere, or a fault if the caller's rate does not fit into the quota of the key. */
const fitRate = async (
  script: string,
  origin: string,
  apiKey: string,
): Promise<{ rate: number } | { fault: string }> => {
  const { mostPerSecond, words } = await readQuota(origin, apiKey)
  const { rate: usual = Number.POSITIVE_INFINITY, readsPerRequest = 1 } = loads[script] ?? {}
  const most = Math.floor((mostPerSecond / readsPerRequest) * 10) / 10
  const asked = Number(process.env.RATE ?? 0)
  if (asked > most)
    return { fault: `RATE=${asked} is too much for ${script}: ${words}. Set RATE to at most ${most}` }
  const rate = asked > 0 ? asked : Math.min(usual, most)
  if (asked === 0 && rate < usual) console.error(`${script} sends ${rate} requests a second: ${words}`)
  return { rate }
}

const findUrlFault = (script: string, options: readonly string[], address: string): string | undefined => {
  const url = URL.parse(address)
  if (url?.href !== `${url?.origin}/`)
    return `--url expects an address such as https://api.example, without a path, not ${address}`
  if (script === 'redis-down' || options.includes('--prove'))
    return 'redis-down and --prove break the servers, so they run without --url'
  return process.env.API_KEY
    ? undefined
    : '--url needs the variable API_KEY: the key of a customer with records'
}

/** Runs the script against a service elsewhere, with the key of the environment. */
const runElsewhere = async (script: string, options: readonly string[], address: string): Promise<number> => {
  const { API_KEY: apiKey = '' } = process.env
  const refuse = (fault: string): number => {
    console.error(fault)
    return 2
  }
  const fault = findUrlFault(script, options, address)
  if (fault !== undefined) return refuse(fault)
  const { origin } = new URL(address)
  try {
    const fitted = await fitRate(script, origin, apiKey)
    if ('fault' in fitted) return refuse(fitted.fault)
    return await runK6(script, options, { RATE: String(fitted.rate), URL: origin })
  } catch (error) {
    const { message, cause } = error as Error
    return refuse(
      `${origin} cannot be measured: ${cause instanceof Error ? cause.message || cause : message}`,
    )
  }
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
