import t from 'tap'
import { dueAfterBusinessDay } from '../../../app/operator/access/due.ts'
import { cases, fc } from '../../random.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const due = (received: string, ...holidays: string[]) =>
  new Date(dueAfterBusinessDay(Date.parse(received), new Set(holidays))).toISOString()

t.test('a request is due one business day later, across weekends and holidays', async (t) => {
  // 2026-11-18 is a Wednesday.
  const cases: [received: string, due: string, ...holidays: string[]][] = [
    ['2026-11-18T15:00:00.000Z', '2026-11-19T15:00:00.000Z'],
    ['2026-11-20T15:00:00.000Z', '2026-11-23T15:00:00.000Z'],
    ['2026-11-20T23:59:59.999Z', '2026-11-23T23:59:59.999Z'],
    ['2026-11-21T00:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    ['2026-11-21T15:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    ['2026-11-22T23:59:59.999Z', '2026-11-24T00:00:00.000Z'],
    ['2026-11-23T00:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    ['2026-12-24T10:00:00.000Z', '2026-12-28T10:00:00.000Z', '2026-12-25', '2026-12-26'],
    ['2026-12-25T10:00:00.000Z', '2026-12-29T00:00:00.000Z', '2026-12-25', '2026-12-26'],
    ['2026-12-31T18:00:00.000Z', '2027-01-04T18:00:00.000Z', '2027-01-01'],
  ]
  for (const [received, expected, ...holidays] of cases) {
    t.equal(due(received, ...holidays), expected, `${received} ${holidays.join(' ')}`)
  }
})

/** Reads the weekday as text, unlike the code. */
const isBusinessHour = (ms: number, holidays: ReadonlySet<string>) => {
  const date = new Date(ms)
  return !/^(Sat|Sun)/.test(date.toUTCString()) && !holidays.has(date.toISOString().slice(0, 10))
}

const start = Date.parse('2026-01-01')
const hours = fc.integer({ min: 0, max: 3 * 366 * 24 })
const holidaySets = fc
  .array(fc.integer({ min: 0, max: 3 * 366 }), { maxLength: 400 })
  .map((days) => new Set(days.map((day) => new Date(start + day * dayMs).toISOString().slice(0, 10))))

t.test('between receipt and due time lie 24 hours of business days, the last one just past', async () => {
  fc.assert(
    fc.property(hours, holidaySets, (hour, holidays) => {
      const received = start + hour * hourMs
      const until = dueAfterBusinessDay(received, holidays)
      let counted = 0
      for (let at = received; at < until; at += hourMs) counted += isBusinessHour(at, holidays) ? 1 : 0
      return counted === 24 && isBusinessHour(until - hourMs, holidays)
    }),
    { numRuns: cases(500) },
  )
})

t.test('a later request is never due before an earlier one, and no request is due immediately', async () => {
  const instants = fc.integer({ min: start, max: start + 3 * 366 * dayMs })
  fc.assert(
    fc.property(instants, fc.nat(10 * dayMs), holidaySets, (first, gap, holidays) => {
      const [a, b] = [dueAfterBusinessDay(first, holidays), dueAfterBusinessDay(first + gap, holidays)]
      return a <= b && a - first >= dayMs
    }),
  )
})
