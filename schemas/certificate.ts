import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, texts, timestamps } from './fields.ts'

export const approvalStatus = z.enum([
  'pending',
  'approved',
  'conditional',
  'rejected',
  'suspended',
  'revoked',
  'withdrawn',
  'superseded',
])

export const validity = z.enum(['not_yet_valid', 'valid', 'expired', 'void'])

const validityPeriod = z.strictObject({
  from: field(date, 'First day of the period', '2023-05-01'),
  until: field(date.nullable(), 'Last day of the period; null = unlimited', '2028-04-30'),
  basis: field(z.enum(['initial', 'renewal', 'extension']), 'What the period is based on', 'initial'),
})

export const certificate = z
  .strictObject({
    ...identity,
    number: field(text, 'The number as printed', '4695'),
    title: field(text, 'What was certified, in the words of the certificate', 'Thunder'),
    product_id: field(recordId.nullable(), 'The principal product', '63c140bf3b739a24'),
    project_id: field(recordId.nullable(), 'The project it came from', 'P-2026-0042'),
    approval_id: field(recordId.nullable(), 'The principal approval', 'A-2026-0815'),
    supersedes_id: field(recordId.nullable(), 'The certificate this one replaces', '117180b868e936f9'),
    country_code: field(countryCode.nullable(), 'The principal country (ISO 3166-1 alpha-2)', 'US'),
    authority: field(text.nullable(), 'Abbreviation of the issuing authority', 'NIST'),
    scheme: field(text.nullable(), 'Mark or scheme', 'FIPS 140-3'),
    certificate_type: field(
      z
        .enum([
          'type_approval',
          'declaration_of_conformity',
          'certificate_of_conformity',
          'registration',
          'safety_certificate',
          'module_approval',
          'other',
        ])
        .nullable(),
      'Kind of document',
      'type_approval',
    ),
    approval_status: field(approvalStatus, 'What the authority says of it', 'approved'),
    validity: field(validity, 'Computed for the day from status and dates', 'valid'),
    expiring: field(
      z.boolean(),
      "True if the certificate is valid and ends within the customer's window",
      false,
    ),
    days_remaining: field(
      z.int().nullable(),
      'Days to valid_until: 0 on the last day, negative after it, null when unlimited',
      893,
    ),
    valid_from: field(date.nullable(), 'First day of the unbroken run of validity', '2024-04-24'),
    valid_until: field(date.nullable(), 'Last day, inclusive; null = unlimited', '2029-04-24'),
    validity_periods: field(z.array(validityPeriod), 'Periods, oldest first', [
      { from: '2024-04-24', until: '2029-04-24', basis: 'initial' },
    ]),
    issued_on: field(date.nullable(), 'Day of issue', '2024-04-24'),
    holder: field(text.nullable(), 'The holder that it was issued to', 'A10 Networks, Inc'),
    standards: field(texts, 'Standards it attests', ['FIPS 140-3']),
    tags,
    source_url: field(text.nullable(), 'Where the authority publishes it', 'https://example.org/4695'),
    ...timestamps,
  })
  .meta({ id: 'Certificate', description: 'A certificate that an authority issued' })
