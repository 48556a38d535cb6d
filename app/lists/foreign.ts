type Pair = readonly [name: string, value: string]

export type Translation = Readonly<{ detail: string; meant?: Pair }>

const pages = 'Pages have no number and no offset here: follow page.next_cursor with cursor='
const order = 'sort= expects sort keys; a leading - reverses the order: sort=-updated_at'
const filters = 'Each filter is a separate parameter: field=value or field[operator]=value'
const size = 'limit= sets the number of records on a page'
const search = 'q= searches for words'
const fields = 'fields= expects names of fields, separated by commas'
const include = 'include= adds related records'
const cursor = 'cursor= expects page.next_cursor of the previous answer'

/** Parameters of OData, JSON:API, Django, Stripe, GitHub and others, in lower case without `_` and `-`. */
const names: readonly (readonly [spellings: string, detail: string, own?: string])[] = [
  ['page pagenumber pageno page[number] page[offset] p offset $skip skip start startindex', pages],
  ['startingafter endingbefore', pages],
  [
    'perpage pagesize pagelimit size maxresults top $top $limit take rows page[size] page[limit]',
    size,
    'limit',
  ],
  ['orderby $orderby sortby ordering sort[]', order, 'sort'],
  ['order direction sortorder sortdir sortdirection dir desc asc', order],
  ['$filter filter where rsql', filters],
  ['search $search query keyword keywords', search, 'q'],
  ['$select select columns attributes fields[]', fields, 'fields'],
  ['expand $expand embed expand[] include[]', include, 'include'],
  ['pagetoken nextcursor page[cursor] page[after] continuationtoken', cursor, 'cursor'],
  ['$format', 'format= names the representation', 'format'],
  ['$count includetotal total withcount', 'count=exact adds the total'],
  ['since updatedsince modifiedsince', 'updated_at[gte]= expects an instant or a date', 'updated_at[gte]'],
]

const translations = new Map(
  names.flatMap(([spellings, detail, own]) => spellings.split(' ').map((name) => [name, { detail, own }])),
)

/** Our operators by other APIs' names. Empty: no equivalent. */
const operators: Readonly<Record<string, string>> = {
  eq: 'eq',
  exact: 'eq',
  is: 'eq',
  ne: 'ne',
  neq: 'ne',
  not: 'ne',
  '!': 'ne',
  gt: 'gt',
  after: 'gt',
  gte: 'gte',
  ge: 'gte',
  min: 'gte',
  '>': 'gte',
  lt: 'lt',
  before: 'lt',
  lte: 'lte',
  le: 'lte',
  max: 'lte',
  '<': 'lte',
  in: 'in',
  nin: 'nin',
  all: 'all',
  null: 'null',
  isnull: 'null',
  prefix: 'prefix',
  startswith: 'prefix',
  contains: '',
  icontains: '',
  like: '',
  ilike: '',
  endswith: '',
  range: '',
  between: '',
  regex: '',
}

/** Translates another API's operator: `''` if we have no equivalent, `undefined` if the name is unknown. */
export const translateOperator = (name: string): string | undefined =>
  Object.hasOwn(operators, name) ? operators[name] : undefined

const bracketed = /^filter\[(\w+)\](?:\[(\w+)\])?$/
const sparse = /^fields\[(\w+)\]$/
const suffixed = /^(\w+?)(?:(?:__|[_.:])([a-z]+)|([<>!]))$/

const translateFilter = (name: string, value: string, known: readonly string[]): Translation | undefined => {
  const nested = bracketed.exec(name)
  const [, field = '', word, sign] = nested ?? suffixed.exec(name) ?? []
  const isKnown = known.includes(field)
  const isEquality = nested !== null && word === undefined
  const operator = isEquality ? undefined : translateOperator(word ?? sign ?? '')
  if (!nested && (operator === undefined || !isKnown)) return undefined
  const detail = `An operator is in brackets after the field: field[lt]=value. ${filters}`
  const own = isEquality ? field : operator && `${field}[${operator}]`
  return isKnown && own && value !== '' ? { detail, meant: [own, value] } : { detail }
}

/** Translates another API's parameter. `undefined` if unknown. `resource`: for JSON:API's `fields[…]`. */
export const translateParameter = (
  name: string,
  value: string | undefined,
  known: readonly string[],
  resource?: string,
): Translation | undefined => {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, '')
  const found = translations.get(plain)
  if (found) {
    const base = found.own?.split('[')[0]
    if (base === undefined || value === undefined || value === '') return { detail: found.detail }
    if (!known.includes(base)) return { detail: `${found.detail}, but this address has no parameter ${base}` }
    return { detail: found.detail, meant: [found.own as string, value] }
  }
  const type = sparse.exec(name)?.[1]
  if (type !== undefined) {
    const isOwn = type === resource && known.includes('fields') && value
    return isOwn ? { detail: fields, meant: ['fields', value] } : { detail: fields }
  }
  return translateFilter(name, value ?? '', known)
}

const directed = /^(\w+)(?:\s*[:.]|\s+)\s*(asc|desc)(?:ending)?$/i

/** Translates the sort keys `key:desc`, `key desc`, `key.asc` and `+key`. `undefined` for other texts. */
export const translateSortKey = (text: string): string | undefined => {
  const plus = /^[ +](\w+)$/.exec(text)
  if (plus) return plus[1]
  const [, key, direction] = directed.exec(text) ?? []
  return key === undefined ? undefined : `${direction?.toLowerCase() === 'desc' ? '-' : ''}${key}`
}
