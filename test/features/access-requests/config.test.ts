import t from 'tap'
import { parseConfig } from '../../../app/config/config.ts'

t.test('holidays are dates, with spaces or none around them', async (t) => {
  for (const text of ['2026-12-25,2027-01-01', ' 2026-12-25 ,,\t2027-01-01\n'])
    t.same([...parseConfig({ HOLIDAYS: text }).holidays], ['2026-12-25', '2027-01-01'])
  t.same([...parseConfig({}).holidays], [])
  for (const wrong of ['25.12.2026', '2026-13-01', '2026-12-25,tomorrow'])
    t.throws(() => parseConfig({ HOLIDAYS: wrong }), /HOLIDAYS: expected dates such as 2026-12-25/, wrong)
})

t.test('five requests an hour are allowed, and requests are kept for 30 days', async (t) => {
  const { limits, accessRequestDays } = parseConfig({})
  t.same([limits.accessRequests, accessRequestDays], [5, 30])
})
