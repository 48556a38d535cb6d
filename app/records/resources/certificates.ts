import { type approvalStatus, certificate, type validity } from '../../../schemas/certificate.ts'
import { defineResource } from './define.ts'

const voidStatuses = "('rejected','suspended','revoked','withdrawn','superseded')"
const standing = "r.approval_status in ('approved','conditional')"

/** In the indexed `_sort` columns null is infinity. Without `valid_from` a certificate has begun. */
const begun = "(r.valid_from_sort <= :day or r.valid_from_sort = 'infinity')"
const validOnDay = `${standing} and r.valid_until_sort >= :day and ${begun}`
const where: Record<(typeof validity.options)[number], string> = {
  void: `r.approval_status in ${voidStatuses}`,
  not_yet_valid: `(r.approval_status = 'pending' or (${standing} and r.valid_from_sort > :day and r.valid_from_sort < 'infinity'))`,
  expired: `${standing} and r.valid_until_sort < :day and ${begun}`,
  valid: validOnDay,
}

export const certificateIsValid = validOnDay
export const certificateIsExpiring = `${validOnDay} and r.valid_until_sort <= :day + :window`

const transitions: Partial<Record<(typeof approvalStatus.options)[number], string[]>> = {
  pending: ['approved', 'conditional', 'rejected'],
  conditional: ['approved', 'suspended', 'revoked'],
  approved: ['suspended', 'revoked', 'withdrawn', 'superseded'],
  suspended: ['approved', 'revoked', 'withdrawn'],
}

export const certificates = defineResource({
  name: 'certificates',
  version: 1,
  noun: 'certificate',
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
