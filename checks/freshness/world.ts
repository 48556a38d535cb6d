import type { Seen } from './log.ts'

/**
 * Defines the customers' records and requests, and how an answer shows the versions of its records. The
 * counters are real fields: a product's `model`, a certificate's `title` and the number of a country's
 * granted approvals. The customer's window is counted by the number of certificates that end within it.
 */

export const customers = ['alpha', 'beta', 'gamma'] as const
export const countries = ['DE', 'FR', 'JP', 'US'] as const
export const productCount = 24
/** Products from this index on are deleted and recreated. */
export const firstVolatile = 18
const pageSize = 10

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const padded = (index: number) => String(index).padStart(2, '0')

export const productId = (customer: string, index: number) => `${customer}-p${padded(index)}`
export const certificateId = (customer: string, index: number) => `${customer}-c${padded(index)}`
export const productName = (customer: string, index: number) => `${customer} product ${padded(index)}`
export const valueText = (customer: string, counter: number) => `${customer}#${counter}`

export const recordNames = {
  product: (customer: string, index: number) => productId(customer, index),
  certificate: (customer: string, index: number) => certificateId(customer, index),
  granted: (customer: string, country: string) => `${customer} granted ${country}`,
  window: (customer: string) => `${customer} window`,
}

/** Lists that may or may not contain a record. */
export const views = { all: 'all', active: 'active' } as const

/** Counter 0 is a window of one day, in which two certificates end: today's and tomorrow's. */
export const getWindow = (counter: number) => counter + 1
export const windowCounter = (total: number) => total - 2
export const mostWindows = 364

type Item = { id?: unknown; model?: unknown; title?: unknown; name?: unknown; code?: unknown }
type Body = {
  data: Item | Item[]
  page?: { has_more: boolean; next_cursor: string | null; total?: number }
  included?: { products?: Record<string, Item> }
}

/** Versions in an answer, and names of records of another customer. */
export type Parsed = { seen: Seen[]; foreign: string[] }

export type Target = {
  customer: string
  url: string
  /** `body` is `undefined` for a 404. */
  parse: (body: Body | undefined) => Parsed
}

const readValue = (customer: string, id: unknown, value: unknown): Parsed => {
  const [owner, counter] = String(value).split('#')
  const isOwn = owner === customer && String(id).startsWith(`${customer}-`)
  if (!isOwn) return { seen: [], foreign: [`${id}: ${value}`] }
  return { seen: [{ record: String(id), counter: Number(counter) }], foreign: [] }
}

const merge = (parts: readonly Parsed[]): Parsed => ({
  seen: parts.flatMap(({ seen }) => seen),
  foreign: parts.flatMap(({ foreign }) => foreign),
})

const listItems = ({ data }: Body) => (Array.isArray(data) ? data : [data])
const missing = (record: string, view: string): Parsed => ({
  seen: [{ record, missingFrom: view }],
  foreign: [],
})

/** Finds products that belong between two names but are missing. */
const missingProducts = (
  customer: string,
  body: Body,
  view: string,
  { after, last }: { after: string; last: string },
): Parsed[] => {
  const shown = new Set(listItems(body).map(({ id }) => id))
  return numbers(productCount).flatMap((index) => {
    const name = productName(customer, index)
    const id = productId(customer, index)
    return name > after && name <= last && !shown.has(id) ? missing(id, view) : []
  })
}

const productItem = (customer: string, index: number): Target => ({
  customer,
  url: `/v1/products/${productId(customer, index)}`,
  parse: (body) => {
    if (!body) return missing(productId(customer, index), views.all)
    return merge(listItems(body).map(({ id, model }) => readValue(customer, id, model)))
  },
})

const includedProducts = (customer: string, body: Body, indexes: readonly number[]): Parsed[] => {
  const included = body.included?.products ?? {}
  const shown = Object.entries(included).map(([id, { model }]) => readValue(customer, id, model))
  const absent = indexes
    .map((index) => productId(customer, index))
    .filter((id) => !(id in included))
    .map((id) => missing(id, views.all))
  return [...shown, ...absent]
}

const certificateItem = (customer: string, index: number): Target => ({
  customer,
  url: `/v1/certificates/${certificateId(customer, index)}?include=product`,
  parse: (body) => {
    if (!body) return missing(certificateId(customer, index), views.all)
    const own = listItems(body).map(({ id, title }) => readValue(customer, id, title))
    return merge([...own, ...includedProducts(customer, body, [index])])
  },
})

const certificateList = (customer: string): Target => ({
  customer,
  url: '/v1/certificates?scheme=main&include=product&sort=number&limit=100',
  parse: (body) => {
    if (!body) return { seen: [], foreign: ['no list'] }
    const own = listItems(body).map(({ id, title }) => readValue(customer, id, title))
    return merge([...own, ...includedProducts(customer, body, numbers(productCount))])
  },
})

/** A page of products. `after`: the last name of the previous page. */
export const productPage = (customer: string, query: string, view: string, after: string): Target => ({
  customer,
  url: `/v1/products?${query}`,
  parse: (body) => {
    if (!body) return { seen: [], foreign: ['no list'] }
    const items = listItems(body)
    const last = body.page?.has_more ? String(items.at(-1)?.name) : '\u{10ffff}'
    const shown = items.map(({ id, model }) => readValue(customer, id, model))
    return merge([...shown, ...missingProducts(customer, body, view, { after, last })])
  },
})

const getGranted = (customer: string, code: unknown, info: unknown): Parsed => {
  const { granted } = info as { granted: number }
  return { seen: [{ record: recordNames.granted(customer, String(code)), counter: granted }], foreign: [] }
}

const countryAnswers = (customer: string, url: string): Target => ({
  customer,
  url,
  parse: (body) => {
    if (!body) return { seen: [], foreign: ['no country'] }
    return merge(
      (listItems(body) as (Item & { approval_info: unknown })[]).map(({ code, approval_info }) =>
        getGranted(customer, code, approval_info),
      ),
    )
  },
})

const getTotal = (customer: string, url: string, record: string, counterOf: (total: number) => number) => {
  const parse = (body: Body | undefined): Parsed => ({
    seen: [{ record, counter: counterOf(body?.page?.total ?? Number.NaN) }],
    foreign: [],
  })
  return { customer, url, parse } satisfies Target
}

/** First pages and all other fixed addresses. */
export const listTargets = (customer: string): Target[] => [
  ...numbers(productCount).map((index) => productItem(customer, index)),
  ...numbers(productCount).map((index) => certificateItem(customer, index)),
  certificateList(customer),
  productPage(customer, `limit=${pageSize}`, views.all, ''),
  productPage(customer, 'product_status=active&limit=100', views.active, ''),
  ...countries.map((code) => countryAnswers(customer, `/v1/countries/${code}`)),
  countryAnswers(customer, '/v1/countries?fields=code,approval_info'),
  ...countries.map((code) =>
    getTotal(
      customer,
      `/v1/approvals?country_code=${code}&count=exact&limit=1`,
      recordNames.granted(customer, code),
      (total) => total,
    ),
  ),
  getTotal(
    customer,
    '/v1/certificates?scheme=window&expiring=true&count=exact&limit=1&fields=id',
    recordNames.window(customer),
    windowCounter,
  ),
]

/** The page after a page of products. `undefined` after the last one. */
export const nextPage = (customer: string, body: Body): Target | undefined => {
  const cursor = body.page?.next_cursor
  const last = listItems(body).at(-1)?.name
  return cursor
    ? productPage(customer, `limit=${pageSize}&cursor=${cursor}`, views.all, String(last))
    : undefined
}

export type { Body }
