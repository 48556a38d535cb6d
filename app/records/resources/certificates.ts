import { type approvalStatus, certificate, type validity } from '../../../schemas/certificate.ts'
import { dayMs } from '../../config/units.ts'
import { defineResource, type MarketOutcome } from './define.ts'

type Status = (typeof approvalStatus.options)[number]
type Validity = (typeof validity.options)[number]

const voidStatuses: readonly Status[] = ['rejected', 'suspended', 'revoked', 'withdrawn', 'superseded']
const standingStatuses: readonly Status[] = ['approved', 'conditional']
const isOneOf = (statuses: readonly Status[]) =>
  `r.approval_status in (${statuses.map((status) => `'${status}'`).join(',')})`
const standing = isOneOf(standingStatuses)

/** In the indexed `_sort` columns null is infinity. Without `valid_from` a certificate has begun. */
const begun = "(r.valid_from_sort <= :day or r.valid_from_sort = 'infinity')"
const validOnDay = `${standing} and r.valid_until_sort >= :day and ${begun}`
const where: Record<Validity, string> = {
  void: isOneOf(voidStatuses),
  not_yet_valid: `(r.approval_status = 'pending' or (${standing} and r.valid_from_sort > :day and r.valid_from_sort < 'infinity'))`,
  expired: `${standing} and r.valid_until_sort < :day and ${begun}`,
  valid: validOnDay,
}

export const certificateIsValid = validOnDay
export const certificateIsExpiring = `${validOnDay} and r.valid_until_sort <= :day + :window`

/** The stored fields on which the computed ones depend. */
export type CertificateDates = Readonly<{
  approval_status: Status
  valid_from: string | null
  valid_until: string | null
}>

const computeValidity = (
  { approval_status: status, valid_from: from, valid_until: until }: CertificateDates,
  day: string,
): Validity => {
  if (voidStatuses.includes(status)) return 'void'
  if (status === 'pending' || (from !== null && from > day)) return 'not_yet_valid'
  return until !== null && until < day ? 'expired' : 'valid'
}

/**
 * The computed fields of a certificate that is not in the database, by the same rules as the SQL above. `day` and the
 * dates: YYYY-MM-DD. `windowDays`: days before its end in which it counts as expiring.
 */
export const computeCertificate = (
  certificate: CertificateDates,
  day: string,
  windowDays: number,
): { validity: Validity; expiring: boolean } => {
  const validity = computeValidity(certificate, day)
  const { valid_until: until } = certificate
  const isNear = until !== null && Date.parse(until) - Date.parse(day) <= windowDays * dayMs
  return { validity, expiring: validity === 'valid' && isNear }
}

const outcomes: Record<Validity, MarketOutcome> = {
  valid: 'allowed',
  not_yet_valid: 'undecided',
  expired: 'refused',
  void: 'refused',
}

const transitions: Partial<Record<Status, string[]>> = {
  pending: ['approved', 'conditional', 'rejected'],
  conditional: ['approved', 'suspended', 'revoked'],
  approved: ['suspended', 'revoked', 'withdrawn', 'superseded'],
  suspended: ['approved', 'revoked', 'withdrawn'],
}

declare module './define.ts' {
  interface ResourceNames {
    certificates: true
  }
}

export const certificates = defineResource({
  name: 'certificates',
  rank: 1,
  version: 1,
  noun: 'certificate',
  contents: 'Numbers, validity periods, approval status, and whether a certificate is valid today',
  schema: certificate,
  includes: {
    product: { resource: 'products', by: 'product_id' },
    project: { resource: 'projects', by: 'project_id' },
    country: { resource: 'countries', by: 'country_code' },
  },
  filters: {
    id: 'equal',
    number: 'prefix',
    product_id: 'equal',
    project_id: 'equal',
    approval_id: 'equal',
    country_code: 'equal',
    authority: 'equal',
    scheme: 'equal',
    certificate_type: 'equal',
    approval_status: 'equal',
    validity: 'equal',
    expiring: 'equal',
    valid_from: 'range',
    valid_until: 'range',
    issued_on: 'range',
    tags: 'equal',
    standards: 'equal',
    updated_at: 'range',
    created_at: 'range',
  },
  sorts: ['valid_until', 'valid_from', 'issued_on', 'number', 'updated_at', 'created_at', 'id'],
  defaultSort: '-created_at',
  computed: {
    validity: {
      select: `case when ${where.void} then 'void' when ${where.not_yet_valid} then 'not_yet_valid' when r.valid_until_sort < :day then 'expired' else 'valid' end`,
      where,
    },
    expiring: {
      select: `(${certificateIsExpiring})`,
      where: { true: certificateIsExpiring, false: `not (${certificateIsExpiring})` },
    },
    days_remaining: { select: 'r.valid_until - :day' },
  },
  computedForDay: true,
  flips: {
    fields: ['validity', 'expiring'],
    edges: [
      { column: 'valid_until_sort', at: ':day - 1' },
      { column: 'valid_from_sort', at: ':day' },
      { column: 'valid_until_sort', at: ':day + :window' },
    ],
  },
  market: { validity: outcomes },
  elements: ['standards', 'tags'],
  search: ['number', 'title', 'holder'],
  reads: ['certificates'],
  importing: {
    required: ['id', 'number', 'approval_status'],
    initial: {},
    sameAs: { title: 'number' },
    expectedTransitions: { approval_status: transitions },
  },
})
