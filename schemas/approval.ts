import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, timestamps } from './fields.ts'

export const openStatuses = [
  'preparing',
  'testing',
  'submitted',
  'in_review',
  'information_requested',
  'on_hold',
] as const

export const approval = z
  .strictObject({
    ...identity('apr-lumen-gateway-us', 'apr-tracker-mini-br'),
    product_id: field(recordId, 'The product', 'prd-lumen-gateway', 'prd-tracker-mini'),
    country_code: field(countryCode, 'The country (ISO 3166-1 alpha-2)', 'US', 'BR'),
    scheme: field(text, 'Mark or scheme', 'FCC ID', 'CE RED'),
    project_id: field(recordId.nullable(), 'The project that works on it', 'prj-1001', 'prj-1002'),
    certificate_id: field(recordId.nullable(), 'The certificate that it led to', 'crt-lumen-gateway-us'),
    status: field(
      z.enum(['planned', ...openStatuses, 'granted', 'rejected', 'cancelled', 'not_required']),
      'State of the approval. Its certificate shows whether a `granted` approval is valid today',
      'granted',
    ),
    phase: field(
      z.enum(['initial', 'renewal', 'modification']).nullable(),
      'First approval, renewal or modification',
      'initial',
    ),
    open: field(z.boolean(), 'Computed: whether work on the approval is in progress', false),
    requested_on: field(date.nullable(), 'Day it was requested', '2024-06-21'),
    submitted_on: field(date.nullable(), 'Day it went to the authority', '2024-09-16'),
    decided_on: field(date.nullable(), 'Day the authority decided', '2024-11-18'),
    expected_on: field(date.nullable(), 'Day the decision is expected', '2024-11-11'),
    tags: tags('renewal'),
    ...timestamps,
  })
  .meta({ id: 'Approval', description: 'The approval of one product in one country under one scheme' })
