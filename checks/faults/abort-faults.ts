import { get } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { logIn, type Stage } from './stage.ts'

/** Aborts happen immediately, after the head, or in the middle of an export. */
const everyMs = 50
const exportEveryMs = 1_500
const exportHeaders = { accept: 'application/x-ndjson' }

type Headers = Record<string, string>

/** Destroys the connection at the first byte of the body, or before any byte if `isEarly`. */
const abort = (port: number, path: string, headers: Headers, isEarly: boolean) => {
  const request = get({ host: '127.0.0.1', port, path, headers, agent: false })
  request.on('error', () => {})
  if (isEarly) setTimeout(() => request.destroy(), 2)
  request.on('response', (response) => {
    response.on('error', () => {})
    response.once('data', () => request.destroy())
  })
}

const createAborters = ({ services }: Stage, headers: Headers) => {
  const ports = services.map(({ port }) => port)
  let asked = 0
  const page = setInterval(() => {
    asked += 1
    const path = `/v1/certificates?limit=500&number%5Bne%5D=x${asked}`
    abort(ports[asked % 2] as number, path, headers, asked % 3 === 0)
  }, everyMs)
  const list = setInterval(() => {
    abort(ports[asked % 2] as number, '/v1/certificates', { ...headers, ...exportHeaders }, false)
  }, exportEveryMs)
  return () => {
    clearInterval(page)
    clearInterval(list)
  }
}

const busy = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name like 'certdata%' and state <> 'idle'
    and state_change < now() - interval '1 second'`

/** A customer may run two exports at a time, so aborted exports must have released their places. */
const findHeldPlaces = async ({ services, database }: Stage, headers: Headers): Promise<string[]> => {
  const objections: string[] = []
  const exports = [0, 1].map(async (index) => {
    const answer = await fetch(`${services[index]?.base}/v1/certificates`, {
      headers: { ...headers, ...exportHeaders },
    })
    const lines = (await answer.text()).split('\n').length
    if (answer.status !== 200 || lines < 2_000)
      objections.push(`an export got ${answer.status} and ${lines} lines`)
  })
  await Promise.all(exports)
  const endsAt = performance.now() + 5_000
  for (;;) {
    const { rows } = await database.owner.query(busy)
    if (rows[0].count === 0) return objections
    if (performance.now() > endsAt) return [...objections, `${rows[0].count} statements still run`]
    await delay(100)
  }
}

let headers: Headers = {}
let stop = () => {}

export const clientsAbort: Fault = {
  name: 'clients abort in the middle of an answer, 20 in a second',
  expected: {
    text: 'all other requests answered, every connection and export released',
    // The large pages keep a machine with two cores busy.
    knownMs: 1_000,
    otherMs: 3_000,
  },
  async start(stage) {
    const [first] = stage.services
    if (first) headers = await logIn(first, stage.database.abortingKey)
    stop = createAborters(stage, headers)
  },
  end: async () => stop(),
  verify: (stage) => findHeldPlaces(stage, headers),
}

/** The control: the load without a fault. */
export const nothing: Fault = {
  name: 'none',
  expected: { text: 'every request answered' },
  start: async () => {},
  end: async () => {},
}
