import { findApproval } from './approvals.ts'
import { addDays, type ExampleLine, onGrid } from './calendar.ts'
import { type Issued, issued } from './issued.ts'
import { type Market, markets } from './markets.ts'
import { type ProductId, products } from './products.ts'
import { findProject } from './projects.ts'
import { type Story, stories } from './stories.ts'

/** `crt-lumen-gateway-br`: what refers to it can be written down. */
export const certificateId = (product: string, market: string): string =>
  `${product.replace('prd-', 'crt-')}-${market.toLowerCase()}`

/** The certificates that others replaced. */
const supersedes: Record<string, string> = {
  [certificateId('prd-lumen-gateway', 'US')]: certificateId('prd-hub-classic', 'US'),
}

/** Days; what began later keeps its day, which its story is about. */
const longAgo = 100

const describeValidity = (story: Story, shift: number, day: string) => {
  const start = (from: number) => (from < -longAgo ? onGrid(addDays(day, from - shift)) : addDays(day, from))
  const periods = story.periods.map(([from, until, basis]) => ({
    from: start(from),
    until: until === null ? null : addDays(day, until),
    basis,
  }))
  const [first] = story.periods
  // Some days before it begins to hold, and never in the future.
  const before = first ? [addDays(start(first[0]), -3), addDays(day, -2)].sort()[0] : undefined
  return { validity_periods: periods, issued_on: before ?? null }
}

const makeCertificate = (product: ProductId, [name, storyName]: Issued, serial: number, day: string) => {
  const market: Market = markets[name]
  const story: Story = stories[storyName]
  const { name: title, model, category } = products[product]
  const id = certificateId(product, name)
  // Certificates of one kind are not all of one day; ends stay where the story puts them.
  const validity = describeValidity(story, (serial * 13) % 60, day)
  const year = Number((validity.issued_on ?? day).slice(0, 4))
  const isOfCountry = market.country !== null && market.country === name
  return {
    resource: 'certificates',
    id,
    number: market.number({ model: model ?? 'X', serial, year }),
    title: `${title}, ${market.scheme ?? category}`,
    product_id: product,
    project_id: findProject(product, market.country ?? ''),
    approval_id: isOfCountry ? findApproval(product, market.country) : null,
    supersedes_id: supersedes[id] ?? null,
    country_code: market.country,
    authority: market.authority,
    scheme: market.scheme,
    certificate_type: market.type,
    approval_status: story.status,
    ...validity,
    holder: name === 'legacy' ? null : 'Example Devices GmbH',
    standards: market.standards,
    tags: [...story.tags, ...(product === 'prd-lumen-gateway' ? ['flagship'] : [])],
    source_url: name === 'US' || name === 'module' ? `https://registry.example/fcc/${id}` : null,
  }
}

/** Certificates beside the table: of no product in particular, and of one that is not stored. */
const listOthers = (day: string): ExampleLine[] => [
  {
    resource: 'certificates',
    id: 'crt-company-code-kr',
    number: 'EXD',
    title: 'Company code for KC registrations',
    country_code: 'KR',
    authority: 'RRA',
    certificate_type: 'registration',
    approval_status: 'approved',
    holder: 'Example Devices GmbH',
  },
  {
    resource: 'certificates',
    id: 'crt-starter-kit-de',
    number: 'EXD-DoC-archive-7',
    product_id: 'prd-starter-kit',
    project_id: 'prj-0998-archive',
    country_code: 'DE',
    scheme: 'CE RED',
    approval_status: 'withdrawn',
    valid_from: addDays(day, -2600),
    valid_until: addDays(day, -800),
  },
]

/** Import lines of all certificates as of a day. */
export const listCertificates = (day: string): ExampleLine[] => {
  const pairs = Object.entries(issued).flatMap(([product, list]) =>
    list.map((each) => ({ product: product as ProductId, each })),
  )
  const made = pairs.map(({ product, each }, index) => makeCertificate(product, each, index + 1, day))
  return [...made, ...listOthers(day)]
}
