import { sql } from 'kysely'
import type { TestDatabase } from '../helper.ts'
import { contract, type FieldSpec, getSpec, type ResourceSpec } from './contract.ts'
import { addDays, type Rec, type Stored } from './oracle.ts'

/** mulberry32. */
export const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export const awkwardTexts = [
  'A',
  'a',
  'AB',
  'Ab',
  'a,b',
  'a\\,b',
  'a\\b',
  '"quoted"',
  "o'clock",
  ' leading',
  'trailing ',
  'a+b&c=d#e?f/g;h',
  '100%',
  '%41',
  '[x]',
  '{"json": true}',
  '<script>',
  'null',
  'today',
  'true',
  '',
  '\u0001\u001f\u007f',
  'line\nline\r\ttab',
  'ä',
  'a\u0308',
  'Ä',
  'ß',
  '中文',
  'ﬀ',
  '\u2028',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
  '\u{10ffff}\u{10ffff}',
  'A\u{10ffff}',
  'x'.repeat(2000),
  'ä'.repeat(1000),
  '\u{10ffff}'.repeat(500),
  'Tracker Mini',
  'träcker-MINI 2nd',
  'Łódź/Øresund',
  'İSTANBUL ΟΔΟΣ',
  'Straße, Prüfbericht Nº 42',
  'élan “vital” № ½',
  'हिन्दी ทดสอบ',
]

const countryCodes = Array.from(
  { length: 60 },
  (_, i) => String.fromCharCode(65 + Math.floor(i / 5)) + String.fromCharCode(65 + ((i * 7) % 26)),
)

type Maker = { random: () => number; today: string; ids: Record<string, string[]> }

