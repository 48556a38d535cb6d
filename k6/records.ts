const statuses = ['approved', 'conditional', 'suspended', 'revoked'] as const
const countries = ['DE', 'FR', 'JP', 'US', 'BR', 'KR', 'IN', 'ZA'] as const
const dayMs = 86_400_000

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

const products = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    resource: 'products',
    id: `p${index}`,
    name: `Product ${index}`,
    part_numbers: [`PN-${index}`],
    brand: `Brand ${index % 17}`,
    product_status: index % 5 === 0 ? 'discontinued' : 'active',
    technologies: index % 2 === 0 ? ['wifi', 'bluetooth'] : ['cellular'],
    tags: [`batch-${index % 10}`],
  }))

/** Three in four are in force and end between tomorrow and five years from now. */
const certificates = (count: number, { products: productCount }: Counts, today: number) =>
  Array.from({ length: count }, (_, index) => ({
    resource: 'certificates',
    id: `c${index}`,
    number: `K6-${String(index).padStart(6, '0')}`,
    product_id: `p${index % productCount}`,
    country_code: pick(countries, index),
    scheme: `Scheme ${index % 6}`,
    approval_status: index % 4 === 0 ? pick(statuses, index / 4) : 'approved',
    valid_from: new Date(today - dayMs * (1 + (index % 900))).toISOString().slice(0, 10),
    valid_until: new Date(today + dayMs * (1 + ((index * 7) % 1_825))).toISOString().slice(0, 10),
    standards: ['EN 300 328'],
  }))

const approvals = (count: number, { products: productCount }: Counts) =>
  Array.from({ length: count }, (_, index) => ({
    resource: 'approvals',
    id: `a${index}`,
    product_id: `p${index % productCount}`,
    country_code: pick(countries, index),
    scheme: `Scheme ${index % 6}`,
    status: index % 3 === 0 ? 'in_review' : 'granted',
  }))

type Counts = { products: number; certificates: number }

/** Returns a customer's records as lines for an import, with one approval per product. */
export const recordLines = (counts: Counts): string =>
  [
    ...products(counts.products),
    ...certificates(counts.certificates, counts, Date.now()),
    ...approvals(counts.products, counts),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
