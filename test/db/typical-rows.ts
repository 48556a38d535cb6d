import type { Field, Resource } from '../../app/records/resources/define.ts'

/**
 * Rows of any resource, from its definition: the i-th row of the table `seeds` (customer_id, i). Each id, number and
 * reference is in a few rows, and optional values are missing in every fifth row.
 */

const country = `chr(65 + i % 26) || chr(65 + i / 26 % 26)`
/** Few rows have these values. */
export const rare = { country: 'QZ', day: '2020-01-17', tag: 't777', row: 777 }

const isCountry = ({ name }: Field) => /country_codes?$/.test(name)
const isReference = ({ name }: Field) => /_ids?$/.test(name)

/** Returns SQL for the value of row `i`. */
const toElement = (field: Field): string => {
  if (field.values) return `(array['${field.values.join("','")}'])[1 + i % ${field.values.length}]`
  if (isCountry(field)) return country
  if (isReference(field)) return `'r' || i / 4`
  if (field.kind === 'date') return `date '2016-01-01' + i % 3900`
  if (field.kind === 'integer') return 'i % 100'
  if (field.kind === 'boolean') return 'i % 2 = 0'
  return `'${field.name}-' || i`
}

const toValue = (field: Field): string => {
  const element = toElement(field)
  if (field.array)
    return isReference(field) || isCountry(field) ? `array[${element}]` : `array['common', 't' || i % 3000]`
  return field.nullable ? `case when i % 5 > 0 then ${element} end` : element
}

const isStored = ({ name, kind, computed }: Field) =>
  !computed && kind !== 'json' && !['id', 'created_at', 'updated_at'].includes(name)

/** Returns the statement that fills the table. Ids are `r1`, `r2` and so on. */
export const toInsert = ({ name, fields }: Resource): string => {
  const stored = [...fields.values()].filter(isStored)
  return `insert into ${name} (customer_id, id, ${stored.map((field) => field.name).join(', ')})
    select customer_id, 'r' || i, ${stored.map(toValue).join(', ')} from seeds`
}

const toSelective = (field: Field): string[] => {
  const { name, filter, computed, indexedElements, sortColumn } = field
  if (!filter || computed) return []
  if (name === 'id') return [`id=r${rare.row}`]
  if (name === 'created_at') return ['created_at[lt]=2020-01-03']
  if (name === 'updated_at') return ['updated_at[gte]=2025-07-20']
  if (filter === 'range') return [`${name}=${rare.day}`, `${name}[gte]=2026-08-25`]
  if (isCountry(field)) return [`${name}=${rare.country}`]
  if (isReference(field)) return [`${name}=r${rare.row}`]
  if (indexedElements) return [`${name}=${rare.tag}`]
  const value = `${name}-${rare.row}`
  if (filter === 'prefix') return [`${name}=${value}`, `${name}[prefix]=${value}`]
  return sortColumn ? [`${name}=${value}`] : []
}

/** Lists filters that match few of these rows, each with an index: the fields by which records are usually found. */
export const listSelective = ({ fields }: Resource): string[] => [...fields.values()].flatMap(toSelective)