const pick = <T>(random: () => number, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T

/** Ids at both ends of the order, of maximum length, and like parts of a path. */
const makeIds = (prefix: string, random: () => number): string[] => {
  const odd = ['0', '~', '_', '-', 'Z', 'a', '.x', 'x..', 'a.b', '~'.repeat(64), 'A'.repeat(64)]
  const plain = Array.from({ length: 60 - odd.length }, (_, i) => `${prefix}-${i % 2 ? 'q' : 'Q'}${i}`)
  return [...odd, ...plain].sort(() => random() - 0.5)
}

const relations: Record<string, string> = {
  product_id: 'products',
  parent_product_id: 'products',
  product_ids: 'products',
  project_id: 'projects',
  approval_id: 'approvals',
  certificate_id: 'certificates',
}

const makeDay = ({ random, today }: Maker): string =>
  random() < 0.1
    ? pick(random, ['0001-01-01', '9999-12-31', '2024-02-29', '1999-12-31'])
    : addDays(
        today,
        pick(random, [-400, -91, -90, -30, -2, -1, 0, 0, 1, 2, 29, 30, 31, 89, 90, 91, 365, 366]),
      )

const makeValue = (field: FieldSpec, resource: string, maker: Maker): unknown => {
  const { random, ids } = maker
  if (field.nullable && random() < 0.25) return null
  // Other statuses hide the fields that are computed from dates.
  if (field.name === 'approval_status' && random() < 0.6) return 'approved'
  if (field.values) return pick(random, field.values)
  if (field.kind === 'date') return makeDay(maker)
  if (field.kind === 'integer') return Math.floor(random() * 5)
  const target = relations[field.name]
  if (target) return random() < 0.15 ? 'dangling' : pick(random, (ids[target] as string[]).slice(0, 20))
  if (field.name === 'supersedes_id') return pick(random, ids[resource] as string[])
  if (/country_codes?$/.test(field.name)) return pick(random, [...countryCodes.slice(0, 12), 'ZZ'])
  return pick(random, awkwardTexts)
}

const makeArray = (field: FieldSpec, resource: string, maker: Maker): unknown[] => {
  const length = Math.floor(maker.random() * 4)
  return Array.from({ length }, () => makeValue(field, resource, maker))
}

const periods = [{ from: '2023-05-01', until: null, basis: 'initial' }]
const facts: Record<string, (index: number) => unknown> = {
  validity_periods: (index) => (index % 3 ? periods : []),
  authorities: (index) =>
    index % 3 ? [{ name: 'Ä "A"', abbreviation: null, domain: 'a.example', role: 'radio' }] : [],
  requirements: (index) => ({
    schemes: index % 2 ? ['CE, RED'] : [],
    in_country_testing: null,
    local_representative: 'required',
    validity: index % 2 ? { kind: 'unlimited', years: null } : null,
    lead_time_weeks: { min: 1, max: null },
    note: null,
  }),
}

const makeRow = (spec: ResourceSpec, index: number, maker: Maker): Rec => {
  const id = spec.reference ? (countryCodes[index] as string) : (maker.ids[spec.name]?.[index] as string)
  const row: Record<string, unknown> = {}
  for (const field of spec.fields) {
    if (spec.computed.includes(field.name) || field.kind === 'instant') continue
    if (field.kind === 'json') row[field.name] = facts[field.name]?.(index)
    else row[field.name] = (field.array ? makeArray : makeValue)(field, spec.name, maker)
  }
  if (spec.reference) Object.assign(row, { code: id, alpha3: `${id}${id[0]}` })
  return { ...row, id }
}

const insertRows = async ({ operator }: TestDatabase, table: string, rows: readonly object[]) => {
  const columns = Object.keys(rows[0] ?? {})
  const names = sql.join(columns.map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${names})
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`.execute(
    operator,
  )
}

/** Independent of `to_char`, which the service uses. */
const toInstant = (micros: string): string => {
  const text = micros.padStart(7, '0')
  const seconds = Number(text.slice(0, -6))
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${text.slice(-6)}Z`
}

const readStamps = async ({ operator }: TestDatabase, spec: ResourceSpec, customerId: string) => {
  const micros = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000000)::bigint::text`)
  const { rows } = await sql<{ id: string; created: string; updated: string }>`
    select id, ${micros('created_at')} as created, ${micros('updated_at')} as updated
    from ${sql.table(spec.name)}
    where ${spec.reference ? sql`true` : sql`customer_id = ${customerId}`}`.execute(operator)
  return new Map(
    rows.map((row) => [row.id, { created_at: toInstant(row.created), updated_at: toInstant(row.updated) }]),
  )
}

/** Rows of one statement, which share `created_at`. */
const rowsAtOnce = 6

/** Inserts the rows, and updates every fourth one, so that `updated_at` differs from `created_at`. */
const seedResource = async (
  database: TestDatabase,
  spec: ResourceSpec,
  customerId: string,
  rows: Rec[],
): Promise<Rec[]> => {
  const owner = spec.reference ? {} : { customer_id: customerId }
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const chunk = rows.slice(at, at + rowsAtOnce).map((row) => ({ ...owner, ...row }))
    await insertRows(database, spec.name, chunk)
  }
  const changed = rows.filter((_, index) => index % 4 === 0)
  const array = ['tags', 'sources'].find((name) => spec.fields.some((field) => field.name === name))
  if (array !== undefined) {
    for (const row of changed) row[array] = [...(row[array] as string[]), 'second']
    await sql`update ${sql.table(spec.name)} set ${sql.ref(array)} = ${sql.ref(array)} || array['second']
      where id = any(${changed.map((row) => row.id)}::text[])
      and ${spec.reference ? sql`true` : sql`customer_id = ${customerId}`}`.execute(database.operator)
  }
  const stamps = await readStamps(database, spec, customerId)
  return rows.map((row) => ({ ...row, ...stamps.get(row.id) }))
}

/** Returns sixty stored rows of every resource. The customer must exist. */
export const seedCustomer = async (
  database: TestDatabase,
  customerId: string,
  { seed, today, countries }: { seed: number; today: string; countries: Rec[] },
): Promise<Stored> => {
  const random = createRandom(seed)
  const owned = contract.filter((spec) => !spec.reference)
  const ids = Object.fromEntries(owned.map(({ name }) => [name, makeIds(name.slice(0, 4), random)]))
  const stored: Stored = { countries }
  for (const spec of owned) {
    const rows = (ids[spec.name] as string[]).map((_, index) => makeRow(spec, index, { random, today, ids }))
    stored[spec.name] = await seedResource(database, spec, customerId, rows)
  }
  return stored
}

export const seedCountries = async (database: TestDatabase, today: string): Promise<Rec[]> => {
  const spec = getSpec('countries')
  const maker = { random: createRandom(7), today, ids: {} }
  return seedResource(
    database,
    spec,
    '',
    countryCodes.map((_, index) => makeRow(spec, index, maker)),
  )
}
