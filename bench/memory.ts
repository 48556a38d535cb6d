import { residentMib } from './lib/cpu.ts'
import { type Rows, tell } from './lib/findings.ts'
import { runOpenLoop } from './lib/loops.ts'
import { readOptions } from './lib/options.ts'
import { metricsToken } from './lib/processes.ts'
import { createProgress, say } from './lib/progress.ts'
import { fitLine, getLowest, type Point, percentile } from './lib/statistics.ts'
import { createWorld, type World } from './lib/world.ts'
import { drawCurves } from './memory/curves.ts'
import { measureFlags } from './memory/flags.ts'
import { createRequests, startOthers } from './memory/traffic.ts'
import { measureUnique } from './memory/unique.ts'

/** Measures the service's memory, and whether it grows, during minutes of mixed traffic with a full cache. */
const { values: options } = readOptions({
  options: {
    minutes: { type: 'string', default: '10' },
    warm: { type: 'string', default: '4' },
    rate: { type: 'string', default: '600' },
    writes: { type: 'string', default: '10' },
    /** Sends pages that are never read again instead, as fast as they are answered. */
    unique: { type: 'boolean', default: false },
    /** Compares services without the start flags under the load of `unique`. */
    flags: { type: 'boolean', default: false },
  },
})
/**
 * Minutes measured, after a warm-up in seconds. The warm-up fills the cache, compiles the code, opens the
 * pools and creates the notes on each question.
 */
const minutes = Number(options.minutes)
const warmSeconds = 60 * Number(options.warm)
const totalSeconds = warmSeconds + 60 * minutes
const perSecond = Number(options.rate)
const customers = 100
const connections = 64
const sampleEveryMs = 1_000
/** Longer than the interval of garbage collections, so that each window contains the heap's size after one. */
const windowSeconds = Math.max(5, minutes)
const goalMib = 334
/** Greatest rise of the fitted line over the measured time. A smaller rise is indistinguishable from noise. */
const mostRise = 0.03
const cacheBytes = 64 * 2 ** 20

type Sample = {
  seconds: number
  rss: number
  heap: number
  external: number
  arrayBuffers: number
  cache: number
}

const metric = (text: string, name: string) =>
  Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN) / 2 ** 20

const readSample = async ({ service }: World, seconds: number): Promise<Sample> => {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text()
  return {
    seconds,
    rss: residentMib(service.pid) || metric(text, 'process_resident_memory_bytes'),
    heap: metric(text, 'nodejs_heap_size_used_bytes'),
    external: metric(text, 'nodejs_external_memory_bytes'),
    arrayBuffers: metric(text, 'nodejs_arraybuffer_memory_bytes'),
    cache: metric(text, 'certdata_memory_cache_bytes'),
  }
}

const run = async (world: World) => {
  const requests = createRequests(world.crowd)
  const samples: Sample[] = []
  const refused: Record<number, number> = {}
  const startedAt = performance.now()
  const progress = createProgress('asking', totalSeconds)
  let sampling: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1000
    progress.at(seconds)
    sampling = sampling.then(async () => void samples.push(await readSample(world, seconds)))
  }, sampleEveryMs)
  const stopOthers = startOthers(world, Number(options.writes))
  try {
    const loop = await runOpenLoop({
      url: world.service.url,
      connections,
      seconds: totalSeconds,
      perSecond,
      request: requests.make,
      onAnswer: ({ head, status }, n) => {
        requests.note(n, head)
        if (status >= 400) refused[status] = (refused[status] ?? 0) + 1
      },
    })
    await sampling
    return { loop, samples, refused }
  } finally {
    clearInterval(timer)
    progress.end()
    const { failed } = await stopOthers()
    if (failed > 0) say(`${failed} writes, logins, exports or followers failed`)
  }
}

const curves = ['rss', 'heap', 'external'] as const
type Curve = (typeof curves)[number]
const labels: Record<Curve, string> = { rss: 'resident', heap: 'heap used', external: 'external' }

/** Judges a curve after the warm-up. The heap is judged by its size after collections. */
const judge = (samples: readonly Sample[], curve: Curve) => {
  const points = samples.map((sample): Point => ({ x: sample.seconds, y: sample[curve] }))
  const { slope, error } = fitLine(curve === 'heap' ? getLowest(points, windowSeconds) : points)
  const values = points.map(({ y }) => y)
  const measured = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length
  return {
    mean,
    most: Math.max(...values),
    median: percentile(values, 0.5),
    rise: slope * measured,
    error: error * measured,
  }
}

const measureMixed = async (): Promise<void> => {
  const world = await createWorld({ certificates: 1_000, crowdSize: customers, say })
  const { loop, samples, refused } = await run(world).finally(() => world.close())

  const after = samples.filter(({ seconds }) => seconds >= warmSeconds)
  const verdicts = new Map(curves.map((curve) => [curve, judge(after, curve)]))
  const mib = (value: number) => value.toFixed(1)
  const rows: Rows = Object.fromEntries(
    [...verdicts].map(([curve, { median, most, rise, error }]) => [
      labels[curve],
      {
        'median MiB': mib(median),
        'most MiB': mib(most),
        'rise of the line, MiB': mib(rise),
        'its standard error': mib(error),
        'a minute, MiB': (rise / minutes).toFixed(2),
      },
    ]),
  )
  const cache = Math.min(...after.map((sample) => sample.cache))
  const { most = Number.NaN } = verdicts.get('rss') ?? {}
  const ms = (microseconds: number) => (microseconds / 1000).toFixed(1)
  tell({
    name: 'memory',
    title: 'Memory',
    text: [
      `${minutes} min of mixed traffic after ${options.warm} to warm up, ${perSecond} reads/s of ${customers} customers (${loop.answers} answers, ${ms(loop.latency.mean)} ms on average, p99 ${ms(loop.latency.percentile(99))} ms), ${options.writes} writes/s, logins, exports, followers of the feed; three encodings, every fourth a poll.`,
      `The memory cache held at least ${mib(cache)} of ${mib(cacheBytes / 2 ** 20)} MiB after the warm-up. Sampled each second; the heap's line goes through its sizes after collections.`,
      `Goals: at most ${goalMib} MiB resident, and no growth: a line that rises less than ${100 * mostRise} % of the mean, or less than two of its standard errors.`,
    ],
    tables: [{ about: 'After the warm-up', rows }],
    missed: [
      ...(most <= goalMib ? [] : [`resident: ${mib(most)} MiB at most, the goal is ${goalMib}`]),
      ...[...verdicts].flatMap(([curve, { rise, mean, error }]) =>
        rise > mostRise * mean && rise > 2 * error
          ? [`${labels[curve]} grew by ${mib(rise)} MiB after the warm-up`]
          : [],
      ),
      ...(loop.failed === 0 ? [] : [`${loop.failed} requests failed, by status: ${JSON.stringify(refused)}`]),
    ],
    data: { options, samples },
    drawing: drawCurves(
      samples.map(({ seconds }) => seconds),
      {
        resident: samples.map(({ rss }) => rss),
        external: samples.map(({ external }) => external),
        'heap used': samples.map(({ heap }) => heap),
      },
      { goal: goalMib, warmSeconds },
    ),
  })
}

if (options.flags) await measureFlags()
else if (options.unique) await measureUnique(minutes)
else await measureMixed()
