import { formatPairs, joinList } from '../../http/pairs.ts'
import { withCursor } from '../../lists/cursor.ts'
import { defaultLimit } from '../../lists/parameters.ts'
import { isExplicitOnly } from '../../lists/values.ts'
import type { Condition, Operator, Query, SortKey } from './query.ts'

export const formatSortKey = ({ key, descending }: SortKey): string => (descending ? `-${key}` : key)

type Pairs = [name: string, value: string][]

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** A name may occur once, so a second condition with the same operator takes the next spelling. */
const spellings: Partial<Record<Operator, readonly string[]>> = {
  in: ['', '[in]', '[eq]'],
  nin: ['[nin]', '[ne]'],
  words: [''],
}

const writeValues = ({ operator, values }: Condition): string => {
  if (operator === 'words') return values.join(' ')
  if (operator === 'in' || operator === 'nin' || operator === 'all') {
    return joinList([...new Set(values)].sort(byText))
  }
  return values.length === 1 ? (values[0] as string) : joinList(values)
}

/** Lists take the first spellings, because `[eq]` and `[ne]` have a single value. */
const writeGroup = (group: readonly Condition[]): Pairs => {
  const [first] = group as [Condition]
  const { field, operator } = first
  const names = spellings[operator] ?? [`[${operator}]`]
  const explicit = operator === 'in' ? '[eq]' : '[ne]'
  const isExplicit = (values: readonly string[]) =>
    (operator === 'in' || operator === 'nin') && values.length === 1 && isExplicitOnly(values[0] as string)
  if (group.length === 1) {
    return isExplicit(first.values)
      ? [[`${field}${explicit}`, first.values[0] as string]]
      : [[`${field}${names[0]}`, writeValues(first)]]
  }
  const byWriting = new Map(group.map((each) => [writeValues(each), each.values]))
  const isList = (values: readonly string[]) => Number(new Set(values).size > 1)
  const written = [...byWriting].sort(
    (a, b) =>
      Number(isExplicit(a[1])) - Number(isExplicit(b[1])) ||
      isList(b[1]) - isList(a[1]) ||
      byText(a[0], b[0]),
  )
  return written.map(([writing, values], index) => {
    const name = isExplicit(values) ? explicit : (names[index] as string)
    return [`${field}${name}`, name === '[eq]' || name === '[ne]' ? (values[0] as string) : writing]
  })
}

type Filters = Pick<Query, 'resource' | 'conditions' | 'on' | 'expiringWithin' | 'sort'>

const filterPairs = (query: Filters): Pairs => {
  const groups = Map.groupBy(query.conditions, ({ field, operator }) => `${field} ${operator}`)
  const pairs = [...groups.values()].flatMap(writeGroup)
  pairs.sort((a, b) => byText(a[0], b[0]))
  if (query.on) pairs.push(['on', query.on])
  if (query.expiringWithin !== undefined) pairs.push(['expiring_within', String(query.expiringWithin)])
  const sort = query.sort.map(formatSortKey).join(',')
  if (sort !== query.resource.defaultSort) pairs.push(['sort', sort])
  return pairs
}

/** Formats filters, day, window and sort as a query string. Equivalent queries have the same text. */
export const formatSelection = (query: Filters): string => formatPairs(filterPairs(query))

const formatView = (query: Query): string => {
  const pairs: Pairs = []
  if (query.fields) {
    const chosen = new Set(query.fields)
    pairs.push(['fields', [...query.resource.fields.keys()].filter((name) => chosen.has(name)).join(',')])
  }
  if (query.includes.length > 0) pairs.push(['include', [...query.includes].sort(byText).join(',')])
  if (query.asOf !== undefined) pairs.push(['as_of', query.asOf])
  if (query.count) pairs.push(['count', 'exact'])
  if (query.limit !== defaultLimit) pairs.push(['limit', String(query.limit)])
  return formatPairs(pairs)
}

const join = (left: string, right: string) =>
  left === '' || right === '' ? left + right : `${left}&${right}`

/** Returns `selection` for cursors, the whole query as `canonical`, and as `list` without the cursor. */
export const formatParts = (query: Query): { selection: string; list: string; canonical: string } => {
  const selection = formatSelection(query)
  const list = join(selection, formatView(query))
  return { selection, list, canonical: query.cursor ? withCursor(list, query.cursor) : list }
}
