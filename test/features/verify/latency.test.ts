import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import {
  type Figures,
  formatRun,
  judgeRun,
  type LatencyRun,
  toFigures,
} from '../../../app/features/verify/latency-figures.ts'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { resources } from '../../../app/records/resources/index.ts'
import { run } from '../../command-line.ts'
import { addCustomer, createTestApp, createTestDatabase } from '../../helper.ts'

const usual: Figures = { count: 100, failed: 0, first_failure: null, average: 10, p95: 20, p99: 30 }
const toRun = (cached: Partial<Figures>, more: Partial<LatencyRun> = {}): LatencyRun => ({
  url: 'https://api.example',
  at: '2026-11-28T12:00:00.000Z',
  rate: 5,
  seconds: 60,
  figures: { cached: { ...usual, ...cached }, uncached: usual, login: usual },
  ...more,
})

t.test('figures are average and nearest ranks of the answered requests', async (t) => {
  const samples = Array.from({ length: 100 }, (_, index) => ({ ms: 100 - index }))
  const failures = ['status 429 quota_exceeded', 'socket hang up'].map((failure) => ({ failure }))
  const first_failure = 'status 429 quota_exceeded'
  t.same(toFigures([...samples, ...failures]), {
    count: 102,
    failed: 2,
    first_failure,
    average: 50.5,
    p95: 95,
    p99: 99,
  })
  t.same(toFigures([{ ms: 7 }]), { count: 1, failed: 0, first_failure: null, average: 7, p95: 7, p99: 7 })
  const none = { average: null, p95: null, p99: null }
  t.same(toFigures(failures), { count: 2, failed: 2, first_failure, ...none })
})

const listFaults = (...given: Parameters<typeof judgeRun>): string[] =>
  judgeRun(...given).map(({ word, reason }) => `${word} ${reason}`)

t.test('an average of 80 ms and a failure rate above 1 % break the promise', async (t) => {
  t.same(listFaults(toRun({}), undefined, 0.25), [])
  t.same(listFaults(toRun({ average: 80 }), undefined, 0.25), [
    'SLOW cached: the average is 80 ms, and the promise is less than 80 ms',
  ])
  t.same(listFaults(toRun({ failed: 1 }), undefined, 0.25), [])
  t.same(listFaults(toRun({ failed: 2, first_failure: 'status 503 unavailable' }), undefined, 0.25), [
    'FAILED cached: 2 of 100 requests failed, the first with: status 503 unavailable',
  ])
})

t.test('a figure may be slower by the tolerance and 2 ms', async (t) => {
  const before = toRun({})
  t.same(listFaults(toRun({ average: 14.5 }), before, 0.25), [])
  t.same(listFaults(toRun({ average: 14.6 }), before, 0.25), [
    'SLOW cached: average is 14.6 ms, and was 10 ms',
  ])
  t.same(listFaults(toRun({ average: 14.6 }), before, 0.5), [])
  t.same(listFaults(toRun({ p95: 28, p99: 40 }), before, 0.25), [
    'SLOW cached: p95 is 28 ms, and was 20 ms',
    'SLOW cached: p99 is 40 ms, and was 30 ms',
  ])
})

t.test('figures of few requests are shown, but not compared', async (t) => {
  t.same(listFaults(toRun({ count: 99, p99: 300 }), toRun({}), 0.25), [])
  t.same(listFaults(toRun({ count: 19, p95: 300, p99: 300 }), toRun({}), 0.25), [])
  t.same(listFaults(toRun({ count: 10, average: 70 }), toRun({}), 0.25).length, 1)
  t.same(listFaults(toRun({ count: 9, average: 70 }), toRun({}), 0.25), [])
})

t.test('the table has each kind and its earlier run, and a demo has no logins', async (t) => {
  const { cached, uncached } = toRun({}).figures
  const demo = toRun({}, { figures: { cached, uncached } })
  t.same(
    formatRun(toRun({}), toRun({}))
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/)[0]),
    ['requests', 'cached', 'before', 'uncached', 'before', 'login', 'before'],
  )
  t.notMatch(formatRun(demo, toRun({})), 'login')
  const failed = toRun({ failed: 100, average: null, p95: null, p99: null })
  t.match(formatRun(failed, undefined), /cached +100 +100 +– +– +–$/m, 'no time of failed requests')
})

