import { formatNames, isFormatName, mediaTypes } from '../../http/formats.ts'
import { translateSortKey } from '../../lists/foreign.ts'
import { findNearest } from '../../lists/nearest.ts'
import {
  defaultLimit,
  faulty,
  fine,
  formatReader,
  integerWithin,
  into,
  many,
  maxLimit,
  oneOfNames,
  type ParameterReader,
  type ParsedElement,
  single,
} from '../../lists/parameters.ts'
import { oneOf, type Parsed, parseDate } from '../../lists/values.ts'
import type { Resource } from '../resources/define.ts'
import { getIncludedField, listIncludedFields } from './named-resources.ts'
import { type Condition, maxSortKeys, type Query, type SortKey } from './query.ts'
import { parseWords } from './words.ts'

export const parseSortKey = (text: string): SortKey =>
  text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false }

/** `filtered`: the format has neither order nor columns. */
export type QueryShape = 'page' | 'item' | 'export' | 'csv' | 'filtered'

/** Returns which parameters a list accepts for a media type. */
export const toShape = (type: string): Exclude<QueryShape, 'item'> => {
  if (type === mediaTypes.json) return 'page'
  if (type === mediaTypes.ics) return 'filtered'
  return type === mediaTypes.csv ? 'csv' : 'export'
}

/** Whether the answer is a whole list instead of a page. */
export const isExport = (shape: QueryShape): boolean => ['export', 'csv', 'filtered'].includes(shape)

const pagesOnly: readonly string[] = ['include', 'count', 'cursor']

/** Parameters of an export for its order, length and columns. */
export const arrangements: readonly string[] = ['sort', 'limit', 'fields']

/** Returns the parameters that the shape refuses, whatever their value. Defaults of generated clients are accepted. */
export const listRefused = (shape: QueryShape): readonly string[] => {
  if (!isExport(shape)) return []
  return shape === 'filtered' ? [...pagesOnly, ...arrangements, 'bom'] : pagesOnly
}

export type Draft = { conditions: Condition[] } & Partial<Omit<Query, 'resource' | 'conditions'>>

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
        ? faulty('invalid_value', 'expected each sort key once')
        : reading
    }
  }
}

const createPageOnlyReader = (name: string): ParameterReader => {
  const detail = `an export contains the whole list: leave ${name} out, or request JSON`
  return () => faulty('unknown_parameter', detail)
}

/** Accepts the default of a list, because generated clients send it. */
const createArrangementReader = (name: string, standard?: string): ParameterReader => {
  const detail = `this format has neither order nor columns: leave ${name} out`
  return (value) => (value === standard ? fine : faulty('unknown_parameter', detail))
}

/** `requireAcceptable` has refused known formats that the list does not have. */
const createFormatReader = (formats: readonly string[]): ParameterReader => {
  const check = formatReader(formats)
  return (value) => (isFormatName(value) ? fine : check(value))
}

/** Accepts the default, because generated clients send it. */
const readMark: ParameterReader = (value) =>
  value === 'false'
    ? fine
    : faulty('invalid_value', 'only a CSV file has a byte order mark: leave bom out, or request CSV')

const one =
  <Name extends keyof Draft>(
    name: Name,
    parse: (value: string) => Parsed,
    convert: (value: string) => Draft[Name],
  ): DraftReader =>
  (draft) =>
    single(parse, into(draft, name, convert))

const list =
  <Name extends keyof Draft>(
    name: Name,
    parse: (element: string) => ParsedElement,
    convert: (names: string[]) => Draft[Name],
  ): DraftReader =>
  (draft) =>
    many(parse, into(draft, name, convert))

const readWords: DraftReader = (draft) =>
  single(parseWords, (value) => {
    draft.conditions.push({ field: 'q', operator: 'words', values: value.split(' ') })
  })

const listReaders = (resource: Resource, shape: QueryShape): Record<string, DraftReader> => ({
  ...(resource.search.length > 0 && { q: readWords }),
  sort: readSort(resource),
  limit: one('limit', integerWithin(1, maxLimit), Number),
  count: one('count', oneOf(['exact'], 'expected '), Boolean),
  cursor: one('cursor', (value) => ({ value }), String),
  bom:
    shape === 'csv'
      ? one('hasByteOrderMark', oneOf(['true', 'false'], 'expected '), (value) => value === 'true')
      : () => readMark,
  ...(isExport(shape) &&
    Object.fromEntries(pagesOnly.map((name) => [name, () => createPageOnlyReader(name)]))),
  ...(shape === 'filtered' && {
    sort: () => createArrangementReader('sort', resource.defaultSort),
    limit: () => createArrangementReader('limit', String(defaultLimit)),
    fields: () => createArrangementReader('fields'),
  }),
})

/** A name with a dot, such as `product.name`, is a field of an included record, which only exports have. */
const fieldParser = (resource: Resource, shape: QueryShape) => {
  const isOwn = oneOfNames([...resource.fields.keys()], 'unknown_field', 'fields')
  const isIncluded = oneOfNames(listIncludedFields(resource), 'unknown_field', 'fields of other records')
  return (name: string): ParsedElement => {
    if (!name.includes('.')) return isOwn(name)
    if (isExport(shape)) return isIncluded(name)
    if (!getIncludedField(resource, name)) return isOwn(name)
    const [include] = name.split('.')
    return {
      code: 'unknown_field',
      detail: `only exports have fields of other records: write include=${include}, or request CSV, XLSX or NDJSON`,
    }
  }
}

/** Returns the readers of all parameters except filters. `formats`: names of the formats that the list has. */
export const controlReaders = (
  resource: Resource,
  shape: QueryShape,
  formats: readonly string[] = formatNames,
): Map<string, DraftReader> => {
  const withId = (names: string[]) => [...new Set(names.includes('id') ? names : ['id', ...names])]
  const includes = Object.keys(resource.includes)
  const isInclude = oneOfNames(includes, 'invalid_value', 'includes')
  const format = shape === 'item' ? formatReader(['json']) : createFormatReader(formats)
  return new Map(
    Object.entries<DraftReader>({
      fields: list('fields', fieldParser(resource, shape), withId),
      ...(includes.length > 0 && { include: list('includes', isInclude, (names) => [...new Set(names)]) }),
      ...(resource.computedForDay && {
        on: one('on', parseDate, String),
        expiring_within: one('expiringWithin', integerWithin(1, 365), Number),
      }),
      format: () => format,
      ...(shape === 'item' ? { as_of: one('asOf', parseDate, String) } : listReaders(resource, shape)),
    }),
  )
}
