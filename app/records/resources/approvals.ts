import { approval, openStatuses } from '../../../schemas/approval.ts'
import { defineResource, type MarketOutcome } from './define.ts'

export const approvalIsOpen = `r.status in (${openStatuses.map((status) => `'${status}'`).join(',')})`

type Status = (typeof approval.shape.status.options)[number]

const outcomes: Record<Status, MarketOutcome> = {
  not_required: 'allowed',
  granted: 'by_certificate',
  planned: 'undecided',
  preparing: 'undecided',
  testing: 'undecided',
  submitted: 'undecided',
  in_review: 'undecided',
  information_requested: 'undecided',
  on_hold: 'undecided',
  rejected: 'refused',
  cancelled: 'refused',
}

declare module './define.ts' {
  interface ResourceNames {
    approvals: true
  }
}

export const approvals = defineResource({
  name: 'approvals',
  rank: 6,
  version: 1,
  noun: 'approval',
  contents: 'The approval of each product in each country, from planned to granted',
  schema: approval,
  includes: {
    product: { resource: 'products', by: 'product_id' },
    country: { resource: 'countries', by: 'country_code' },
    certificate: { resource: 'certificates', by: 'certificate_id' },
  },
  filters: {
    id: 'equal',
    product_id: 'equal',
    country_code: 'equal',
    scheme: 'equal',
    project_id: 'equal',
    certificate_id: 'equal',
    status: 'equal',
    open: 'equal',
    requested_on: 'range',
    submitted_on: 'range',
    decided_on: 'range',
    expected_on: 'range',
    tags: 'equal',
    updated_at: 'range',
    created_at: 'range',
  },
  sorts: ['expected_on', 'requested_on', 'updated_at', 'created_at', 'id'],
  defaultSort: '-created_at',
  computed: {
    open: {
      select: `(${approvalIsOpen})`,
      where: { true: approvalIsOpen, false: `not (${approvalIsOpen})` },
    },
  },
  computedForDay: false,
  market: { status: outcomes },
  elements: ['tags'],
  search: ['scheme', 'product_id', 'certificate_id'],
  reads: ['approvals'],
  importing: {
    required: ['id', 'product_id', 'country_code', 'scheme'],
    initial: { status: 'planned' },
    sameAs: {},
    expectedTransitions: {
      status: {
        planned: ['preparing', 'not_required', 'cancelled'],
        preparing: ['testing', 'submitted', 'on_hold', 'cancelled'],
        testing: ['submitted', 'on_hold', 'cancelled'],
        submitted: ['in_review', 'on_hold', 'cancelled'],
        in_review: ['granted', 'information_requested', 'rejected', 'on_hold', 'cancelled'],
        information_requested: ['in_review', 'on_hold', 'cancelled'],
        on_hold: [...openStatuses, 'cancelled'],
        rejected: ['preparing', 'cancelled'],
        granted: ['preparing'],
      },
    },
  },
})
