import { sql } from 'kysely'
import { readChanges } from '../../app/features/feed/read.ts'
import type { SyncToken } from '../../app/features/feed/token.ts'
import { recordHistory } from '../../app/features/history/record-statement.ts'
import { importRecords } from '../../app/import/index.ts'
import { resources } from '../../app/records/resources/index.ts'
import type { Change } from '../../test/features/feed/follower.ts'
import { comparable, type Entry, undo } from '../../test/features/history/entries.ts'
import { months, owned, readHistory, readMonth } from '../../test/features/history/registers.ts'
import { createTestDatabase } from '../../test/helper.ts'
import { type Fields, type Records, readAll } from '../../test/records/read-all.ts'

/**
 * Imports three dated files of real certificates with `--replace`, for all their customers. Each transition
 * must appear once in the history of its record, in that of all records, and in the feed. Reading backwards
 * from the present must rebuild every earlier state. Exits with 1 if anything differs.
 */

const day = new Date().toISOString().slice(0, 10)
const startedAt = performance.now()
const faults: string[] = []

const database = await createTestDatabase()
const { operator, reader } = database

const customers = [
  ...new Set(
    months.flatMap((month) =>
      readMonth(month)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).customer as string),
    ),
  ),
]

type Feed = Change & { changed?: string[]; previous?: Fields }

const readFeed = async (customerId: string, from: SyncToken | undefined) => {
  const changes: Feed[] = []
  let token = from
  for (let more = true; more; ) {
    const read = { customerId, token, resources: owned, day, limit: 500, withFormer: true }
    const page = await readChanges(reader, read)
    changes.push(...page.changes.map((text) => JSON.parse(text)))
    token = page.token
    more = page.hasMore
  }
  return { changes, token }
}

const readRecord = async (customerId: string, key: string): Promise<Entry[]> => {
  const [name, id] = key.split('/') as ['lab', string]
  const plan = { customerId, resource: resources[name], id, limit: 500, after: undefined, day }
  const [row] = (await recordHistory(plan).execute(reader)).rows
  return (JSON.parse(`[${row?.data ?? ''}]`) as (Entry & { cause?: string })[]).filter(({ cause }) => !cause)
}

const written = (records: Records) =>
  [...records].map(([key, record]) => `${key} ${comparable(record)}`).sort()
const expect = (what: string, found: unknown, wanted: unknown) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) faults.push(what)
}

/** Returns the feed's description of a transition. For an update, it contains the fields and their old values. */
const told = ({ resource, id, op, changes }: Entry) => {
  const former = Object.entries(changes).map(([name, { from }]) => [name, from] as const)
  return [`${resource}/${id}`, op, op === 'update' ? former.sort(([a], [b]) => (a < b ? -1 : 1)) : []]
}
const ofFeed = ({ resource, id, op, changed, previous = {} }: Feed) => [
  `${resource}/${id}`,
  op === 'delete' ? op : changed ? 'update' : 'create',
  Object.entries(previous).sort(([a], [b]) => (a < b ? -1 : 1)),
]
const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()

const tokens = new Map<string, SyncToken | undefined>()
for (const customerId of customers) tokens.set(customerId, (await readFeed(customerId, undefined)).token)
const feeds = new Map<string, Feed[][]>(customers.map((customerId) => [customerId, []]))
const states: Map<string, Records>[] = []
const ends: string[] = []
let transitions = 0
for (const month of months) {
  const report = await importRecords(operator, ReadableStream.from([readMonth(month)]), { replace: true })
  const { created = 0, updated = 0, deleted = 0 } = report as never
  transitions += created + updated + deleted
  process.stdout.write(`${month}: ${created} new, ${updated} changed, ${deleted} gone\n`)
  const state = new Map<string, Records>()
  for (const customerId of customers) {
    state.set(customerId, await readAll(database, { customerId, day }, owned))
    const { changes, token } = await readFeed(customerId, tokens.get(customerId))
    feeds.get(customerId)?.push(changes)
    tokens.set(customerId, token)
  }
  states.push(state)
  const { rows } = await sql<{ now: string }>`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`.execute(
    operator,
  )
  ends.push(rows[0]?.now as string)
}

const counts = { list: 0, records: 0, feed: 0 }
for (const customerId of customers) {
  const entries = await readHistory(reader, customerId)
  counts.list += entries.length
  const byRecord = Map.groupBy(entries, ({ resource, id }) => `${resource}/${id}`)
  for (const [key, own] of byRecord) {
    const found = await readRecord(customerId, key)
    counts.records += found.length
    expect(`${customerId} ${key}: its history is another`, found, own)
  }
  const records: Records = new Map(
    [...(states[2]?.get(customerId) ?? [])].map(([key, record]) => [key, { ...record }]),
  )
  for (const boundary of [1, 0, -1]) {
    const ofImport: Entry[] = []
    while (entries[0] && entries[0].at > (ends[boundary] ?? '')) ofImport.push(entries.shift() as Entry)
    faults.push(...ofImport.flatMap((entry) => undo(records, entry)))
    const feed = feeds.get(customerId)?.[boundary + 1] ?? []
    counts.feed += feed.length
    expect(
      `${customerId}: the feed of import ${boundary + 2}`,
      sorted(feed.map(ofFeed)),
      sorted(ofImport.map(told)),
    )
    const expected = boundary === -1 ? new Map<string, Fields>() : states[boundary]?.get(customerId)
    expect(
      `${customerId}: the state after import ${boundary + 1}`,
      written(records),
      written(expected as Records),
    )
  }
}
await database.close()
for (const [where, count] of Object.entries(counts))
  if (count !== transitions) faults.push(`${where}: ${count}`)
const seconds = Math.round((performance.now() - startedAt) / 1000)
process.stdout.write(
  `${customers.length} customers, ${transitions} transitions; told by the history of records ${counts.records}, of all ${counts.list}, by the feed ${counts.feed}; ${seconds} s\n`,
)
for (const fault of faults.slice(0, 20)) process.stdout.write(`RED ${fault}\n`)
process.stdout.write(`${faults.length} differences\n`)
process.exitCode = faults.length > 0 ? 1 : 0
