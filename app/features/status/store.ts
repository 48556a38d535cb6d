import { sql } from 'kysely'
import { dayMs } from '../../config/units.ts'
import type { Db } from '../../db/schema.ts'
import { getLevel, type Minute, minutesPerDay } from './minutes.ts'

export type ServiceDay = Omit<Minute, 'minute' | 'slots'> & {
  day: number
  /** Availability of each minute of the day, 0 to 1; `undefined` if no instance reported. */
  levels: readonly (number | undefined)[]
}

const toDate = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)

const trim = (buckets: readonly number[]) => buckets.slice(0, buckets.findLastIndex((count) => count > 0) + 1)

/** Upserts minutes of one instance atomically. Ignores minutes over 2 days old, or over 2 minutes ahead. */
export const reportServiceMinutes = async (
  db: Db,
  instance: string,
  minutes: readonly Minute[],
): Promise<void> => {
  const rows = minutes.map(({ durationMs, ageMs, buckets, ...rest }) => ({
    ...rest,
    instance,
    duration_ms: durationMs,
    age_ms: ageMs,
    buckets: trim(buckets),
  }))
  await sql`select report_service_minutes(${JSON.stringify(rows)}::json)`.execute(db)
}

type SumRow = Omit<Minute, 'durationMs' | 'ageMs' | 'buckets' | 'minute' | 'slots'> & {
  duration_ms: number
  age_ms: number | null
  buckets: number[]
}

const toSums = ({ requests, failed, timed, duration_ms, hits, age_ms, buckets }: SumRow) => ({
  requests,
  failed,
  timed,
  hits,
  durationMs: duration_ms,
  ageMs: age_ms,
  // The driver returns the elements of bigint[] as text.
  buckets: buckets.map(Number),
})

/** Lists the reported minutes, instances combined, oldest first. `since`, `until` (excluded): minutes since 1970. */
export const listServiceMinutes = async (db: Db, since: number, until: number): Promise<Minute[]> => {
  const { rows } = await sql<SumRow & { minute: number; slots: number }>`
    select * from read_service_minutes(to_timestamp(${since * 60}::float8), to_timestamp(${until * 60}::float8))
  `.execute(db)
  return rows.map((row) => ({ minute: row.minute, slots: row.slots, ...toSums(row) }))
}

type DayRow = SumRow & {
  day: string
  minutes: number[]
  slots: number[]
  requests_by: number[]
  failed_by: number[]
}

/** Lists the reported days, instances combined, oldest first. `since`, `until` (excluded): days since 1970, UTC. */
export const listServiceDays = async (db: Db, since: number, until: number): Promise<ServiceDay[]> => {
  const { rows } = await sql<DayRow>`
    select * from read_service_days(${toDate(since)}::date, ${toDate(until)}::date)`.execute(db)
  return rows.map((row) => {
    const levels = new Array<number | undefined>(minutesPerDay).fill(undefined)
    row.minutes.forEach((minute, i) => {
      const [slots = 0, requests = 0, failed = 0] = [row.slots[i], row.requests_by[i], row.failed_by[i]]
      levels[minute] = getLevel({ slots, requests, failed })
    })
    return { day: Date.parse(row.day) / dayMs, levels, ...toSums(row) }
  })
}

/** Returns the oldest minute that is not pruned; `undefined` if there is none. */
export const findFirstServiceMinute = async (db: Db): Promise<number | undefined> => {
  const { rows } = await sql<{ minute: number | null }>`
    select first_service_minute() as minute`.execute(db)
  return rows[0]?.minute ?? undefined
}

/** Deletes minutes older than `keptDays`, but keeps at least 91 days. */
export const pruneServiceMinutes = async (db: Db, keptDays: number): Promise<void> => {
  await sql`select prune_service_minutes(${keptDays}::integer)`.execute(db)
}

/** Announced maintenance. `from` and `until` (excluded): minutes since 1970, whole minutes that it touches. */
export type ServiceNote = Readonly<{ from: number; until: number; text: string }>

/** Lists announced maintenance that ends after `since` (minutes since 1970), the latest first. At most 50. */
export const listServiceNotes = async (db: Db, since: number): Promise<ServiceNote[]> => {
  const { rows } = await sql<ServiceNote>`
    select floor(extract(epoch from starts_at) / 60)::float8 as "from",
      ceil(extract(epoch from ends_at) / 60)::float8 as until, note as text
    from read_service_notes(to_timestamp(${since * 60}::float8))`.execute(db)
  return rows
}

/** A note as operators see it. `from`, `until`: RFC 3339, UTC. */
export type KeptNote = Readonly<{ id: number; from: string; until: string; text: string }>

type NoteRow = { id: number; starts_at: string; ends_at: string; text: string }

const noteColumns = sql`id, starts_at, ends_at, text`

const toKeptNote = ({ id, starts_at: from, ends_at: until, text }: NoteRow): KeptNote => ({
  id,
  from: new Date(from).toISOString(),
  until: new Date(until).toISOString(),
  text,
})

/** Announces maintenance. Needs the operator's role, as the functions below do. */
export const addServiceNote = async (
  db: Db,
  { from, until, text }: Readonly<{ from: Date; until: Date; text: string }>,
): Promise<KeptNote> => {
  const { rows } = await sql<NoteRow>`
    insert into service_notes (starts_at, ends_at, text) values (${from}, ${until}, ${text})
    returning ${noteColumns}`.execute(db)
  return toKeptNote(rows[0] as NoteRow)
}

/** Lists all announced maintenance, also past, the latest first. */
export const listKeptNotes = async (db: Db): Promise<KeptNote[]> => {
  const { rows } = await sql<NoteRow>`
    select ${noteColumns} from service_notes order by starts_at desc, id desc`.execute(db)
  return rows.map(toKeptNote)
}

/** Removes a note and returns it; `undefined` if it does not exist. */
export const removeServiceNote = async (db: Db, id: number): Promise<KeptNote | undefined> => {
  const { rows } = await sql<NoteRow>`
    delete from service_notes where id = ${id}::bigint returning ${noteColumns}`.execute(db)
  return rows[0] && toKeptNote(rows[0])
}
