import { type Check, expectStatus, expectThat, type Failure, Skipped, type World } from './check.ts'
import { parseBody } from './service.ts'

type Row = Readonly<Record<string, unknown>> & Readonly<{ id: string }>

/** The fields whose filters are checked, by the kind of their operators. */
const filters: Readonly<Record<string, { equal: string; range?: string; prefix: string; sort: string }>> = {
  certificates: { equal: 'approval_status', range: 'valid_until', prefix: 'number', sort: 'number' },
  products: { equal: 'product_status', prefix: 'name', sort: 'name' },
  projects: { equal: 'status', range: 'due_on', prefix: 'project_number', sort: 'project_number' },
  lab: { equal: 'status', range: 'issued_on', prefix: 'report_number', sort: 'report_number' },
  approvals: { equal: 'country_code', range: 'expected_on', prefix: '', sort: 'expected_on' },
  countries: { equal: 'region', prefix: 'name', sort: 'name' },
}

const longestValue = 100

type Query = Readonly<{ text: string; finds: (row: Row) => boolean }>

const write = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
/** Only `in` and `nin` split at commas. */
const escapeCommas = (value: string) => value.replace(/[\\,]/g, '\\$&')

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const listValues = (rows: readonly Row[], field: string): string[] =>
  [...new Set(rows.map((row) => row[field]))]
    .filter(
      (value): value is string => typeof value === 'string' && value !== '' && value.length <= longestValue,
    )
    .sort(compareBytes)

const equalQueries = (rows: readonly Row[], field: string): Query[] => {
  const [one, two = one] = listValues(rows, field)
  if (one === undefined || two === undefined) return []
  return [
    { text: write(`${field}[eq]`, one), finds: (row) => row[field] === one },
    { text: write(`${field}[ne]`, one), finds: (row) => row[field] !== one },
    {
      text: write(field, `${escapeCommas(one)},${escapeCommas(two)}`),
      finds: (row) => row[field] === one || row[field] === two,
    },
    {
      text: write(`${field}[nin]`, `${escapeCommas(one)},${escapeCommas(two)}`),
      finds: (row) => row[field] !== one && row[field] !== two,
    },
    { text: write(`${field}[null]`, 'true'), finds: (row) => row[field] === null },
  ]
}

const rangeQueries = (rows: readonly Row[], field: string): Query[] => {
  const values = listValues(rows, field)
  const middle = values[Math.floor(values.length / 2)]
  if (middle === undefined) return []
  const compare = (holds: (order: number) => boolean) => (row: Row) => {
    const value = row[field]
    return typeof value === 'string' && holds(compareBytes(value, middle))
  }
  return [
    { text: write(`${field}[gt]`, middle), finds: compare((order) => order > 0) },
    { text: write(`${field}[gte]`, middle), finds: compare((order) => order >= 0) },
    { text: write(`${field}[lt]`, middle), finds: compare((order) => order < 0) },
    { text: write(`${field}[lte]`, middle), finds: compare((order) => order <= 0) },
  ]
}

const prefixQueries = (rows: readonly Row[], field: string): Query[] => {
  const [value] = listValues(rows, field)
  const [start] = value ?? ''
  if (start === undefined) return []
  return [{ text: write(`${field}[prefix]`, start), finds: (row) => String(row[field]).startsWith(start) }]
}

const filterFinds =
  (resource: string, { equal, range, prefix }: (typeof filters)[string]) =>
  async ({ ask, token, apiKey, scopes }: World): Promise<Failure[]> => {
    if (!scopes.includes(`${resource}:read`)) throw new Skipped(`the key has no scope ${resource}:read`)
    const page = await ask({ path: `/v1/${resource}?limit=50`, token })
    const rows = (parseBody(page) as { data?: Row[] }).data ?? []
    if (rows.length === 0) throw new Skipped(`there are no ${resource} to read`)
    const ids = write('id', rows.map(({ id }) => id).join(','))
    const queries = [
      ...equalQueries(rows, equal),
      ...(range ? rangeQueries(rows, range) : []),
      ...prefixQueries(rows, prefix),
    ]
    const failures: Failure[] = []
    for (const { text, finds } of apiKey === undefined ? queries.slice(0, 1) : queries) {
      const answer = await ask({ path: `/v1/${resource}?${text}&fields=id&limit=500&${ids}`, token })
      const shown = { path: `/v1/${resource}?${text}&id=…` }
      failures.push(...expectStatus({ ...answer, ask: shown }, 200))
      const found = ((parseBody(answer) as { data?: Row[] }).data ?? []).map(({ id }) => id).sort()
      const expected = rows
        .filter(finds)
        .map(({ id }) => id)
        .sort()
      failures.push(
        ...expectThat(
          found.join() === expected.join(),
          shown,
          `the records ${expected.join(' ')}`,
          found.join(' '),
        ),
      )
    }
    return failures
  }

/** Null is the greatest value. */
const compareCells = (a: unknown, b: unknown): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compareBytes(String(a), String(b))
}

const sortsBy =
  (resource: string, sort: string) =>
  async ({ ask, token, scopes }: World): Promise<Failure[]> => {
    if (!scopes.includes(`${resource}:read`)) throw new Skipped(`the key has no scope ${resource}:read`)
    const failures: Failure[] = []
    for (const [text, sign] of [
      [sort, 1],
      [`-${sort}`, -1],
    ] as const) {
      const answer = await ask({ path: `/v1/${resource}?sort=${text}&fields=${sort}&limit=500`, token })
      const cells = ((parseBody(answer) as { data?: Row[] }).data ?? []).map((row) => row[sort])
      const isSorted = cells.every(
        (cell, index) => index === 0 || sign * compareCells(cells[index - 1], cell) <= 0,
      )
      failures.push(
        ...expectStatus(answer, 200),
        ...expectThat(isSorted, answer.ask, `sorted by ${text}`, cells),
      )
    }
    return failures
  }

/** Promises about generated queries. With `isBrief`, filters and order of one resource. */
export const listQueries = (isBrief: boolean): Check[] =>
  Object.entries(filters)
    .slice(0, isBrief ? 1 : undefined)
    .flatMap(([resource, fields]) => [
      {
        section: 3,
        promise: `filters of ${resource} find the records that match, and no other`,
        run: filterFinds(resource, fields),
      },
      {
        section: 3,
        promise: `${resource} are sorted by their bytes, null as the greatest value`,
        run: sortsBy(resource, fields.sort),
      },
    ])
