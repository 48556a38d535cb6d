import { parsePairs } from '../../app/http/pairs.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import { planQuery } from '../../app/records/query/plan.ts'
import type { ResourceName } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { pageStatement } from '../../app/records/sql/statement.ts'
import type { TestDatabase } from '../helper.ts'

export type Fields = Record<string, unknown>
/** By resource and id. */
export type Records = Map<string, Fields>

/** Fields that change without an event (contract, section 6). */
const excepted = ['days_remaining', 'approval_info']

export const withoutExcepted = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !excepted.includes(name)))

/** The customer and the current day, which a test may change. */
export type Asker = { customerId: string; day: string }

/** Reads all records of the lists. */
export const readAll = async (
  { reader }: TestDatabase,
  { customerId, day }: Asker,
  names: readonly ResourceName[] = resourceNames,
): Promise<Records> => {
  const records: Records = new Map()
  for (const name of names) {
    const outcome = parseQuery(resources[name], 'page', parsePairs('limit=500'))
    if ('faults' in outcome) throw new Error('no query')
    const plan = planQuery(outcome.query, { customerId, today: day })
    for (let after: string[] | undefined, more = true; more; ) {
      const { rows } = await pageStatement(after ? { ...plan, after } : plan).execute(reader)
      const found: Fields[] = JSON.parse(rows[0]?.data ?? '[]')
      for (const record of found) records.set(`${name}/${record.id}`, withoutExcepted(record))
      more = (rows[0]?.found ?? 0) > plan.limit
      after = rows[0]?.last?.[0]
    }
  }
  return records
}
