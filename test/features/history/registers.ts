import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Db } from '../../../app/db/schema.ts'
import { listHistory } from '../../../app/features/history/list-statement.ts'
import { resourceNames, resources } from '../../../app/records/resources/index.ts'
import type { Entry } from './entries.ts'

/** Files of real certificates, oldest first. */
export const months = ['2026-01-06', '2026-02-28', '2026-04-25'] as const

export const readMonth = (month: string): Buffer =>
  gunzipSync(readFileSync(join(import.meta.dirname, '../../data', `certifications-${month}.ndjson.gz`)))

export const owned = resourceNames.filter((name) => !resources[name].reference)

export const readHistory = async (db: Db, customerId: string, limit = 200): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (let after: readonly string[] | undefined, more = true; more; ) {
    const plan = { customerId, resources: owned.map((name) => resources[name]), since: undefined }
    const [row] = (await listHistory({ ...plan, limit, after }).execute(db)).rows
    entries.push(...JSON.parse(`[${row?.data ?? ''}]`))
    more = (row?.found ?? 0) > limit
    after = row?.last?.[0]
  }
  return entries
}
