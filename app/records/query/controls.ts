import { formatNames } from '../../http/formats.ts'
import type { Resource } from '../resources/define.ts'
import { translateSortKey } from './foreign.ts'
import { findNearest } from './nearest.ts'
import { type Condition, maxLimit, maxSortKeys, parseSortKey, type SortKey } from './query.ts'
import {
  fine,
  integerWithin,
  many,
  oneOfNames,
  onlyOne,
  type ParameterReader,
  type ParsedElement,
  refuse,
  single,
} from './readers.ts'
import { type Parsed, parseDate } from './values.ts'
import { parseWords } from './words.ts'

export type QueryShape = 'page' | 'item' | 'export' | 'csv'

/** Whether the answer is a whole list. */
export const isExport = (shape: QueryShape): boolean => shape === 'export' || shape === 'csv'

/** Parameters that exports refuse with a reason, instead of as unknown. */
export const pagesOnly: readonly string[] = ['include', 'count', 'cursor']

export type Draft = {
  conditions: Condition[]
  sort?: SortKey[]
  fields?: string[]
  includes?: string[]
  limit?: number
  cursor?: string
  count?: boolean
  hasMark?: boolean
  on?: string
  asOf?: string
  expiringWithin?: number
}

export type DraftReader = (draft: Draft) => ParameterReader

const readSort = (resource: Resource): DraftReader => {
  const parse = (text: string): ParsedElement => {
    const { key, descending } = parseSortKey(text)
    if (resource.sorts.includes(key)) return { value: text }
    const translated = translateSortKey(text)
    const isTranslated = translated !== undefined && resource.sorts.includes(translated.replace('-', ''))
    const nearest = findNearest(key, resource.sorts)
    const suggestion = isTranslated ? translated : nearest && `${descending ? '-' : ''}${nearest}`
    return {
      code: resource.fields.has(key) ? 'not_sortable' : 'unknown_field',
      detail: `expected one of: ${resource.sorts.join(', ')}; a leading - reverses the order`,
      ...(suggestion ? { suggestion } : {}),
    }
  }
  return (draft) => {
    const take = (keys: string[]) => {
      draft.sort = keys.map(parseSortKey)
    }
    const read = many(parse, take, maxSortKeys)
    return (value) => {
      const reading = read(value)
      const keys = draft.sort?.map(({ key }) => key) ?? []
      return new Set(keys).size < keys.length
        ? refuse('invalid_value', 'expected each sort key once')
        : reading
    }
  }
}

const refusePageOnly = (name: string): ParameterReader => {
  const detail = `an export is the whole list, every record as it is: leave ${name} out, or ask for JSON`
  return () => refuse('unknown_parameter', detail)
}

/** Accepts only the default, because generated clients send it. */
const refuseMark: ParameterReader = (value) =>
  value === 'false'
    ? fine
    : refuse('invalid_value', 'only a CSV file has a byte order mark: leave bom out, or ask for CSV')

const one =
  (parse: (value: string) => Parsed, take: (draft: Draft, value: string) => void): DraftReader =>
  (draft) =>
    single(parse, (value) => take(draft, value))

const list =
  (parse: (element: string) => ParsedElement, take: (draft: Draft, names: string[]) => void): DraftReader =>
  (draft) =>
    many(parse, (names) => take(draft, names))

const readAsOf = one(parseDate, (draft, value) => {
  draft.asOf = value
})

/**
 * Returns the readers of all parameters except filters. Negotiation reads `format`; its reader only checks
 * it.
 */
export const controlReaders = (resource: Resource, shape: QueryShape): Map<string, DraftReader> => {
  const readers = new Map<string, DraftReader>()
  const isField = oneOfNames([...resource.fields.keys()], 'unknown_field', 'fields')
  readers.set(
    'fields',
    list(isField, (draft, names) => {
      draft.fields = [...new Set(names.includes('id') ? names : ['id', ...names])]
    }),
  )
  const includeNames = Object.keys(resource.includes)
  if (includeNames.length > 0) {
    readers.set(
      'include',
      list(oneOfNames(includeNames, 'invalid_value', 'includes'), (draft, names) => {
        draft.includes = [...new Set(names)]
      }),
    )
  }
  if (resource.computedForDay) {
    readers.set(
      'on',
      one(parseDate, (draft, value) => {
        draft.on = value
      }),
    )
    readers.set(
      'expiring_within',
      one(integerWithin(1, 365), (draft, value) => {
        draft.expiringWithin = Number(value)
      }),
    )
  }
  readers.set(
    'format',
    one(onlyOne(shape === 'item' ? ['json'] : formatNames), () => {}),
  )
  if (shape === 'item') {
    readers.set('as_of', readAsOf)
    return readers
  }
  if (resource.search.length > 0) {
    readers.set(
      'q',
      one(parseWords, (draft, value) => {
        draft.conditions.push({ field: 'q', operator: 'words', values: value.split(' ') })
      }),
    )
  }
  readers.set('sort', readSort(resource))
  readers.set(
    'limit',
    one(integerWithin(1, maxLimit), (draft, value) => {
      draft.limit = Number(value)
    }),
  )
  readers.set(
    'count',
    one(onlyOne(['exact']), (draft) => {
      draft.count = true
    }),
  )
  readers.set(
    'cursor',
    one(
      (text) => (text ? { value: text } : { detail: 'expected a cursor' }),
      (draft, value) => {
        draft.cursor = value
      },
    ),
  )
  const readMark = one(onlyOne(['true', 'false']), (draft, value) => {
    draft.hasMark = value === 'true'
  })
  readers.set('bom', shape === 'csv' ? readMark : () => refuseMark)
  if (isExport(shape)) {
    for (const name of pagesOnly) {
      const refusal = refusePageOnly(name)
      readers.set(name, () => refusal)
    }
  }
  return readers
}
