import type { Resource } from '../resources/define.ts'
import { findNearest } from './nearest.ts'
import { type Condition, maxLimit, maxSortKeys, parseSortKey, type SortKey } from './query.ts'
import {
  integerWithin,
  many,
  oneOfNames,
  type ParsedElement,
  type Reader,
  refuse,
  single,
} from './readers.ts'
import { parseDate } from './values.ts'

/** Which parameters mean something: those of a page, of one record, or of an export of the whole list. */
export type Shape = 'page' | 'item' | 'export'

const formats: Readonly<Record<Shape, readonly string[]>> = {
  item: ['json'],
  page: ['json', 'ndjson', 'csv'],
  export: ['json', 'ndjson', 'csv'],
}

/** What an export leaves to pages, known by name all the same so that it says why. */
export const pagesOnly: readonly string[] = ['include', 'count', 'cursor']

/** A query while it is read. */
export type Draft = {
  conditions: Condition[]
  sort?: SortKey[]
  fields?: string[]
  includes?: string[]
  limit?: number
  cursor?: string
  count?: boolean
  on?: string
  expiringWithin?: number
}

const readSort = (resource: Resource, draft: Draft): Reader => {
  const parse = (text: string): ParsedElement => {
    const { key, descending } = parseSortKey(text)
    if (resource.sorts.includes(key)) return { value: text }
    const nearest = findNearest(key, resource.sorts)
    return {
      code: resource.fields.has(key) ? 'not_sortable' : 'unknown_field',
      detail: `sorts by: ${resource.sorts.join(', ')}; a leading - reverses`,
      ...(nearest ? { suggestion: `${descending ? '-' : ''}${nearest}` } : {}),
    }
  }
  const read = many(
    parse,
    (keys) => {
      draft.sort = keys.map(parseSortKey)
    },
    maxSortKeys,
  )
  return (value) => {
    const reading = read(value)
    const keys = draft.sort?.map(({ key }) => key) ?? []
    return new Set(keys).size < keys.length ? refuse('invalid_value', 'expected each sort key once') : reading
  }
}

const refusePageOnly = (name: string): Reader => {
  const detail = `an export is the whole list, every record as it is: leave ${name} out, or ask for JSON`
  return () => refuse('unknown_parameter', detail)
}

/**
 * The parameters that are no filters, by name; what they read goes to the draft.
 * `format` is here so that it is no unknown parameter: negotiation reads it.
 */
export const controlReaders = (resource: Resource, shape: Shape, draft: Draft): Map<string, Reader> => {
  const readers = new Map<string, Reader>()
  const fieldNames = [...resource.fields.keys()]
  const onlyOne = (wanted: readonly string[]) => (text: string) => {
    if (wanted.includes(text)) return { value: text }
    const suggestion = findNearest(text, wanted)
    return { detail: `expected ${wanted.join(', ')}`, ...(suggestion ? { suggestion } : {}) }
  }
  readers.set(
    'fields',
    many(oneOfNames(fieldNames, 'unknown_field', 'fields'), (names) => {
      draft.fields = [...new Set(names.includes('id') ? names : ['id', ...names])]
    }),
  )
  const includeNames = Object.keys(resource.includes)
  if (includeNames.length > 0) {
    readers.set(
      'include',
      many(oneOfNames(includeNames, 'invalid_value', 'includes'), (names) => {
        draft.includes = [...new Set(names)]
      }),
    )
  }
  if (resource.computedForDay) {
    readers.set(
      'on',
      single(parseDate, (value) => {
        draft.on = value
      }),
    )
    readers.set(
      'expiring_within',
      single(integerWithin(1, 365), (value) => {
        draft.expiringWithin = Number(value)
      }),
    )
  }
  readers.set(
    'format',
    single(onlyOne(formats[shape]), () => {}),
  )
  if (shape === 'item') return readers
  readers.set('sort', readSort(resource, draft))
  readers.set(
    'limit',
    single(integerWithin(1, maxLimit), (value) => {
      draft.limit = Number(value)
    }),
  )
  readers.set(
    'count',
    single(onlyOne(['exact']), () => {
      draft.count = true
    }),
  )
  readers.set(
    'cursor',
    single(
      (text) => (text ? { value: text } : { detail: 'expected a cursor' }),
      (value) => {
        draft.cursor = value
      },
    ),
  )
  if (shape === 'export') for (const name of pagesOnly) readers.set(name, refusePageOnly(name))
  return readers
}