const database = await createTestDatabase()
const apiKey = await addCustomer(database, 'acme')
const keyWithoutRecords = await addCustomer(database, 'bare')
await loadReferenceData(database.operator)
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
await sql`insert into products (customer_id, id, name)
  select 'acme', 'p' || n, 'Product ' || n from generate_series(1, 2) n`.execute(database.operator)

/** In milliseconds, of answers to reads and logins. */
let delayMs = 0
let port = 0
/** The answer to reads that match, in place of the service's. */
let refused: { match: RegExp; skip: number } | undefined
const paths: string[] = []
const proxy = createServer((incoming, response) => {
  const { url: path = '', method, headers } = incoming
  paths.push(path)
  if (refused?.match.test(path)) {
    refused.skip -= 1
    if (refused.skip < 0) {
      const problem = { status: 503, code: 'unavailable', detail: 'The service is out of order.' }
      return response
        .writeHead(503, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify(problem))
    }
  }
  const sent = request({ host: '127.0.0.1', port, path, method, headers }, async (answer) => {
    await delay(delayMs)
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(response)
  })
  incoming.pipe(sent)
}).listen(0, 'localhost')
await once(proxy, 'listening')
const origin = `http://localhost:${(proxy.address() as AddressInfo).port}`
const env = { LIMIT_DEMO_BURST: '20', LIMIT_DEMO_MINUTE: '60' }
const app = await createTestApp(database, { origin, env })
port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
t.teardown(async () => {
  proxy.close()
  proxy.closeAllConnections()
  await app.close()
  await database.close()
})

const logIn = async (): Promise<string> => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ api_key: apiKey })
  const answer = await fetch(`${origin}/v1/auth/login`, { method: 'POST', headers, body })
  return ((await answer.json()) as { access_token: string }).access_token
}
const cli = (...words: string[]) => run(['verify', origin, ...words], { env: { CERTDATA_API_KEY: apiKey } })

t.test('a run has the requests of its rate, and is saved', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  paths.length = 0
  const file = join(t.testdir(), 'run.json')
  const words = ['--latency', '--rate', '40', '--seconds', '0.5', '--save', file]
  const { stdout, stderr, code } = await cli(...words, '--json')
  t.equal(stderr, '')
  const { ok, faults, before, ...saved } = JSON.parse(stdout)
  t.equal(code, ok ? 0 : 1)
  t.equal(faults.length === 0, ok)
  t.equal(before, null)
  t.same(saved, JSON.parse(readFileSync(file, 'utf8')))
  t.match(saved, { url: origin, rate: 40, seconds: 0.5 })
  for (const kind of ['cached', 'uncached'])
    t.match(saved.figures[kind], { count: 10, failed: 0, average: Number, p95: Number, p99: Number })
  t.match(saved.figures.login, { count: 1, failed: 0 })
  const uncached = paths.filter((path) => path.includes('updated_at[gt]='))
  t.same(warnings, [], 'no negative wait')
  t.equal(new Set(uncached).size, 11, 'each one is another question; the first is not counted')
  t.notMatch(stdout, apiKey)
})

t.test('late answers break the promise and are slower than a saved run', async (t) => {
  delayMs = 120
  t.teardown(() => {
    delayMs = 0
  })
  const file = join(t.testdir(), 'before.json')
  writeFileSync(file, JSON.stringify(toRun({}, { rate: 40, seconds: 0.5 })))
  const { stdout, code } = await cli('--latency', '--compare', file)
  t.equal(code, 1)
  t.match(stdout, /SLOW {2}cached: the average is \d+(\.\d+)? ms, and the promise is less than 80 ms/)
  t.match(stdout, /SLOW {2}uncached: average is \d+(\.\d+)? ms, and was 10 ms/)
  t.match(stdout, / {2}before +100/)
})

