import { sql } from 'kysely'
import t from 'tap'
import { selectInstant } from '../../../app/db/instant.ts'
import { recordHistory } from '../../../app/features/history/record-statement.ts'
import { type ImportReport, importRecords } from '../../../app/import/index.ts'
import { resources } from '../../../app/records/resources/index.ts'
import { createTestDatabase } from '../../helper.ts'
import { type Fields, type Records, readAll } from '../../records/read-all.ts'
import { comparable, type Entry, undo } from './entries.ts'
import { months, owned, readHistory, readMonth } from './registers.ts'

const database = await createTestDatabase()
const { operator, reader } = database
t.teardown(() => database.close())

const day = new Date().toISOString().slice(0, 10)

t.test('reading three imports backwards rebuilds each earlier state', async (t) => {
  const reports: Pick<ImportReport, 'updated' | 'deleted'>[] = []
  const states: Map<string, Records>[] = []
  const ends: string[] = []
  const lines = readMonth(months[0]).toString().split('\n', 200)
  const names = new Set(lines.map((line) => JSON.parse(line).customer as string))
  for (const month of months) {
    const report = await importRecords(operator, ReadableStream.from([readMonth(month)]), { replace: true })
    t.equal(report.bad, 0)
    reports.push(report)
    const state = new Map<string, Records>()
    for (const customerId of names) state.set(customerId, await readAll(database, { customerId, day }, owned))
    states.push(state)
    const { rows } = await sql<{ now: string }>`select ${selectInstant('clock_timestamp()')} as now`.execute(
      operator,
    )
    ends.push(rows[0]?.now as string)
  }
  const sum = (name: 'updated' | 'deleted') => reports.reduce((total, report) => total + report[name], 0)
  const { rows } = await sql<{ updates: number; deletions: number }>`
    select count(*) filter (where old is not null and not old ? 'created_at')::integer as updates,
      count(*) filter (where old ? 'created_at')::integer as deletions
    from record_history`.execute(operator)
  t.same(rows, [{ updates: sum('updated'), deletions: sum('deleted') }], 'a row for each change')

  let transitions = 0
  for (const customerId of names) {
    const records: Records = new Map(
      [...(states[2]?.get(customerId) ?? [])].map(([key, record]) => [key, { ...record }]),
    )
    const entries = await readHistory(reader, customerId, 97)
    transitions += entries.length
    const wrong: string[] = []
    for (const boundary of [1, 0, -1]) {
      while (entries[0] && entries[0].at > (ends[boundary] ?? ''))
        wrong.push(...undo(records, entries.shift() as Entry))
      const expected =
        boundary === -1 ? new Map<string, Fields>() : (states[boundary]?.get(customerId) as Records)
      t.same(
        [...records].map(([key, record]) => `${key} ${comparable(record)}`).sort(),
        [...expected].map(([key, record]) => `${key} ${comparable(record)}`).sort(),
        `${customerId} after import ${boundary + 1}`,
      )
    }
    t.same(wrong, [], 'each new value is the one that was there')
  }
  t.comment(`${transitions} transitions of ${names.size} customers`)
  t.ok(transitions > 500)
})

t.test('reports each transition of real certificates once, on its day', async (t) => {
  const day = '2040-01-01'
  const { rows } = await sql<{ customer: string; id: string; edges: { on: string; to: object }[] }>`
    select c.customer_id as customer, c.id, (
      select json_agg(json_build_object('on', e.day, 'to', e.told) order by e.day desc) from (values
        (c.valid_until - 90, json_build_object('expiring', true)),
        (c.valid_until + 1, json_build_object('validity', 'expired', 'expiring', false))
      ) e (day, told) where e.day > c.created_at::date) as edges
    from certificates c where c.approval_status = 'approved' and c.valid_from <= c.created_at::date
      and c.valid_until >= c.created_at::date and c.valid_until < '2039-01-01' order by 1, 2 limit 200`.execute(
    operator,
  )
  let told = 0
  for (const { customer: customerId, id, edges } of rows) {
    const plan = { customerId, resource: resources.certificates, id, limit: 500, after: undefined, day }
    const [row] = (await recordHistory(plan).execute(reader)).rows
    const entries = (JSON.parse(`[${row?.data ?? ''}]`) as Entry[]).filter(({ cause }) => cause === 'day')
    t.strictSame(
      entries.map(({ at, changes }) => ({
        on: at.slice(0, 10),
        to: Object.fromEntries(Object.entries(changes).map(([name, { to }]) => [name, to])),
      })),
      edges,
      `${customerId}/${id}`,
    )
    told += entries.length
  }
  t.comment(`${told} transitions of ${rows.length} certificates`)
  t.ok(told > 50)
})
