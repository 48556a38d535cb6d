import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, timestamps } from './fields.ts'

export const approval = z
  .strictObject({
    ...identity,
    product_id: field(recordId, 'The product', '63c140bf3b739a24'),
    country_code: field(countryCode, 'The country (ISO 3166-1 alpha-2)', 'JP'),
    scheme: field(text, 'Mark or scheme', 'MIC'),
    project_id: field(recordId.nullable(), 'The project that works on it', 'P-2026-0042'),
    certificate_id: field(recordId.nullable(), 'The certificate that it led to', '117180b868e936fa'),
    status: field(
      z.enum([
        'planned',
        'preparing',
        'testing',
        'submitted',
        'in_review',
        'information_requested',
        'on_hold',
        'granted',
        'rejected',
        'cancelled',
        'not_required',
      ]),
      'Where it stands; granted says it was given, not that it holds today',
      'in_review',
    ),
    phase: field(z.enum(['initial', 'renewal', 'modification']).nullable(), 'Which round it is', 'initial'),
    open: field(z.boolean(), 'Computed: true while somebody works on the approval', true),
    requested_on: field(date.nullable(), 'Day it was requested', '2026-02-02'),
    submitted_on: field(date.nullable(), 'Day it went to the authority', '2026-05-18'),
    decided_on: field(date.nullable(), 'Day the authority decided', null),
    expected_on: field(date.nullable(), 'Day the decision is expected', '2026-12-15'),
    tags,
    ...timestamps,
  })
  .meta({ id: 'Approval', description: 'The approval of one product in one country under one scheme' })