t.test('a customer without records can measure, and so can each list', async (t) => {
  const { stdout, stderr, code } = await run(
    ['verify', origin, '--latency', '--rate', '40', '--seconds', '0.5', '--json'],
    { env: { CERTDATA_API_KEY: keyWithoutRecords } },
  )
  t.equal(stderr, '')
  const { ok, figures } = JSON.parse(stdout)
  t.equal(code, ok ? 0 : 1)
  for (const kind of ['cached', 'uncached', 'login'])
    t.match(figures[kind], { failed: 0, first_failure: null, average: Number })
  const uncached = paths.filter((path) => path.includes('updated_at[gt]='))
  t.match(uncached.at(-1), '/v1/countries?', 'the only list with records')
  const headers = { authorization: `Bearer ${await logIn()}` }
  for (const name of Object.keys(resources)) {
    const path = String(uncached.at(-1)).replace('countries', name)
    t.equal((await fetch(`${origin}${path}`, { headers })).status, 200, name)
  }
})

t.test('failed reads have a reason, and make no baseline', async (t) => {
  t.teardown(() => {
    refused = undefined
  })
  const file = join(t.testdir(), 'failed.json')
  const words = ['--latency', '--rate', '40', '--seconds', '0.5', '--save', file]
  refused = { match: /updated_at/, skip: 1 }
  const failed = await cli(...words)
  t.equal(failed.code, 1)
  t.match(
    failed.stdout,
    /^FAILED {2}uncached: 10 of 10 requests failed, the first with: status 503 unavailable$/m,
  )
  t.notMatch(failed.stdout, ' 0 ms')
  t.match(failed.stdout, 'failed.json is not written')
  t.notOk(existsSync(file))
  refused.skip = 0
  const unmeasured = await cli(...words)
  t.equal(unmeasured.code, 2)
  t.match(
    unmeasured.stderr,
    /GET \/v1\/.* is refused with status 503 unavailable: The service is out of order/,
  )
})

t.test('a baseline with a failed kind is refused', async (t) => {
  const none = { count: 50, failed: 50, first_failure: 'status 400', average: null, p95: null, p99: null }
  const file = join(t.testdir(), 'before.json')
  writeFileSync(file, JSON.stringify(toRun(none)))
  const { stderr, code } = await cli('--latency', '--compare', file)
  t.equal(code, 2)
  t.match(
    stderr,
    /before.json has a failed run \(cached: 50 of 50 requests failed, the first with: status 400\)/,
  )
})

t.test('a run that is too short for ten reads of each kind is refused', async (t) => {
  const { stderr, code } = await cli('--latency', '--rate', '5', '--seconds', '3')
  t.equal(code, 2)
  t.match(
    stderr,
    '3 s at 5 reads a second are 7 reads of each kind, and 10 are needed: give --seconds 4 or more',
  )
})

t.test('the rate uses at most half of the quota', async (t) => {
  const refused = await cli('--demo', '--latency', '--rate', '1', '--seconds', '1')
  t.match(refused, { code: 2, stderr: /more than half of the quota of this key: --rate may be 0.5 at most/ })
})

t.test('options and files that cannot be used are named', async (t) => {
  const folder = t.testdir({ 'wrong.json': '{"url":1}', 'text.json': 'x' })
  const file = join(folder, 'run.json')
  writeFileSync(file, JSON.stringify(toRun({}, { rate: 7 })))
  for (const [words, reason] of [
    [['--rate', '3'], '--rate needs --latency'],
    [['--save', file], '--save needs --latency'],
    [['--latency', '--rate', '0'], 'expected a number above 0'],
    [['--latency', '--seconds', '3601'], 'expected at most 3600'],
    [
      ['--latency', '--compare', join(folder, 'none.json')],
      'none.json cannot be read: there is no such file',
    ],
    [
      ['--latency', '--save', join(folder, 'none', 'run.json')],
      'run.json cannot be written: there is no such file or folder',
    ],
    [['--latency', '--compare', join(folder, 'wrong.json')], 'wrong.json is no run that --save has written'],
    [['--latency', '--compare', join(folder, 'text.json')], 'text.json is no run that --save has written'],
    [
      ['--latency', '--compare', file, '--rate', '9', '--seconds', '3'],
      'The saved run had 7 reads a second, and this one 9',
    ],
  ] as const) {
    const { stderr, code } = await cli(...words)
    t.not(code, 0)
    t.match(stderr, reason)
  }
})
