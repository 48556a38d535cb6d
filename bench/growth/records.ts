import type { Batch } from './sizes.ts'

/**
 * Rows for `COPY … FROM STDIN`. Triggers are off during the copy, so derived columns are written here. The
 * seed checks afterwards that they equal the triggers' results.
 */

const dayMs = 86_400_000
/** Records are spread over this number of days before the seed. */
const historyDays = 1_800
const getDate = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const schemes = ['FCC ID', 'CE RED', 'Common Criteria']
const countries = ['DE', 'US', 'JP', 'BR', 'CN', 'KR', 'IN', 'AU', 'CA', 'MX', 'ZA', 'SA']
const states = ['approved', 'approved', 'approved', 'approved', 'conditional', 'pending', 'revoked']
const approvalStates = ['granted', 'granted', 'in_review', 'testing', 'planned']
const pick = (values: readonly string[], n: number) => values[n % values.length] as string

/** Later batches have later instants. All records of a batch share one, as in an import's transaction. */
export const getInstant = (batch: Batch, startMs: number): string =>
  new Date(startMs - historyDays * dayMs * (1 - batch.at)).toISOString()

export type Table = {
  name: string
  columns: readonly string[]
  row(n: number, batch: Batch, at: string): string
}

/** `todayMs`: midnight, UTC. */
export const createTables = (todayMs: number) => {
  // Cached, because dates repeat.
  const days = Array.from({ length: 3_000 }, (_, index) => getDate(todayMs + (index - 1_500) * dayMs))
  const day = (offset: number) => days[offset + 1_500] as string
  const certificates: Table = {
    name: 'certificates',
    columns: [
      'customer_id',
      'id',
      'number',
      'title',
      'product_id',
      'approval_id',
      'country_code',
      'authority',
      'scheme',
      'certificate_type',
      'approval_status',
      'valid_from',
      'valid_until',
      'valid_from_sort',
      'valid_until_sort',
      'validity_periods',
      'issued_on',
      'issued_on_sort',
      'holder',
      'standards',
      'tags',
      'created_at',
      'updated_at',
    ],
    row: (n, { customerId }, at) => {
      const from = day(-400 - (n % 700))
      // One in eleven has no end date.
      const isLimited = n % 11 > 0
      const until = day((n % 1_300) - 300)
      return [
        customerId,
        `crt-${n}`,
        `DE-${String(n).padStart(8, '0')}`,
        `Radio module ${n}, type approval`,
        `prd-${Math.ceil(n / 10)}`,
        n % 5 === 0 ? `apr-${n / 5}` : '\\N',
        pick(countries, n),
        'BNetzA',
        pick(schemes, n),
        'type_approval',
        pick(states, n),
        from,
        isLimited ? until : '\\N',
        from,
        isLimited ? until : 'infinity',
        isLimited ? `{"(${from},${until},initial)"}` : '{}',
        from,
        from,
        'Acme Wireless GmbH',
        `{EN 300 ${n % 300}}`,
        `{line-${n % 7}}`,
        at,
        at,
      ].join('\t')
    },
  }
  const products: Table = {
    name: 'products',
    columns: [
      'customer_id',
      'id',
      'name',
      'part_numbers',
      'model',
      'model_sort',
      'brand',
      'manufacturer',
      'product_status',
      'tags',
      'created_at',
      'updated_at',
    ],
    row: (n, { customerId }, at) =>
      [
        customerId,
        `prd-${n}`,
        `Radio module ${n}`,
        `{PN-${n}}`,
        `RM-${n}`,
        `vRM-${n}`,
        'Acme',
        'Acme Wireless GmbH',
        n % 10 === 0 ? 'draft' : 'active',
        `{line-${n % 7}}`,
        at,
        at,
      ].join('\t'),
  }
  const approvals: Table = {
    name: 'approvals',
    columns: [
      'customer_id',
      'id',
      'product_id',
      'country_code',
      'scheme',
      'certificate_id',
      'status',
      'requested_on',
      'requested_on_sort',
      'expected_on',
      'expected_on_sort',
      'tags',
      'created_at',
      'updated_at',
    ],
    row: (n, { customerId }, at) => {
      const [requested, expected] = [day(-(n % 700)), day((n % 300) - 100)]
      return [
        customerId,
        `apr-${n}`,
        `prd-${Math.ceil(n / 2)}`,
        pick(countries, n),
        pick(schemes, n),
        `crt-${n * 5}`,
        pick(approvalStates, n),
        requested,
        requested,
        expected,
        expected,
        `{line-${n % 7}}`,
        at,
        at,
      ].join('\t')
    },
  }
  return { certificates, products, approvals }
}
