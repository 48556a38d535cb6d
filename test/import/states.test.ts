import t from 'tap'
import type { ImportReport } from '../../app/import/index.ts'
import { certificate, type Line, openDatabase, product } from './database.ts'

const { query, take, read } = await openDatabase(t)
t.beforeEach(() => query('truncate certificates, products, projects, lab, approvals'))

const warnings = (report: ImportReport) => report.warningLines.map(({ line, reason }) => `${line}: ${reason}`)
const from = (from: string, until: string | null, basis = 'renewal') => ({ from, until, basis })

/** Imports a certificate with these periods, and returns the stored values. */
const importPeriods = async (periods: Line[], more: Line = {}) => {
  const report = await take([certificate('a', { validity_periods: periods, ...more })])
  const row = (await read('certificates')).get('acme a')
  return { report, dates: [row?.valid_from, row?.valid_until], periods: row?.validity_periods }
}

t.test('an early renewal does not make a valid certificate "not yet valid"', async (t) => {
  const { dates, report } = await importPeriods([
    from('2020-03-01', '2025-02-28', 'initial'),
    from('2025-01-15', '2030-01-14'),
  ])
  t.strictSame(dates, ['2020-03-01', '2030-01-14'])
  t.equal(report.warnings, 0)
})

t.test('a period that starts the day after continues the run, two days after begins a new one', async (t) => {
  const next = await importPeriods([from('2020-01-01', '2024-02-28'), from('2024-02-29', '2026-01-01')])
  t.strictSame(next.dates, ['2020-01-01', '2026-01-01'])
  const gap = await importPeriods([from('2020-01-01', '2024-02-28'), from('2024-03-01', '2026-01-01')])
  t.strictSame(gap.dates, ['2024-03-01', '2026-01-01'])
  t.strictSame(warnings(gap.report), [
    '1: validity_periods: no period is valid from 2024-02-28 to 2024-03-01',
  ])
})

t.test('periods are stored oldest first, in any order of the line', async (t) => {
  const [old, young] = [from('2020-01-01', '2022-12-31', 'initial'), from('2023-01-01', null)]
  const { dates, periods } = await importPeriods([young, old])
  t.strictSame(dates, ['2020-01-01', null])
  t.same(periods, [old, young])
})

t.test('a short period within a longer one does not break the run or end it', async (t) => {
  const { dates } = await importPeriods([
    from('2020-01-01', '2030-01-01', 'initial'),
    from('2021-01-01', '2021-06-30', 'extension'),
    from('2029-01-01', '2035-01-01'),
  ])
  t.strictSame(dates, ['2020-01-01', '2035-01-01'])
})

t.test('dates without periods make one initial period; periods count more than dates', async (t) => {
  const made = await importPeriods([], { valid_from: '2024-01-01' })
  t.same(made.periods, [from('2024-01-01', null, 'initial')])
  const none = await importPeriods([], { valid_until: '2024-01-01' })
  t.same(none.periods, [])
  t.strictSame(none.dates, [null, '2024-01-01'])
  const both = await importPeriods([from('2024-01-01', '2025-01-01')], { valid_until: '2026-01-01' })
  t.strictSame(both.dates, ['2024-01-01', '2025-01-01'])
  t.match(warnings(both.report), [/^1: valid_until: 2026-01-01 given, but the periods give 2025-01-01/])
})

t.test('a period that ends before it begins is stored with a warning', async (t) => {
  t.match(warnings((await importPeriods([from('2024-02-01', '2024-01-01')])).report), [/is before/])
  const { report } = await importPeriods([], { valid_from: '2024-02-01', valid_until: '2024-01-01' })
  t.match(warnings(report), [/is before/])
})

t.test('a state that no path leads to is taken with a warning', async (t) => {
  await take([
    certificate('a', { approval_status: 'revoked' }),
    product('a', { product_status: 'discontinued' }),
  ])
  const report = await take([
    certificate('a', { approval_status: 'approved' }),
    product('a', { product_status: 'draft' }),
  ])
  t.strictSame(warnings(report), [
    '1: approval_status: approved cannot follow revoked',
    '2: product_status: draft cannot follow discontinued',
  ])
  t.match(report, { updated: 2, bad: 0, warnings: 2 })
  t.equal((await read('certificates')).get('acme a')?.approval_status, 'approved')
})

t.test('a state reached by several steps, or kept, needs no warning', async (t) => {
  await take([certificate('a', { approval_status: 'pending' }), product('a', { product_status: 'draft' })])
  const report = await take([
    certificate('a', { approval_status: 'superseded' }),
    product('a', { product_status: 'draft', brand: 'New' }),
  ])
  t.match(report, { updated: 2, warnings: 0 })
})
