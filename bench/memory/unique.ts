import { setTimeout as delay } from 'node:timers/promises'
import { requestText } from '../lib/client.ts'
import { cpuMs } from '../lib/cpu.ts'
import { type Rows, tell } from '../lib/findings.ts'
import { runClosedLoop } from '../lib/loops.ts'
import { createProgress, say } from '../lib/progress.ts'
import { createUniquePages } from '../lib/unique.ts'
import { createWorld, type World } from '../lib/world.ts'
import { readMemory } from './where.ts'

/** 260 MB, of the service's process. */
const goalMib = 260e6 / 2 ** 20
export const connections = 32
const roundSeconds = 30
const customers = 200
const codings = ['identity', 'gzip', 'br']

const pages = createUniquePages()

/** Of ten requests, five are for pages of 50 that nothing has read before, and five repeat earlier ones. */
export const createRequest = (token: string) => {
  const { before, after } = pages()
  return (n: number): string => {
    const headers = {
      authorization: `Bearer ${token}`,
      'accept-encoding': codings[n % codings.length] as string,
    }
    const kind = n % 10
    if (kind < 3) return requestText('/v1/certificates?limit=50', headers)
    if (kind < 5) return requestText(`/v1/certificates/crt-${1 + (n % 200)}`, headers)
    return requestText(`${before}${String(n).padStart(6, '0')}${after}`, headers)
  }
}

/** Of each customer, an event stream that stays open and one page. Next to them, exports in each format. */
const addCrowd = async ({ service, crowd }: World) => {
  const end = new AbortController()
  const get = (path: string, token: string, accept = '*/*') =>
    fetch(service.url + path, {
      headers: { authorization: `Bearer ${token}`, accept },
      signal: end.signal,
    })
  const failures: string[] = []
  const check = ({ status, url }: Response) => {
    if (status !== 200) failures.push(`${url}: ${status}`)
  }
  const drain = async (answer: Response) => {
    check(answer)
    for await (const _ of answer.body ?? []);
  }
  for (const { token } of crowd) await drain(await get('/v1/certificates?limit=50', token))
  const streams: Response[] = []
  for (const { token } of crowd) {
    streams.push(await get('/v1/changes?resources=certificates', token, 'text/event-stream'))
  }
  streams.forEach(check)
  const reading = streams.map((stream) => drain(stream).catch(() => {}))
  let exports = 0
  const exporting = (async () => {
    while (!end.signal.aborted) {
      const { token } = crowd[exports % crowd.length] as World['crowd'][number]
      const format = ['ndjson', 'csv', 'xlsx'][exports % 3]
      await drain(await get(`/v1/certificates?format=${format}`, token))
      exports += 1
      await delay(100)
    }
  })().catch((error: Error) => {
    if (!end.signal.aborted) failures.push(error.message)
  })
  return async () => {
    end.abort()
    await Promise.all([...reading, exporting])
    return { streams: streams.length, exports, failures }
  }
}

/**
 * Rounds with pages that fill the cache and are never read again, and a last round next to idle customers, event
 * streams and exports. Prints after each round where the memory is.
 */
export const measureUnique = async (minutes: number): Promise<void> => {
  const rounds = Math.max(3, Math.round((60 * minutes) / roundSeconds))
  const world = await createWorld({ certificates: 10_000, crowdSize: customers, say })
  const { service, token } = world
  const rows: Rows = {}
  let most = 0
  let failed = 0
  const note = async (name: string, more: Record<string, string | number> = {}) => {
    const memory = await readMemory(service)
    const mib = Object.entries(memory).map(([each, value]) => [each, Math.round(value)] as const)
    rows[name] = { ...Object.fromEntries(mib), ...more }
    say(`${name}: ${JSON.stringify(rows[name])}`)
    return memory.resident
  }
  const load = async (name: string) => {
    const cpuBefore = cpuMs(service.pid)
    const request = createRequest(token)
    const result = await runClosedLoop({ url: service.url, connections, seconds: roundSeconds, request })
    failed += result.failed
    const ms = (cpuMs(service.pid) - cpuBefore) / result.answers
    return note(name, { 'answers/s': Math.round(result.rate), 'ms an answer': ms.toFixed(3) })
  }
  try {
    await note('start')
    const progress = createProgress('rounds', rounds)
    for (let round = 1; round <= rounds; round += 1) {
      most = Math.max(most, await load(`round ${round}`))
      progress.at(round)
    }
    progress.end()
    const endCrowd = await addCrowd(world)
    await load('with the crowd')
    const { streams, exports, failures } = await endCrowd()
    await delay(10_000)
    await note('10 s idle')
    tell({
      name: 'memory-unique',
      title: 'Memory under unique pages',
      text: [
        `${rounds} rounds of ${roundSeconds} s over ${connections} connections: five of ten requests are pages of 50 (27 to 40 kB) that nothing has read before, in three encodings. In the last round, ${streams} customers keep an event stream open, and ${exports} lists were exported as NDJSON, CSV and XLSX.`,
        `MiB. Resident = files (the program) + malloc (buffers) + heap (V8) + stacks and others. external: buffers that V8 counts, with garbage. cache: as the service counts it. ms an answer: processor time of the service.`,
        `Goal: at most ${goalMib.toFixed(0)} MiB (260 MB) resident at the end of each round without the crowd.`,
      ],
      tables: [{ about: 'After each round', rows }],
      missed: [
        ...(most <= goalMib ? [] : [`resident: ${most.toFixed(0)} MiB at most`]),
        ...(failed === 0 ? [] : [`${failed} requests failed`]),
        ...failures.slice(0, 3),
      ],
      data: { minutes, rows },
    })
  } finally {
    await world.close()
  }
}
