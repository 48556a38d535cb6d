import t from 'tap'
import { type JudgedFigures, judgeFigures, judgeService } from '../../../app/observe/status/judgement.ts'

/** A period that kept every promise, except for the changed figures. */
const figures = (changed: Partial<JudgedFigures> = {}): JudgedFigures => ({
  minutes: 60,
  whole_minutes: 60,
  availability: 1,
  timed: 1_000,
  latency: { average_ms: 2 },
  max_age_ms: 100,
  ...changed,
})
const judge = (changed: Partial<JudgedFigures>) => judgeFigures(figures(changed))
const period = (changed: Partial<JudgedFigures> = {}) => ({ verdicts: judge(changed) })
const all = (now = {}, others = {}) => ({
  now: period(now),
  '24h': period(others),
  '30d': period(others),
  '90d': period(others),
})
const slow = { latency: { average_ms: 81 } }

t.test('a figure keeps its promise up to the promised value, and breaks it beyond', async (t) => {
  t.same(judge({}), { availability: 'kept', average: 'kept', freshness: 'kept' })
  t.equal(judge({ availability: 0.99 }).availability, 'kept')
  t.equal(judge({ availability: 0.9899 }).availability, 'broken')
  t.equal(judge({ latency: { average_ms: 79.99 } }).average, 'kept')
  t.equal(judge({ latency: { average_ms: 80 } }).average, 'broken', 'promised is less than 80 ms')
  t.equal(judge({ max_age_ms: 600 }).freshness, 'kept')
  t.equal(judge({ max_age_ms: 601 }).freshness, 'broken')
})

t.test('of a period that was hardly measured, nothing is said', async (t) => {
  const unknown = { availability: 'unknown', average: 'unknown', freshness: 'unknown' }
  t.same(judge({ minutes: 2, whole_minutes: 43_200 }), unknown, 'two minutes of 30 days')
  t.same(judge({ minutes: 0, availability: null, latency: { average_ms: null }, max_age_ms: null }), unknown)
  t.equal(judge({ minutes: 30 }).availability, 'kept', 'half of it is enough')
  t.equal(judge({ timed: 19, ...slow }).average, 'unknown', 'an average of a few answers')
})

t.test('headline and state follow from the figures that the table colours', async (t) => {
  t.match(judgeService(1, all()), {
    status: 'operational',
    headline: 'All systems operational',
    note: null,
  })
  const isSlow = judgeService(1, all(slow))
  t.match(isSlow, { status: 'degraded', headline: 'Below the promise at the moment: time to answer' })
  t.match(judgeService(1, all({}, slow)), {
    status: 'operational',
    note: 'Below the promise: time to answer over 24 hours; time to answer over 30 days; time to answer over 90 days.',
  })
  const both = judgeService(1, all({ ...slow, max_age_ms: 900 }))
  t.equal(both.headline, 'Below the promise at the moment: time to answer and freshness')
})

t.test('failures of the last minute precede figures, and missing measurements precede both', async (t) => {
  t.equal(judgeService(0.9, all(slow)).headline, 'Some requests fail at the moment')
  t.equal(judgeService(0.2, all(slow)).status, 'down')
  t.equal(judgeService(undefined, all()).status, 'unknown')
  t.equal(judgeService(1, all({ minutes: 1 })).status, 'unknown', 'a minute after the first start')
})
