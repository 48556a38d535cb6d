import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { addCustomer, createTestDatabase, secretKey } from '../../test/helper.ts'
import { startService, untilReady } from '../../test/service.ts'
import { type CrowdOptions, type CrowdResult, sendCrowd } from './crowd.ts'
import { formatMs, judge, say } from './judge.ts'
import { quantile } from './load.ts'

// Sizes rise; the answers each second must not fall. See checks/README.md.

const seconds = Number(process.env.SECONDS ?? 9)
const leastShare = 0.8
const mostProbeMs = 1_000
const customers = 16
/** Above this share of a core, the crowd's own process is the bottleneck. */
const mostBusy = 0.9

const kinds = {
  logins: { sizes: [60, 120, 500, 2_000], counted: ['401', '429'] },
  readers: { sizes: [64, 200, 600, 2_000], counted: ['200'] },
} as const

type Probe = { name: string; everyMs: number; ask: () => Promise<number> }

/** Linux counts processor time in hundredths of a second. */
const readProcessorMs = (pid: number): number => {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number]
  return (user + system) * 10
}

const open = async (directory: string | undefined) => {
  const database = await createTestDatabase()
  const names = Array.from({ length: customers + 2 }, (_, n) => `c${n}`)
  const keys = await Promise.all(names.map((name) => addCustomer(database, name, { plan: 'enterprise' })))
  await sql`insert into products (customer_id, id, name)
    select c.customer_id, 'p' || n, 'product ' || n from customers c, generate_series(1, 200) n`.execute(
    database.operator,
  )
  const service = await startService(
    {
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey,
      LIMIT_ENTERPRISE_BURST: '1000000',
      LIMIT_ENTERPRISE_MINUTE: '100000000',
      LIMIT_LOGINS: '1000000',
    },
    { isMeasured: true, ...(directory === undefined ? {} : { directory }) },
  )
  await untilReady(service)
  const request = (path: string, init: RequestInit = {}) =>
    fetch(service.base + path, { ...init, signal: AbortSignal.timeout(20_000) })
  const logIn = (api_key: string) =>
    request('/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key }),
    })
  const tokens: string[] = []
  for (const key of keys) {
    tokens.push(((await (await logIn(key)).json()) as { access_token: string }).access_token)
  }
  const get = async (path: string, owner: number) => {
    const answer = await request(path, { headers: { authorization: `Bearer ${tokens[owner]}` } })
    await answer.arrayBuffer()
    return answer.status
  }
  await get('/v1/products?limit=7', customers + 1)
  let asked = 0
  const probes: Probe[] = [
    {
      name: 'a correct login',
      everyMs: 500,
      ask: async () => (await logIn(keys[customers] as string)).status,
    },
    {
      name: 'a read of a customer with one request at a time',
      everyMs: 100,
      ask() {
        asked += 1
        const since = `2021-01-01T00:00:00.${String(asked).padStart(6, '0')}Z`
        return get(`/v1/products?limit=50&updated_at[gte]=${since}`, customers)
      },
    },
    { name: 'a cached answer', everyMs: 100, ask: () => get('/v1/products?limit=7', customers + 1) },
    { name: 'an issued token', everyMs: 200, ask: () => get('/v1/me', customers + 1) },
  ]
  const close = async () => {
    await service.stop()
    await database.close()
  }
  return { port: service.port, pid: service.child.pid as number, tokens, probes, close }
}

/** As `judge`, for the checkout to compare with. */
const compare = (text: string, isGood: boolean): void => say(`${isGood ? 'ok    ' : 'missed'} ${text}`)

/** Repeats a probe until `isOver`. Returns the sorted times of answers 200, and the number of the others. */
const probe = async ({ everyMs, ask }: Probe, isOver: () => boolean) => {
  const times: number[] = []
  let failed = 0
  while (!isOver()) {
    const startedAt = performance.now()
    const status = await ask().catch(() => 0)
    if (status === 200) times.push(performance.now() - startedAt)
    else failed += 1
    await delay(everyMs)
  }
  return { times: times.sort((a, b) => a - b), failed }
}

const describe = ({ times, seconds: lasted, lost }: CrowdResult): string => {
  const parts = Object.entries(times).map(
    ([status, { count, p50, p99, max }]) =>
      `${count} × ${status} (${(count / lasted).toFixed(0)}/s, half within ${formatMs(p50)}, p99 ${formatMs(p99)}, all ${formatMs(max)})`,
  )
  return [...parts, ...(lost > 0 ? [`${lost} connections ended`] : [])].join(', ')
}

/** Measures one kind of crowd, from the smallest to the largest. `directory`: a checkout, by default this one. */
export const checkGoodput = async (kind: CrowdOptions['kind'], directory?: string): Promise<void> => {
  const { sizes, counted } = kinds[kind]
  const subject = await open(directory)
  let best = 0
  for (const [index, clients] of sizes.entries()) {
    const settled = Promise.withResolvers<void>()
    const sent = sendCrowd(
      {
        port: subject.port,
        clients,
        seconds,
        kind,
        tokens: subject.tokens.slice(0, customers),
        seed: index + 1,
      },
      settled.resolve,
    )
    let isOver = false
    const ended = sent.then((result) => {
      isOver = true
      return result
    })
    await Promise.race([settled.promise, ended])
    const usedBefore = readProcessorMs(subject.pid)
    const probed = await Promise.all(subject.probes.map((each) => probe(each, () => isOver)))
    const result = await ended
    const usedMs = readProcessorMs(subject.pid) - usedBefore
    const answers = counted.reduce((sum, status) => sum + (result.times[status]?.count ?? 0), 0)
    const all = Object.values(result.times).reduce((sum, { count }) => sum + count, 0)
    const rate = answers / result.seconds
    const share = best === 0 ? 1 : rate / best
    best = Math.max(best, rate)
    say(
      `${clients} ${kind}: ${describe(result)}; each had its first answer within ${result.settleSeconds.toFixed(1)} s`,
    )
    say(
      `       service: ${(usedMs / all).toFixed(2)} ms of processor time for an answer, ${(usedMs / 1000 / seconds).toFixed(2)} of a core; crowd: ${result.busy.toFixed(2)} of a core`,
    )
    if (result.busy > mostBusy) say('       the crowd is the bottleneck of this row')
    const decide = directory === undefined ? judge : compare
    decide(
      `${rate.toFixed(0)} answers/s, ${(100 * share).toFixed(0)} % of the best row before`,
      share >= leastShare,
    )
    for (const [n, { times, failed }] of probed.entries()) {
      const slowest = times.at(-1) ?? Number.POSITIVE_INFINITY
      const figures = `half within ${formatMs(quantile(times, 0.5))}, all within ${formatMs(slowest)}`
      decide(
        `${subject.probes[n]?.name}: ${times.length} of ${times.length + failed}, ${figures}`,
        failed === 0 && slowest <= mostProbeMs,
      )
    }
    await delay(1_500)
  }
  await subject.close()
}
