import { addDays, type ExampleLine, onGrid } from './calendar.ts'
import { findProject } from './projects.ts'

/** Days relative to the day of the data; null = not set. */
type Dates = readonly [
  requested: number | null,
  submitted: number | null,
  decided: number | null,
  expected: number | null,
]

/** Typical dates of each state. */
const datesByStatus: Record<string, Dates> = {
  planned: [null, null, null, 200],
  preparing: [-20, null, null, 120],
  testing: [-60, null, null, 90],
  submitted: [-90, -15, null, 45],
  in_review: [-120, -40, null, 10],
  information_requested: [-150, -70, null, -5],
  on_hold: [-200, -90, null, null],
  rejected: [-260, -180, -35, -60],
  cancelled: [-400, null, null, null],
  not_required: [null, null, -90, null],
}

/** Dates within so many days move with the day of the data. */
const soonDays = 50

/** Products whose certificates have their approvals on record; older ones have none. */
const recorded = ['prd-lumen-gateway', 'prd-lumen-gateway-lte', 'prd-tracker-mini']

/** Returns the id of an approval, such as `apr-lumen-gateway-br`, from a product and a country. */
export const approvalId = (product: string, country: string): string =>
  `${product.replace('prd-', 'apr-')}-${country.toLowerCase()}`

/** What the state of a certificate says of its approval: what is renewed is open again. */
const statusOf = (certificate: ExampleLine, daysLeft: number): [status: string, phase: string | null] => {
  const { approval_status: status } = certificate
  if (status === 'pending') return ['in_review', 'initial']
  if (status === 'rejected') return ['rejected', 'initial']
  if (daysLeft < 0 || daysLeft > 90) return ['granted', 'initial']
  if (daysLeft === 0) return ['in_review', 'renewal']
  return [daysLeft < 30 ? 'submitted' : 'preparing', 'renewal']
}

const planned: [product: string, country: string, scheme: string, status: string, phase: string | null][] = [
  ['prd-levelsense', 'US', 'FCC ID', 'testing', 'initial'],
  ['prd-levelsense', 'DE', 'CE RED', 'preparing', 'initial'],
  ['prd-levelsense', 'JP', 'MIC', 'planned', 'initial'],
  ['prd-levelsense', 'KR', 'KC', 'planned', 'initial'],
  ['prd-satbeacon', 'US', 'FCC ID', 'planned', null],
  ['prd-smartlock', 'BR', 'ANATEL', 'information_requested', 'initial'],
  ['prd-smartlock', 'KR', 'KC', 'on_hold', 'modification'],
  ['prd-smartlock', 'CN', 'SRRC', 'cancelled', 'initial'],
  ['prd-smartlock', 'SG', 'IMDA', 'not_required', null],
  ['prd-chargepad', 'JP', 'MIC', 'rejected', 'initial'],
  ['prd-chargepad', 'KR', 'KC', 'cancelled', 'initial'],
]

const makeApproval = (
  day: string,
  product: string,
  country: string,
  scheme: string,
  [status, phase]: [string, string | null],
) => {
  const at = (days: number | null | undefined) => {
    if (typeof days !== 'number') return null
    const date = addDays(day, days)
    return Math.abs(days) > soonDays ? onGrid(date) : date
  }
  const [requested, submitted, decided, expected] = datesByStatus[status] ?? []
  return {
    resource: 'approvals',
    id: approvalId(product, country),
    product_id: product,
    country_code: country,
    scheme,
    project_id: findProject(product, country),
    certificate_id: null as string | null,
    status,
    phase,
    requested_on: at(requested),
    submitted_on: at(submitted),
    decided_on: at(decided),
    expected_on: at(expected),
    tags: status === 'information_requested' ? ['attention'] : phase === 'renewal' ? ['renewal'] : [],
  }
}

/** The way to a certificate that was issued on this day. */
const grantedOn = (issued: string) => ({
  requested_on: addDays(issued, -150),
  submitted_on: addDays(issued, -63),
  decided_on: issued,
  expected_on: addDays(issued, -7),
})

/** The approvals that these certificates rest on, and those on the way. */
export const listApprovals = (day: string, certificates: readonly ExampleLine[]): ExampleLine[] => {
  const granted = certificates.flatMap((certificate) => {
    const { product_id: product, country_code: country, scheme, approval_id } = certificate
    if (!approval_id) return []
    const last = (certificate.validity_periods as { until: string | null }[]).at(-1)?.until
    const daysLeft = last ? (Date.parse(last) - Date.parse(day)) / 86_400_000 : -1
    const state = statusOf(certificate, daysLeft)
    const approval = makeApproval(day, String(product), String(country), String(scheme), state)
    const issued = certificate.issued_on
    if (state[0] === 'granted' && issued) Object.assign(approval, grantedOn(String(issued)))
    approval.certificate_id = state[0] === 'granted' || state[1] === 'renewal' ? certificate.id : null
    return [approval]
  })
  const others = planned.map(([product, country, scheme, ...state]) =>
    makeApproval(day, product, country, scheme, state),
  )
  return [...granted, ...others]
}

/** The approval of a certificate of this product in this country; null where none is on record. */
export const findApproval = (product: string, country: string | null): string | null =>
  country !== null && recorded.includes(product) ? approvalId(product, country) : null
