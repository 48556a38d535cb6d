import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isDisturbed, judgeResults, listFailures, readFloors, toFloors } from '../../bench/floors.ts'
import { findDifference, type WholeAnswer } from '../../bench/lib/ask.ts'
import { plants } from '../../bench/plants.ts'
import { formatTable } from '../../bench/report.ts'
import { getQueries, needsMore, type Result, warmUp } from '../../bench/rounds.ts'

const toResult = (ratios: readonly number[], name = 'page of 50, HTTP/1.1 over TLS', failed = 0): Result => {
  const sample = (cpuMs: number, storeMs = 0) => ({
    cpuMs,
    storeMs,
    answers: 100,
    rate: 34_567,
    averageMs: 1,
    bytes: 100,
    failed,
  })
  return {
    name,
    against: 'bare node:https',
    generator: 'autocannon',
    neighbours: 0,
    subject: ratios.flatMap(() => [sample(0.9, 0.5), sample(1.1, 0.5)]),
    reference: ratios.flatMap((ratio) => [sample(1.4 * ratio), sample(1.6 * ratio)]),
  }
}

t.test('the gate fails below the floor, for failed requests and for a missing ratio', async (t) => {
  t.same(listFailures(toResult([0.7, 0.8, 0.9]), 0.8), [])
  t.match(listFailures(toResult([0.7, 0.79, 0.9]), 0.8), [/0\.79 of its reference, the floor is 0\.8/])
  t.match(listFailures(toResult([1], 'item', 1), 0.8), ['item: 4 requests failed'])
  t.match(listFailures({ ...toResult([1]), queries: 2 }, 0.8), [/2\.00 queries an answer/])
  t.match(listFailures(toResult([]), 0.8), [/NaN/])
  t.same(listFailures(toResult([0.1]), undefined), [], 'a scenario without a floor')
})

t.test('an answer has one query, although services send others without requests', async (t) => {
  const result = toResult([1, 1])
  // Four loads of each server have 400 answers.
  t.equal(getQueries(result, { total: 800 + 176, idlePerSecond: 44, ms: 4_000 }), 1)
  t.equal(getQueries(result, { total: 1_200 + 176, idlePerSecond: 44, ms: 4_000 }), 2)
  t.match(listFailures({ ...result, queries: 1.3 }, undefined), [/1\.30 queries an answer/])
})

t.test('a server is loaded until its code is compiled, but not without end', async (t) => {
  const countLoads = async (answers: number) => {
    let loads = 0
    await warmUp(async () => {
      loads += 1
      return { answers }
    })
    return loads
  }
  t.equal(await countLoads(15_000), 1)
  t.equal(await countLoads(600), 17)
  t.equal(await countLoads(1), 20)
})

t.test('only a ratio below the floor is measured again', async (t) => {
  t.ok(isDisturbed(toResult([0.7]), 0.8))
  t.notOk(isDisturbed(toResult([0.9]), 0.8), 'above the floor')
  t.notOk(isDisturbed(toResult([0.7], 'item', 1), 0.8), 'failed requests')
  t.notOk(isDisturbed({ ...toResult([0.7]), queries: 2 }, 0.8), 'an extra query')
})

t.test('a ratio next to busy neighbours is measured again, and then not judged', async (t) => {
  const floors = { a: 0.8, b: 0.8 }
  const beside = (neighbours: number, ratio: number, name = 'a', failed = 0) => ({
    ...toResult([ratio], name, failed),
    neighbours,
  })
  const getVerdict = (...results: Result[]) => judgeResults(results, floors).verdict
  for (const ratio of [0.7, 0.9]) {
    t.ok(isDisturbed(beside(0.11, ratio), 0.8))
    t.equal(getVerdict(beside(0.11, ratio)), 'unjudged', `${ratio}`)
  }
  t.notOk(isDisturbed(beside(0.1, 0.9), 0.8))
  t.equal(getVerdict(beside(0.1, 0.9)), 'passed')
  t.equal(getVerdict(beside(0.1, 0.7)), 'failed')
  t.equal(getVerdict(beside(0.5, 0.9), beside(0, 0.7, 'b')), 'failed', 'the other one was measured in quiet')
  t.equal(getVerdict(beside(0.5, 0.9, 'a', 1)), 'failed', 'neighbours make no request fail')
})

t.test('adds rounds if they differ by more than a third or lie on both sides of the floor', async (t) => {
  t.notOk(needsMore([0.7, 0.8, 0.9], 0.8))
  t.ok(needsMore([0.6, 0.8, 0.9], 0.7), 'more than a third')
  t.ok(needsMore([0.75, 0.79, 0.85], 0.8), 'below the floor, and one round above')
  t.notOk(needsMore([0.7, 0.75, 0.79], 0.8), 'clearly below the floor')
})

t.test('a floor is 0.9 of the median of the runs', async (t) => {
  const runs = [0.7, 0.9, 0.8].map((ratio) => [toResult([ratio], 'a'), toResult([2 * ratio], 'b')])
  t.same(toFloors(runs), { a: 0.72, b: 1.44 })
  const ratios = Object.values(readFloors())
  t.ok(ratios.length > 10)
  t.ok(ratios.every((ratio) => ratio > 0.4 && ratio < 1.2))
})

t.test('each kind of processor has its floors, and an unknown one the lowest', async (t) => {
  const toKind = (cpu: string, ratios: Record<string, number>) => ({
    at: '2026-11-28T12:00:00.000Z',
    commit: '0123456',
    machine: { cpu, cores: 2, memoryGib: 24, load: 0 },
    versions: {},
    command: '',
    ratios,
  })
  const all = [toKind('one', { a: 0.7, b: 0.5 }), toKind('two', { a: 0.6, b: 0.8 })]
  t.same(readFloors('two', all), { a: 0.6, b: 0.8 })
  t.same(readFloors('three', all), { a: 0.6, b: 0.5 })
})

t.test('detects a reference that sends another status, field or byte', async (t) => {
  const answer: WholeAnswer = {
    status: 200,
    body: Buffer.from('{}'),
    fields: [
      ['Date', 'Thu, 26 Nov 2026 10:00:00 GMT'],
      ['ETag', '"a"'],
    ],
  }
  const date: WholeAnswer['fields'] = [
    ['ETag', '"a"'],
    ['Date', 'Fri, 27 Nov 2026 10:00:00 GMT'],
  ]
  t.equal(findDifference(answer, { ...answer, fields: date }), undefined)
  t.match(findDifference(answer, { ...answer, status: 404 }), '"status 200", the reference "status 404"')
  t.match(findDifference(answer, { ...answer, body: Buffer.from('[]') }), 'body of 2 bytes: []')
  t.match(findDifference(answer, { ...answer, fields: [] }), '"Date"')
  t.match(findDifference({ ...answer, fields: [] }, answer), 'the reference "Date"')
})

t.test('the table has at most 120 columns', async (t) => {
  const results = [toResult([0.7, 0.8, 1.23]), toResult([1])]
  const lines = formatTable({ results, floors: { [results[0]?.name ?? '']: 0.72 } }).split('\n')
  t.equal(lines.length, 3)
  t.ok(lines.every((line) => line.length <= 120 && line.length === lines[0]?.length))
})

t.test('the places of planted regressions exist in the service, each once', async (t) => {
  for (const { edits } of Object.values(plants))
    for (const { file, from } of edits)
      t.equal(readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split(from).length, 2, from)
})
