import { type FieldSpec, getField, getSpec, type ResourceSpec } from './contract.ts'

/** Filters, order and computed fields of the contract in plain TypeScript, to compare with answers. */

export type Rec = Record<string, unknown> & { id: string }
/** A customer's rows by resource, without computed fields. */
export type Stored = Record<string, Rec[]>
/** `today`: for relative dates. `on`: for computed fields. */
export type Moment = { today: string; on: string; window: number }
export type Filter = { field: string; operator: string; values: string[] }

const dayMs = 86_400_000
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / dayMs

/** By UTF-8 bytes. */
export const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const voidStatuses = ['rejected', 'revoked', 'withdrawn', 'superseded', 'suspended']
const openStatuses = ['preparing', 'testing', 'submitted', 'in_review', 'information_requested', 'on_hold']

const computeCertificate = (row: Rec, { on, window }: Moment) => {
  const from = row.valid_from as string | null
  const until = row.valid_until as string | null
  const status = row.approval_status as string
  const validity = voidStatuses.includes(status)
    ? 'void'
    : status === 'pending' || (from !== null && from > on)
      ? 'not_yet_valid'
      : until !== null && until < on
        ? 'expired'
        : 'valid'
  const days = until === null ? null : daysBetween(on, until)
  const expiring = validity === 'valid' && days !== null && days <= window
  return { validity, expiring, days_remaining: days }
}

const approvalInfo = (code: string, stored: Stored, moment: Moment) => {
  const approvals = (stored.approvals ?? []).filter((each) => each.country_code === code)
  const byApproval = new Set(approvals.map((each) => each.certificate_id))
  const certificates = (stored.certificates ?? [])
    .filter((each) => each.country_code === code || byApproval.has(each.id))
    .map((each) => computeCertificate(each, moment))
  return {
    granted: approvals.filter((each) => each.status === 'granted').length,
    open: approvals.filter((each) => openStatuses.includes(each.status as string)).length,
    certificates_valid: certificates.filter((each) => each.validity === 'valid').length,
    certificates_expiring: certificates.filter((each) => each.expiring).length,
  }
}

const computed: Record<string, (row: Rec, stored: Stored, moment: Moment) => object> = {
  certificates: (row, _stored, moment) => computeCertificate(row, moment),
  countries: (row, stored, moment) => ({ approval_info: approvalInfo(row.id, stored, moment) }),
  approvals: (row) => ({ open: openStatuses.includes(row.status as string) }),
}

/** Unsorted, with computed fields. */
export const listRecords = (resource: string, stored: Stored, moment: Moment): Rec[] =>
  (stored[resource] ?? []).map((row) => ({ ...row, ...computed[resource]?.(row, stored, moment) }))

const relative = /^today(?:([+ -])(\d+)d)?$/

/** Relative dates become dates, and the day of an instant becomes its first instant. */
const toComparable = (field: FieldSpec, value: string, today: string): string => {
  if (field.kind !== 'date' && field.kind !== 'instant') return value
  const match = relative.exec(value)
  const day = match ? addDays(today, (match[1] === '-' ? -1 : 1) * Number(match[2] ?? 0)) : value
  return field.kind === 'instant' && day.length === 10 ? `${day}T00:00:00.000000Z` : day
}

const spelled: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
}

/** Folded words. Everything except letters, digits and marks separates them. */
export const wordsIn = (text: string): string[] => {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  const words = plain.match(/[\p{L}\p{Nd}\p{M}]+/gu) ?? []
  return words.map((word) => [...word].map((letter) => spelled[letter] ?? letter).join(''))
}

type Authority = { name: string; abbreviation: string | null }

export const listWords = ({ search }: ResourceSpec, record: Rec): string[] =>
  search.flatMap((name) => {
    const texts = [record[name]].flat().flatMap((value) => {
      if (value === null || typeof value === 'string') return value ?? []
      const { name, abbreviation } = value as Authority
      return [name, abbreviation ?? '']
    })
    return texts.flatMap(wordsIn)
  })

export const passes = (spec: ResourceSpec, record: Rec, filter: Filter, today: string): boolean => {
  if (filter.field === 'q') {
    const own = listWords(spec, record)
    return filter.values.flatMap(wordsIn).every((word) => own.some((each) => each.startsWith(word)))
  }
  const field = getField(spec, filter.field)
  const wanted = filter.values.map((value) => toComparable(field, value, today))
  const [first = ''] = wanted
  const value = record[field.name]
  if (filter.operator === 'null') return (value === null) === (first === 'true')
  if (field.array) {
    const has = (each: string) => (value as string[]).includes(each)
    if (filter.operator === 'all') return wanted.every(has)
    return wanted.some(has) === !['ne', 'nin'].includes(filter.operator)
  }
  const text = value === null ? null : String(value)
  switch (filter.operator) {
    case 'ne':
    case 'nin':
      return text === null || !wanted.includes(text)
    case 'gt':
      return text !== null && compareText(text, first) > 0
    case 'gte':
      return text !== null && compareText(text, first) >= 0
    case 'lt':
      return text !== null && compareText(text, first) < 0
    case 'lte':
      return text !== null && compareText(text, first) <= 0
    case 'prefix':
      return text !== null && Buffer.from(text).indexOf(Buffer.from(first)) === 0
    default:
      return text !== null && wanted.includes(text)
  }
}

const compareKeys = (a: unknown, b: unknown): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compareText(String(a), String(b))
}

/** Null is the greatest value. `id` breaks ties in the direction of the last key. */
export const sorted = (records: readonly Rec[], sort: string): Rec[] => {
  const keys = sort
    .split(',')
    .map((key) => ({ name: key.replace(/^-/, ''), factor: key.startsWith('-') ? -1 : 1 }))
  keys.push({ name: 'id', factor: keys.at(-1)?.factor ?? 1 })
  return records.toSorted((a, b) => {
    for (const { name, factor } of keys) {
      const order = compareKeys(a[name], b[name]) * factor
      if (order !== 0) return order
    }
    return 0
  })
}

export type Asked = { resource: string; filters: Filter[]; sort?: string | undefined }

export const expected = (asked: Asked, stored: Stored, moment: Moment): Rec[] => {
  const spec = getSpec(asked.resource)
  const found = listRecords(asked.resource, stored, moment).filter((record) =>
    asked.filters.every((filter) => passes(spec, record, filter, moment.today)),
  )
  return sorted(found, asked.sort ?? spec.defaultSort)
}

/** By id, without dangling ids. */
export const expectedIncluded = (
  spec: ResourceSpec,
  include: string,
  rows: readonly Rec[],
  stored: Stored,
  moment: Moment,
): Record<string, Rec> => {
  const { resource, by } = spec.includes[include] as { resource: string; by: string }
  const wanted = new Set(rows.map((row) => row[by]))
  const found = listRecords(resource, stored, moment).filter((record) => wanted.has(record.id))
  return Object.fromEntries(found.map((record) => [record.id, record]))
}

const listed = new Set(['', 'in', 'nin', 'all'])

export const writeFilter = ({ field, operator, values }: Filter): string => {
  const name = operator === '' ? field : `${field}[${operator}]`
  const value = listed.has(operator)
    ? values.map((each) => each.replace(/[\\,]/g, '\\$&')).join(',')
    : (values[0] as string)
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

export const writeQuery = ({ filters, sort }: Asked): string =>
  [...filters.map(writeFilter), ...(sort ? [`sort=${sort}`] : [])].join('&')
