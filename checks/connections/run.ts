import { setTimeout as delay } from 'node:timers/promises'
import { openBare } from './bare.ts'
import { type Crowd, openCrowd, protocols } from './crowd.ts'
import { fetchTicket, type Handshakes, measureHandshakes } from './handshakes.ts'
import { measureLatency } from './latency.ts'
import { openStage, type Stage } from './stage.ts'

// See checks/README.md.

const count = Number(process.env.CONNECTIONS ?? 5_000)
const seconds = Number(process.env.SECONDS ?? 2)
const rounds = 1
const handshakeRounds = 3
/** Node's bare server exceeds this goal: see the README. */
const goalBytes = 40_000
/** Allowed memory per connection beyond that of the bare server. */
const mostExtraBytes = 15_000
/** Limit of the p99 with the crowd, divided by the p99 without it in the same run. */
const mostSlower = 1.5
/** Smaller differences are noise. */
const noiseMs = 2
/** How long a busy process takes to return memory to the system. */
const settleMs = 2_000

const say = (text: string) => process.stdout.write(`${text}\n`)
let isGreen = true
const judge = (what: string, isGood: boolean) => {
  say(`${isGood ? 'ok    ' : 'MISSED'} ${what}`)
  isGreen &&= isGood
}
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

const compareHandshakes = async (algorithm: 'ec' | 'rsa') => {
  const stage = await openStage(algorithm)
  try {
    const ticket = await fetchTicket(stage)
    // The first connections run code that is not compiled yet.
    await measureHandshakes(stage, 1)
    await measureHandshakes(stage, 1, ticket)
    const full: Handshakes[] = []
    const resumed: Handshakes[] = []
    for (let round = 0; round < handshakeRounds; round += 1) {
      full.push(await measureHandshakes(stage, seconds))
      resumed.push(await measureHandshakes(stage, seconds, ticket))
    }
    const show = (what: string, all: readonly Handshakes[]) => {
      const cpu = median(all.map(({ cpuMicroseconds }) => cpuMicroseconds))
      const rate = median(all.map(({ perSecond }) => perSecond))
      say(
        `       ${what}: ${cpu.toFixed(0)} µs of processor time each, ${(1e6 / cpu).toFixed(0)} a second of one core; this client made ${rate.toFixed(0)} a second`,
      )
      return cpu
    }
    const costs = { full: show(`${algorithm}, full`, full), resumed: show(`${algorithm}, resumed`, resumed) }
    // A P-256 signature is cheap, and both kinds of handshake include a key exchange.
    if (algorithm === 'rsa')
      judge('a resumed handshake costs less than a full one', costs.resumed < costs.full)
  } finally {
    await stage.close()
  }
}

/** Fills everything that is allocated only once: buffers, compiled code, the young generation of the heap. */
const warmUp = async (stage: Stage, protocol: (typeof protocols)[number]) => {
  const crowd = await openCrowd(stage, protocol, 200)
  await measureLatency(stage, seconds)
  await crowd.leave()
  await delay(settleMs)
}

/** Returns the bytes per connection of a bare Node server that sends answers of the same size. */
const measureBare = async (protocol: (typeof protocols)[number], pageBytes: number): Promise<number> => {
  const bare = await openBare(pageBytes)
  try {
    await (await openCrowd(bare, protocol, 200)).leave()
    await delay(settleMs)
    const before = bare.rssBytes()
    const crowd = await openCrowd(bare, protocol, count)
    await delay(settleMs)
    const bytes = (bare.rssBytes() - before) / count
    await crowd.leave()
    return bytes
  } finally {
    await bare.close()
  }
}

const keepCrowd = async (protocol: (typeof protocols)[number]) => {
  const stage = await openStage()
  let crowd: Crowd | undefined
  try {
    await warmUp(stage, protocol)
    const bytes: number[] = []
    const p99: { without: number; with: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before = stage.rssBytes()
      const without = await measureLatency(stage, seconds)
      crowd = await openCrowd(stage, protocol, count)
      await delay(settleMs)
      bytes.push((stage.rssBytes() - before) / count)
      const beside = await measureLatency(stage, seconds)
      p99.push({ without, with: beside })
      const still = await crowd.count()
      if (still !== count) judge(`${protocol}: ${still} of ${count} connections are still open`, false)
      await crowd.leave()
      crowd = undefined
      await delay(settleMs)
    }
    // Later crowds reuse the memory of the first one, so only the first difference is complete.
    const [most = Number.NaN] = bytes
    const bare = await measureBare(protocol, stage.pageBytes)
    say(`       ${protocol}: ${count} idle connections hold ${kB(most)} each; the goal is ${kB(goalBytes)}`)
    judge(
      `${protocol}: a bare Node server holds ${kB(bare)} per connection. The service may hold ${kB(mostExtraBytes)} more`,
      most <= Math.max(goalBytes, bare + mostExtraBytes),
    )
    const without = median(p99.map((each) => each.without))
    const beside = median(p99.map((each) => each.with))
    const shown = p99.map((each) => `${each.without.toFixed(1)} → ${each.with.toFixed(1)} ms`).join(', ')
    judge(
      `${protocol}: p99 of a cached page without and with them: ${shown}`,
      beside <= without * mostSlower || beside - without <= noiseMs,
    )
  } finally {
    await crowd?.leave()
    await stage.close()
  }
}

const named = process.argv.slice(2)
const isWanted = (part: string) => named.length === 0 || named.includes(part)
if (isWanted('handshakes')) for (const algorithm of ['ec', 'rsa'] as const) await compareHandshakes(algorithm)
for (const protocol of protocols) if (isWanted(protocol)) await keepCrowd(protocol)
process.exitCode = isGreen ? 0 : 1
